//===- Signature.h - What is to be run, free of MLIR ------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_SIGNATURE_H
#define COMM_RUNNER_SIGNATURE_H

#include "comm/Runner/HostTensor.h"
#include "comm/Runtime/Communicator.h"

namespace mlir::comm::runner {

using runtime::Mesh;

/// The lowest of the ranks that differ from `rank` only in `axes` (positions in
/// the mesh): the name of a replica class.
int64_t getReplicaClass(const Mesh &mesh, const std::vector<int64_t> &axes,
                        int64_t rank);

/// An argument or a result of a function.
struct ValueInfo {
  /// As in the program's text, without the percent sign; may be empty.
  std::string name;
  /// `index` counts as an i64.
  CommDataType type = COMM_F32;
  /// kDynamic where a size is not known; empty for rank 0.
  Shape shape;
  /// A scalar (f32), as opposed to a tensor of rank 0 (tensor<f32>). They are
  /// given and printed alike and passed differently.
  bool isScalar = false;
  /// Positions of the mesh axes over which the ranks hold one value.
  std::vector<int64_t> replicatedAxes;
  /// Of a result: the position of the argument whose gradient it is.
  std::optional<unsigned> gradientOf;

  /// Such as "4x?xf32".
  std::string formatType() const { return runner::formatType(type, shape); }
  /// Whether some size is not known before the program runs.
  bool isDynamic() const;
  /// Whether `candidate` agrees with the sizes that are known.
  bool acceptsShape(const Shape &candidate) const;
};

/// A function and the mesh it runs on: no axes make one rank.
struct FunctionSignature {
  /// Without the at sign.
  std::string name;
  Mesh mesh;
  std::vector<ValueInfo> arguments;
  std::vector<ValueInfo> results;
};

/// Fails where the mesh has more ranks than a machine has threads for.
MaybeFailure checkNumRanks(const FunctionSignature &signature);

/// What a list of values is called in messages and how its members are found.
enum class ValueKind { Argument, Result };

/// The values of that kind.
const std::vector<ValueInfo> &getValues(const FunctionSignature &signature,
                                        ValueKind kind);
/// Such as "argument 'x'", "result 0" or "gradient of 'x'".
std::string describeValue(const FunctionSignature &signature, ValueKind kind,
                          unsigned position);
/// The name that a flag can use: the name in the text, `grad.NAME` of a
/// gradient, or else the position.
std::string getFlagName(const FunctionSignature &signature, ValueKind kind,
                        unsigned position);
/// The position that `name` stands for: a position, `grad.` and the name or the
/// position of an argument, or a name; a leading percent sign is dropped and
/// makes it a name. The failure lists what there is.
Result<unsigned> findValue(const FunctionSignature &signature, ValueKind kind,
                           const std::string &name);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_SIGNATURE_H
