//===- Mesh.cpp - The mesh, and the ops that only ask where a rank is -----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/IR/Comm.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// comm.mesh
//===----------------------------------------------------------------------===//

LogicalResult MeshOp::verify() {
  auto names = getAxisNames().getAsValueRange<StringAttr>();
  ArrayRef<int64_t> sizes = getAxisSizes();
  // mesh_c1
  if (getAxisNames().empty())
    return emitOpError("expects at least one axis");
  if (getAxisNames().size() != sizes.size())
    return emitOpError("expects one size per axis, got ")
           << getAxisNames().size() << " names and " << sizes.size()
           << " sizes";
  // mesh_c4
  if (sizes.size() > ReplicationState::kMaxAxes)
    return emitOpError("has ") << sizes.size() << " axes, at most "
                               << ReplicationState::kMaxAxes << " are possible";
  // mesh_c2, mesh_c3
  llvm::SmallDenseSet<StringRef> seen;
  int64_t ranks = 1;
  for (auto [name, size] : llvm::zip(names, sizes)) {
    if (name.empty())
      return emitOpError("has an axis with an empty name");
    if (!seen.insert(name).second)
      return emitOpError("names axis '") << name << "' twice";
    if (size < 1)
      return emitOpError("axis '")
             << name << "' has size " << size << ", expected at least 1";
    if (size > INT32_MAX || ranks * size > INT32_MAX)
      return emitOpError("has more than ") << INT32_MAX << " ranks";
    ranks *= size;
  }
  // mesh_c5
  if (!isa_and_nonnull<ModuleOp>((*this)->getParentOp()))
    return emitOpError("stands at the top level of a module only");
  for (Operation *other = (*this)->getPrevNode(); other;
       other = other->getPrevNode())
    if (isa<MeshOp>(other))
      return (emitOpError("is the second mesh of its module, one is possible"))
                 .attachNote(other->getLoc())
             << "the first mesh is here";
  return success();
}

std::optional<unsigned> MeshOp::getAxisPosition(StringRef axis) {
  for (auto [position, name] :
       llvm::enumerate(getAxisNames().getAsValueRange<StringAttr>()))
    if (name == axis)
      return position;
  return std::nullopt;
}

int64_t MeshOp::getGroupSize(AxesAttr axes) {
  int64_t size = 1;
  for (StringAttr axis : axes.getAxes())
    size *= getAxisSizes()[*getAxisPosition(axis)];
  return size;
}

MeshOp comm::lookupMesh(Operation *from, AxesAttr axes) {
  // As a rule the mesh stands first, and every collective is asked for it.
  if (auto module = from->getParentOfType<ModuleOp>())
    if (!module.getBody()->empty())
      if (auto mesh = dyn_cast<MeshOp>(module.getBody()->front()))
        if (mesh.getSymNameAttr() == axes.getMesh().getAttr())
          return mesh;
  return SymbolTable::lookupNearestSymbolFrom<MeshOp>(from, axes.getMesh());
}

int64_t comm::getGroupSize(Operation *from, AxesAttr axes) {
  return lookupMesh(from, axes).getGroupSize(axes);
}

bool comm::haveSameAxes(AxesAttr a, AxesAttr b) {
  return a.getMesh() == b.getMesh() &&
         a.getAxes().size() == b.getAxes().size() &&
         llvm::all_of(a.getAxes(), [&](StringAttr axis) {
           return llvm::is_contained(b.getAxes(), axis);
         });
}

//===----------------------------------------------------------------------===//
// comm.axis_index
//===----------------------------------------------------------------------===//

AxesAttrInterface AxisIndexOp::getGroupAxes() {
  return cast<AxesAttrInterface>(Attribute(getAxes()));
}

ReplicationState AxisIndexOp::inferState(ReplicationState,
                                         ReplicationState group) {
  return group;
}

WantedState AxisIndexOp::getWantedState() { return WantedState::Any; }

bool AxisIndexOp::isSynchronizing() { return false; }

LogicalResult AxisIndexOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroupSymbol(*this, symbols);
}

//===----------------------------------------------------------------------===//
// comm.barrier
//===----------------------------------------------------------------------===//

AxesAttrInterface BarrierOp::getGroupAxes() {
  return cast<AxesAttrInterface>(Attribute(getAxes()));
}

ReplicationState BarrierOp::inferState(ReplicationState operands,
                                       ReplicationState) {
  return operands;
}

WantedState BarrierOp::getWantedState() { return WantedState::Any; }

void BarrierOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getGroupOpEffects(*this, effects);
}

LogicalResult BarrierOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroupSymbol(*this, symbols);
}
