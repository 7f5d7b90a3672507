//===- Call.h - What a program asks of a rank -------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNTIME_CALL_H
#define COMM_RUNTIME_CALL_H

#include "comm/Runtime/CommRuntime.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::comm::runtime {

using Status = CommStatus;

/// One axis of a mesh.
struct MeshAxis {
  std::string name;
  int64_t size;
};

/// The axes of a mesh. World ranks are row-major: the last axis varies fastest.
using Mesh = std::vector<MeshAxis>;

/// The product of the axis sizes.
int64_t getNumRanks(const Mesh &mesh);

/// The ranks that differ from one rank only in some axes.
struct Group {
  /// Positions in the mesh, in the order written.
  std::vector<int64_t> axes;
  /// The names of these axes, as `["dp", "tp"]`: for messages.
  std::string axisNames;
  /// The world ranks of the members, numbered row-major in the order in which
  /// the axes are written.
  std::vector<int64_t> ranks;
  /// The number in the group of the rank that asked.
  int64_t index;

  int64_t size() const { return static_cast<int64_t>(ranks.size()); }
};

/// The group of world rank `rank`. The axes must be positions in the mesh, with
/// no repeats.
Group getGroup(const Mesh &mesh, const std::vector<int64_t> &axes,
               int64_t rank);

/// The arguments of one call, in NCCL's shape. What a collective does not take
/// is left out. Counts are those of RuntimeFunctions.def.
struct Call {
  /// Such as "comm.all_reduce". A constant.
  const char *op = "";
  const CommSite *site = nullptr;
  const void *send = nullptr;
  void *recv = nullptr;
  int64_t count = 0;
  int32_t type = COMM_I8;
  std::optional<int32_t> reduction;
  /// A number in the group.
  std::optional<int64_t> root;
  /// A message's channel: numbers in the group.
  std::optional<int64_t> from, to;
  /// Source, target, source, target, ...: `numPairs` pairs.
  const int64_t *pairs = nullptr;
  std::optional<int64_t> numPairs;

  CommDataType getType() const { return static_cast<CommDataType>(type); }
  CommReduction getReduction() const {
    return static_cast<CommReduction>(*reduction);
  }
  /// Of a message's two calls.
  bool isSend() const;
  /// The bytes of `count` elements.
  int64_t getBytes() const;
  /// The op of the program: the site's, where there is one.
  const char *getOpName() const { return site && site->op ? site->op : op; }
  /// "comm.all_reduce at a.mlir:3".
  std::string describe() const;
  /// `comm.all_reduce sum of 4 x f32 at a.mlir:3, over @mesh["tp"]`, where the
  /// last part is the site's detail.
  std::string describeInFull() const;
};

/// "comm.all_reduce at a.mlir:3"; `site` may be null.
std::string describe(const char *op, const CommSite *site);

/// One part of a grouped point-to-point exchange: `buffer` goes to, or comes
/// from, the member `peer` of the group, which may be the rank itself.
struct Transfer {
  int64_t peer;
  void *buffer;
};

/// C = op(A) op(B) + beta C, `batch` times: see commGemm.
struct Gemm {
  int32_t type;
  bool transposeA, transposeB;
  int64_t batch, m, n, k;
  const void *a;
  int64_t lda, strideA;
  const void *b;
  int64_t ldb, strideB;
  bool beta;
  void *c;
  int64_t ldc, strideC;
  const CommSite *site = nullptr;
};

/// A kernel to start: see commLaunch.
struct KernelLaunch {
  const CommKernel *kernel;
  int64_t blocks, threads;
  void **arguments;
  const CommSite *site = nullptr;
};

} // namespace mlir::comm::runtime

#endif // COMM_RUNTIME_CALL_H
