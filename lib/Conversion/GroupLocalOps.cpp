//===- GroupLocalOps.cpp - Which ops make one kernel ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::comm;

/// Fusing more gains little, and optimising a function costs more than its size
/// says.
static constexpr size_t maxGroupSize = 32;

bool comm::isFree(Operation *op) {
  if (isa<tensor::EmptyOp>(op))
    return true;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.hasPureTensorSemantics() &&
           fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>();
  auto constant = dyn_cast<arith::ConstantOp>(op);
  return constant && (!isa<ShapedType>(constant.getType()) ||
                      isa<SplatElementsAttr>(constant.getValue()));
}

bool comm::isZeroFill(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs()[0];
  return matchPattern(value, m_AnyZeroFloat());
}

bool comm::isView(Operation *op) {
  return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ReshapeOp>(op);
}

/// The loop that steps through an operand element by element, if any.
static std::optional<unsigned> getUnitLoop(AffineMap map, ShapedType type) {
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim)
    if (type.getDimSize(dim) != 1)
      return cast<AffineDimExpr>(map.getResult(dim)).getPosition();
  return std::nullopt;
}

bool comm::isGemm(Operation *raw) {
  auto op = dyn_cast<linalg::LinalgOp>(raw);
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || !linalg::isaContractionOpInterface(op))
    return false;
  Type element = getElementTypeOrSelf(op.getDpsInitOperand(0)->get());
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
    return false;
  for (Value input : op.getDpsInputs())
    if (!isa<RankedTensorType>(input.getType()) ||
        getElementTypeOrSelf(input) != element)
      return false;

  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (AffineMap map : maps)
    if (!map.isProjectedPermutation())
      return false;
  auto isIn = [&](unsigned loop, unsigned operand) {
    return maps[operand].isFunctionOfDim(loop);
  };
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (isIn(loop, 0) + isIn(loop, 1) + isIn(loop, 2) < 2)
      return false;
  // BLAS steps through memory element by element in one m, n or k loop of each
  // operand, and those of one kind must be the same loop.
  std::optional<unsigned> kinds[3];
  for (unsigned operand = 0; operand < 3; ++operand) {
    std::optional<unsigned> loop = getUnitLoop(
        maps[operand], cast<ShapedType>(op->getOperand(operand).getType()));
    if (!loop)
      continue;
    if (isIn(*loop, 0) && isIn(*loop, 1) && isIn(*loop, 2))
      return false;
    unsigned kind = !isIn(*loop, 0) ? 0 : !isIn(*loop, 1) ? 1 : 2;
    if (kinds[kind].value_or(*loop) != *loop)
      return false;
    kinds[kind] = loop;
  }
  return true;
}

bool comm::isLocal(Operation *op) {
  if (op->getNumResults() == 0 || isFree(op) || isGemm(op) || isView(op) ||
      !llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return false;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasPureTensorSemantics();
  if (isa<tensor::ExtractSliceOp, tensor::InsertOp, tensor::InsertSliceOp>(op))
    return true;
  // Where sizes are static, their shape is no question.
  auto isStatic = [](Type type) {
    return cast<RankedTensorType>(type).hasStaticShape();
  };
  return OpTrait::hasElementwiseMappableTraits(op) ||
         (isa<tensor::TensorDialect>(op->getDialect()) &&
          llvm::all_of(op->getResultTypes(), isStatic));
}

OpOperand *comm::getInit(OpResult result) {
  Operation *op = result.getOwner();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.getDpsInitOperand(result.getResultNumber());
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return &insert.getDestMutable();
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return &insert.getDestMutable();
  return nullptr;
}

SmallVector<KernelGroup> comm::groupLocalOps(Block &block) {
  SmallVector<KernelGroup> groups;
  DenseMap<Operation *, unsigned> groupOf;

  /// The one group of all users, if there is one with room.
  auto getGroupOfUsers = [&](Operation *op) -> std::optional<unsigned> {
    std::optional<unsigned> common;
    for (Operation *user : op->getUsers()) {
      auto found = groupOf.find(block.findAncestorOpInBlock(*user));
      if (found == groupOf.end() ||
          common.value_or(found->second) != found->second)
        return std::nullopt;
      common = found->second;
    }
    if (common && groups[*common].ops.size() >= maxGroupSize)
      return std::nullopt;
    return common;
  };

  for (Operation &op : llvm::reverse(block)) {
    bool local = isLocal(&op);
    // A reshape finds its sizes in memory, and is done by the schedule alone.
    if (!local && (!isView(&op) || isa<tensor::ReshapeOp>(op)))
      continue;
    std::optional<unsigned> group = getGroupOfUsers(&op);
    if (!group) {
      // A view alone copies nothing, and needs no kernel.
      if (!local)
        continue;
      group = groups.size();
      groups.emplace_back();
    }
    groupOf[&op] = *group;
    groups[*group].ops.push_back(&op);
  }

  // What only looks at a value from outside stays outside.
  for (auto [number, group] : llvm::enumerate(groups)) {
    std::reverse(group.ops.begin(), group.ops.end());
    llvm::erase_if(group.ops, [&, number = number](Operation *op) {
      if (!isView(op))
        return false;
      Operation *source = op->getOperand(0).getDefiningOp();
      auto found = groupOf.find(source);
      if (source && found != groupOf.end() && found->second == number)
        return false;
      groupOf.erase(op);
      return true;
    });
  }
  std::reverse(groups.begin(), groups.end());
  return groups;
}
