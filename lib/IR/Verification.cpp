//===- Verification.cpp - Checks that several collectives share -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"

using namespace mlir;
using namespace mlir::comm;

std::string comm::formatAxes(AxesAttr axes) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "[";
  llvm::interleaveComma(axes.getAxes(), stream);
  stream << "]";
  return text;
}

void comm::getGroupOpEffects(
    Operation *op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), RanksResource::get());
  bool ordersRanks = isa<SendOp, RecvOp, BarrierOp>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    ordersRanks = true;
    // Operand 0 is the input, which an op in place writes as well; operand 1 is
    // the destination. A message is no memref.
    bool isDest = operand.getOperandNumber() == 1;
    bool inPlace = op->getNumOperands() == 1 && !isa<SendOp>(op);
    if (!isDest)
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isDest || inPlace)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
  if (ordersRanks)
    effects.emplace_back(MemoryEffects::Write::get(), RanksResource::get());
}

LogicalResult comm::verifyAxes(Operation *from, AxesAttr axes,
                               const Twine &where) {
  MeshOp mesh = lookupMesh(from, axes);
  // axes_c3
  if (!mesh)
    return from->emitError()
           << where << " over " << axes.getMesh()
           << ", which is not a mesh of the module: write 'comm.mesh "
           << axes.getMesh() << " [axis = size]'";
  for (StringAttr axis : axes.getAxes())
    if (!mesh.getAxisPosition(axis)) {
      InFlightDiagnostic error = from->emitError()
                                 << where << " over axis '" << axis.getValue()
                                 << "', which " << axes.getMesh()
                                 << " does not have";
      error.attachNote(mesh.getLoc()) << "the mesh is here";
      return error;
    }
  return success();
}

LogicalResult comm::verifyInFunction(Operation *op) {
  if (op->getParentOfType<FunctionOpInterface>())
    return success();
  return op->emitOpError("stands outside of any function");
}

LogicalResult comm::verifyGroupSymbol(Operation *op,
                                      SymbolTableCollection &symbols) {
  if (failed(verifyInFunction(op)))
    return failure();
  auto axes = cast_or_null<AxesAttr>(
      Attribute(cast<ReplicationOpInterface>(op).getGroupAxes()));
  // A receive whose operand is no message of a send: its verifier says so.
  if (!axes)
    return success();
  auto mesh = symbols.lookupNearestSymbolFrom<MeshOp>(op, axes.getMesh());
  bool known = mesh &&
               mesh.getAxisNames().size() == mesh.getAxisSizes().size() &&
               llvm::all_of(axes.getAxes(), [&](StringAttr axis) {
                 return mesh.getAxisPosition(axis).has_value();
               });
  if (!known)
    return verifyAxes(op, axes, "'" + op->getName().getStringRef() + "' op is");
  auto collective = dyn_cast<CollectiveOpInterface>(op);
  return collective ? collective.verifyGroup(mesh.getGroupSize(axes))
                    : success();
}

LogicalResult comm::verifyForm(CollectiveOpInterface op, bool needsDest) {
  bool isMemRef = isa<BaseMemRefType>(op.getInputValue().getType());
  if (isMemRef && op->getNumResults() != 0)
    return op->emitOpError("on a memref has no result");
  if (!isMemRef && op.getDestValue())
    return op->emitOpError("on a tensor has no destination");
  if (!isMemRef && op->getNumResults() == 0)
    return op->emitOpError("on a tensor has a result");
  if (isMemRef && needsDest && !op.getDestValue())
    return op->emitOpError("changes the shape and needs a destination");
  return success();
}

LogicalResult comm::verifySameType(CollectiveOpInterface op) {
  auto input = cast<ShapedType>(op.getInputValue().getType());
  ShapedType output = op.getOutputType();
  bool same = isa<BaseMemRefType>(input)
                  ? input.getShape() == output.getShape() &&
                        input.getElementType() == output.getElementType()
                  : input == output;
  if (same)
    return success();
  return op->emitOpError("expects a result of the operand's type ")
         << input << ", got " << output;
}

LogicalResult comm::verifyDim(CollectiveOpInterface op, int64_t dim,
                              StringRef name) {
  int64_t rank = cast<ShapedType>(op.getInputValue().getType()).getRank();
  if (dim >= 0 && dim < rank)
    return success();
  return op->emitOpError() << name << " (" << dim
                           << ") is not a dimension of an operand of rank "
                           << rank;
}

LogicalResult comm::verifyRankInGroup(CollectiveOpInterface op, int64_t rank,
                                      int64_t groupSize, StringRef name) {
  if (rank >= 0 && rank < groupSize)
    return success();
  return op->emitOpError() << name << " (" << rank
                           << ") is not a rank of a group of " << groupSize
                           << " over axes " << formatAxes(op.getGroup());
}

LogicalResult comm::verifyDivisible(CollectiveOpInterface op, int64_t dim,
                                    int64_t groupSize) {
  auto input = cast<ShapedType>(op.getInputValue().getType());
  if (input.isDynamicDim(dim) || input.getDimSize(dim) % groupSize == 0)
    return success();
  return op->emitOpError("operand dimension ")
         << dim << " (" << input.getDimSize(dim)
         << ") is not divisible by the group size (" << groupSize
         << ") of axes " << formatAxes(op.getGroup());
}

LogicalResult comm::verifyResized(CollectiveOpInterface op, int64_t groupSize,
                                  std::optional<int64_t> divided,
                                  std::optional<int64_t> multiplied) {
  auto input = cast<ShapedType>(op.getInputValue().getType());
  ShapedType output = op.getOutputType();
  if (input.getElementType() != output.getElementType())
    return op->emitOpError("expects a result of element type ")
           << input.getElementType() << ", got " << output.getElementType();
  if (input.getRank() != output.getRank())
    return op->emitOpError("expects a result of rank ")
           << input.getRank() << ", got " << output.getRank();
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    if (output.isDynamicDim(dim))
      continue;
    if (multiplied == dim && output.getDimSize(dim) % groupSize != 0 &&
        input.isDynamicDim(dim))
      return op->emitOpError("expects result dimension ")
             << dim << " to be a multiple of the group size (" << groupSize
             << ") of axes " << formatAxes(op.getGroup()) << ", got "
             << output.getDimSize(dim);
    if (input.isDynamicDim(dim))
      continue;
    int64_t expected = input.getDimSize(dim);
    if (divided == dim)
      expected /= groupSize;
    if (multiplied == dim && llvm::MulOverflow(expected, groupSize, expected))
      return op->emitOpError("result dimension ") << dim << " overflows";
    if (output.getDimSize(dim) != expected)
      return op->emitOpError("expects result dimension ")
             << dim << " to be " << expected << ", got "
             << output.getDimSize(dim) << " (operand dimension "
             << input.getDimSize(dim) << ", group size " << groupSize
             << " of axes " << formatAxes(op.getGroup()) << ")";
  }
  return success();
}

LogicalResult comm::verifyAdditive(CollectiveOpInterface op,
                                   ReductionKind reduction) {
  Type element =
      cast<ShapedType>(op.getInputValue().getType()).getElementType();
  if (reduction != ReductionKind::Sum && reduction != ReductionKind::Avg)
    return op->emitOpError("expects the reduction 'sum' or 'avg', got '")
           << stringifyReductionKind(reduction) << "'";
  if (reduction == ReductionKind::Avg && !isa<FloatType>(element))
    return op->emitOpError("reduction 'avg' needs a float element type, got ")
           << element;
  if (element.isInteger(1))
    return op->emitOpError("reduction 'sum' of i1 is not defined, use "
                           "'comm.all_reduce or'");
  return success();
}
