//===- MeshAxes.cpp - Sets of mesh axes -----------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Analysis/MeshAxes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::comm;

MeshAxes::MeshAxes(Operation *op) {
  Operation *table = op;
  while (table->getParentOp())
    table = table->getParentOp();
  for (Region &region : table->getRegions())
    for (MeshOpInterface found : region.getOps<MeshOpInterface>()) {
      mesh = found;
      for (auto [axis, size] : llvm::enumerate(mesh.getAxisSizes()))
        if (size > 1)
          all |= ReplicationState::varyingOver(axis);
      return;
    }
}

ReplicationState MeshAxes::getSet(AxesAttrInterface axes) const {
  MeshOpInterface mesh = getMesh();
  if (!axes || !mesh)
    return {};
  auto [entry, isNew] = sets.try_emplace(axes);
  if (!isNew)
    return entry->second;
  ReplicationState set;
  for (StringAttr name : axes.getAxes())
    for (auto [axis, known] : llvm::enumerate(mesh.getAxisNames()))
      if (known == name)
        set |= ReplicationState::varyingOver(axis);
  return entry->second = set & all;
}

SmallVector<StringRef> MeshAxes::getNames(ReplicationState axes) const {
  SmallVector<StringRef> names;
  if (MeshOpInterface mesh = getMesh())
    for (auto [axis, name] :
         llvm::enumerate(mesh.getAxisNames().getAsValueRange<StringAttr>()))
      if (axes.variesOver(axis))
        names.push_back(name);
  return names;
}

int64_t MeshAxes::getNumRanks(ReplicationState axes) const {
  int64_t ranks = 1;
  if (MeshOpInterface mesh = getMesh())
    for (auto [axis, size] : llvm::enumerate(mesh.getAxisSizes()))
      if (axes.variesOver(axis))
        ranks *= size;
  return ranks;
}

std::string MeshAxes::format(ReplicationState axes) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "[";
  llvm::interleaveComma(getNames(axes), stream,
                        [&](StringRef name) { stream << '"' << name << '"'; });
  stream << "]";
  return text;
}
