//===- ReplicationState.h - The axes that a value varies over ---*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERFACES_REPLICATIONSTATE_H
#define COMM_INTERFACES_REPLICATIONSTATE_H

#include <cstdint>

namespace mlir::comm {

/// The replication state of a value: the set of mesh axes over which it
/// varies. Over every other axis it is replicated, that is ONE logical value.
///
/// An axis is a position in the mesh. Axes of size 1 never enter a set: such
/// an axis is replicated in every state. The same type stands for any set of
/// axes (a group, a mark, the axes that control a region).
class ReplicationState {
public:
  /// A mesh has at most this many axes (mesh_c4).
  static constexpr unsigned kMaxAxes = 64;

  constexpr ReplicationState() = default;

  static constexpr ReplicationState replicated() { return {}; }
  static ReplicationState varyingOver(unsigned axis) {
    return ReplicationState(uint64_t(1) << axis);
  }

  bool isReplicated() const { return bits == 0; }
  bool variesOver(unsigned axis) const { return (bits >> axis) & 1; }
  bool intersects(ReplicationState other) const { return bits & other.bits; }
  bool contains(ReplicationState other) const {
    return (other.bits & ~bits) == 0;
  }

  /// Union.
  ReplicationState operator|(ReplicationState other) const {
    return ReplicationState(bits | other.bits);
  }
  /// Intersection.
  ReplicationState operator&(ReplicationState other) const {
    return ReplicationState(bits & other.bits);
  }
  /// Difference.
  ReplicationState operator-(ReplicationState other) const {
    return ReplicationState(bits & ~other.bits);
  }
  ReplicationState &operator|=(ReplicationState other) {
    bits |= other.bits;
    return *this;
  }
  bool operator==(ReplicationState other) const { return bits == other.bits; }
  bool operator!=(ReplicationState other) const { return bits != other.bits; }

  /// The set as a bit mask, bit i for axis i; usable as a hash key.
  uint64_t getMask() const { return bits; }

private:
  explicit constexpr ReplicationState(uint64_t bits) : bits(bits) {}
  uint64_t bits = 0;
};

/// What an operand of a collective must be over the axes of its group.
enum class WantedState {
  /// Either will do.
  Any,
  /// Each rank's own; a replicated operand gets a `comm.vary`.
  Varying,
  /// One value; an operand that varies over any axis of the group is refused.
  Replicated,
};

} // namespace mlir::comm

#endif // COMM_INTERFACES_REPLICATIONSTATE_H
