//===- Symmetry.cpp - Data that would hide a wrong gradient ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symmetry.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

/// Whether all ranks that differ only in that axis have one value.
static bool isSymmetric(const Mesh &mesh, int64_t axis,
                        const RankValues &values, size_t column) {
  for (size_t rank = 0; rank < values.size(); ++rank) {
    int64_t first = getReplicaClass(mesh, {axis}, rank);
    if (!values[rank][column].isIdenticalTo(values[first][column]))
      return false;
  }
  return true;
}

MaybeFailure comm::runner::refuseSymmetricData(
    const FunctionSignature &signature, ValueKind kind,
    const std::vector<unsigned> &positions, const RankValues &values,
    const std::string &flag) {
  for (size_t column = 0; column < positions.size(); ++column) {
    const ValueInfo &info = getValues(signature, kind)[positions[column]];
    if (!isFloat(info.type) || values[0][column].getElementCount() == 0)
      continue;
    for (size_t axis = 0; axis < signature.mesh.size(); ++axis) {
      if (signature.mesh[axis].size == 1 ||
          llvm::is_contained(info.replicatedAxes, int64_t(axis)) ||
          !isSymmetric(signature.mesh, axis, values, column))
        continue;
      std::string name = getFlagName(signature, kind, positions[column]);
      std::string option = flag + "=" + name;
      return usageFailure(
          (kind == ValueKind::Result ? "the seed of " : "") +
          describeValue(signature, kind, positions[column]) + " varies over '" +
          signature.mesh[axis].name +
          "' and is the same on all its ranks, where a wrong gradient can look "
          "right: write " +
          option + "=rand, " + option + "=rank or one " + option +
          "@RANK=VALUE for each rank; --allow-symmetric checks it as "
          "it is");
    }
  }
  return std::nullopt;
}
