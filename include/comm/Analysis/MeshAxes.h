//===- MeshAxes.h - Sets of mesh axes ---------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MESHAXES_H
#define COMM_ANALYSIS_MESHAXES_H

#include "comm/Interfaces/ReplicationOpInterface.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::comm {

/// The axes of a module's mesh as sets. A module without a mesh has one rank:
/// no axes.
class MeshAxes {
public:
  /// The axes of the mesh of the module that holds `op`.
  explicit MeshAxes(Operation *op);

  /// The mesh; null where the module has none.
  MeshOpInterface getMesh() const { return mesh; }
  /// Every axis larger than 1.
  ReplicationState getAll() const { return all; }
  /// The axes larger than 1 that `axes` names; none where it is null.
  ReplicationState getSet(AxesAttrInterface axes) const;
  /// The names of the axes of a set, in the order of the mesh.
  SmallVector<StringRef> getNames(ReplicationState axes) const;
  /// The number of ranks that differ only in these axes.
  int64_t getNumRanks(ReplicationState axes) const;
  /// A set as diagnostics print it: `["dp", "tp"]`.
  std::string format(ReplicationState axes) const;

private:
  MeshOpInterface mesh;
  ReplicationState all;
  /// The sets asked for so far: a program names few.
  mutable llvm::SmallDenseMap<Attribute, ReplicationState> sets;
};

} // namespace mlir::comm

#endif // COMM_ANALYSIS_MESHAXES_H
