//===- ScheduleSteps.cpp - Memory of the steps of a schedule --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

using namespace mlir;
using namespace mlir::comm;
using linalg::LinalgOp;

bool comm::keepsShape(CollectiveOpInterface op) {
  if (isa<AllReduceOp, BroadcastOp, PermuteOp, ReduceOp>(op))
    return true;
  // The runtime moves the chunks of equal dims within one buffer.
  auto exchange = dyn_cast<AllToAllOp>(op.getOperation());
  return exchange && exchange.getSplitDim() == exchange.getConcatDim();
}

/// The memory of `result`, with the elements of `init` where it has some.
Buffers::Binding Scheduler::getDestination(OpOperand &init, Value result) {
  Location loc = init.getOwner()->getLoc();
  auto type = cast<RankedTensorType>(result.getType());
  bool escapes = buffers.isEscaping(result);
  if (auto empty = init.get().getDefiningOp<tensor::EmptyOp>())
    return buffers.allocate(loc, type, empty.getDynamicSizes(), escapes);
  Buffers::Binding before = buffers.get(init.get());
  if (buffers.isLastUse(init))
    return before;
  Buffers::Binding copy =
      buffers.allocateLike(loc, type, before.memref, escapes);
  memref::CopyOp::create(builder, loc, before.memref, copy.memref);
  return copy;
}

void Scheduler::assignKernel(func::CallOp op, func::FuncOp kernel) {
  unsigned numInputs = op.getNumOperands() - op.getNumResults();
  SmallVector<Value> operands =
      getMemRefs(op.getOperands().take_front(numInputs));
  SmallVector<Buffers::Binding> results;
  for (OpResult result : op->getResults()) {
    OpOperand &init = op->getOpOperand(numInputs + result.getResultNumber());
    results.push_back(getDestination(init, result));
    operands.push_back(results.back().memref);
  }
  for (Type type : kernel.getArgumentTypes().drop_front(op.getNumOperands()))
    operands.push_back(
        buffers.allocateScratch(op.getLoc(), cast<MemRefType>(type)));
  auto call = func::CallOp::create(builder, op.getLoc(), kernel, operands);
  call->setAttr(kKernelAttrName, builder.getUnitAttr());
  for (auto [result, binding] : llvm::zip_equal(op->getResults(), results))
    buffers.bind(result, binding);
  replaced.push_back(op);
}

void Scheduler::assignGemm(LinalgOp op) {
  Location loc = op->getLoc();
  OpOperand &init = *op.getDpsInitOperand(0);
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<Value> operands = getMemRefs(op.getDpsInputs());
  Buffers::Binding binding;
  if (isZeroFill(init.get())) {
    SmallVector<Value> sizes;
    Value number;
    if (auto fill = init.get().getDefiningOp<linalg::FillOp>()) {
      number = fill.getInputs()[0];
      sizes = fill.getOutputs()[0]
                  .getDefiningOp<tensor::EmptyOp>()
                  .getDynamicSizes();
    } else {
      number = arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(type.getElementType()));
    }
    binding = buffers.allocate(loc, type, sizes, buffers.isEscaping(result));
    linalg::FillOp::create(builder, loc, number, binding.memref);
  } else {
    binding = getDestination(init, result);
  }
  operands.push_back(binding.memref);
  clone(builder, op.getOperation(), TypeRange(), operands);
  buffers.bind(result, binding);
  replaced.push_back(op);
}

void Scheduler::assignCollective(CollectiveOpInterface op) {
  Location loc = op.getLoc();
  // On memrefs already.
  if (!isTensor(op.getInputValue()) && op->getNumResults() == 0)
    return;
  if (auto send = dyn_cast<SendOp>(op.getOperation())) {
    if (isTensor(send.getInput()))
      send->setOperand(0, buffers.get(send.getInput()).memref);
    return;
  }
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  bool escapes = buffers.isEscaping(result);
  Value input;
  Buffers::Binding binding;
  if (auto recv = dyn_cast<RecvOp>(op.getOperation())) {
    input = recv.getMessage();
    // Shapes are the same on all ranks: what this rank would send.
    binding =
        buffers.allocateLike(loc, type, recv.getSend().getInput(), escapes);
  } else {
    OpOperand &operand = op->getOpOperand(0);
    Buffers::Binding from = buffers.get(operand.get());
    input = from.memref;
    if (keepsShape(op) && buffers.isLastUse(operand)) {
      binding = from;
    } else {
      SmallVector<Value> sizes;
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        if (!type.isDynamicDim(dim))
          continue;
        Value size = memref::DimOp::create(builder, loc, input, dim);
        if (dim == 0 && isa<AllGatherOp, GatherOp, ReduceScatterOp, ScatterOp>(
                            op.getOperation())) {
          Value ranks = arith::ConstantIndexOp::create(
              builder, loc, comm::getGroupSize(op, op.getGroup()));
          if (isa<AllGatherOp, GatherOp>(op.getOperation()))
            size = arith::MulIOp::create(builder, loc, size, ranks);
          else
            size = arith::DivUIOp::create(builder, loc, size, ranks);
        }
        sizes.push_back(size);
      }
      binding = buffers.allocate(loc, type, sizes, escapes);
    }
  }
  OperationState state(loc, op->getName(), {input, binding.memref}, TypeRange(),
                       op->getAttrs());
  builder.create(state);
  buffers.bind(result, binding);
  replaced.push_back(op);
}

/// A view of `source` with the sizes that lie in `shape`: upstream lowers
/// memref.reshape in few cases.
static Value createReshape(OpBuilder &builder, Location loc, MemRefType type,
                           Value source, Value shape) {
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> sizes(rank), strides(rank);
  OpFoldResult stride = builder.getIndexAttr(1);
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    sizes[dim] = builder.getIndexAttr(type.getDimSize(dim));
    if (type.isDynamicDim(dim)) {
      Value number = arith::ConstantIndexOp::create(builder, loc, dim);
      Value size = memref::LoadOp::create(builder, loc, shape, number);
      if (!size.getType().isIndex())
        size = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                          size);
      sizes[dim] = size;
    }
    std::optional<int64_t> known = getConstantIntValue(stride);
    if (known && !type.isDynamicDim(dim))
      stride = builder.getIndexAttr(*known * type.getDimSize(dim));
    else
      stride = arith::MulIOp::create(
                   builder, loc,
                   getValueOrCreateConstantIndexOp(builder, loc, stride),
                   getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]))
                   .getResult();
  }
  return memref::ReinterpretCastOp::create(
      builder, loc, type, source, builder.getIndexAttr(0), sizes, strides);
}

void Scheduler::assignView(Operation *op) {
  Location loc = op->getLoc();
  Buffers::Binding source = buffers.get(op->getOperand(0));
  MemRefType type = getMemRefType(op->getResult(0).getType());
  Value view;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    view = memref::ExpandShapeOp::create(builder, loc, type, source.memref,
                                         expand.getReassociationIndices(),
                                         expand.getMixedOutputShape());
  else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    view = memref::CollapseShapeOp::create(builder, loc, type, source.memref,
                                           collapse.getReassociationIndices());
  else if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
    view = createReshape(builder, loc, type, source.memref,
                         buffers.get(reshape.getShape()).memref);
  else
    view = memref::CastOp::create(builder, loc, type, source.memref);
  buffers.bind(op->getResult(0), source.buffer, view);
  replaced.push_back(op);
}

void Scheduler::assignExtract(tensor::ExtractOp op) {
  Value element = memref::LoadOp::create(builder, op.getLoc(),
                                         buffers.get(op.getTensor()).memref,
                                         op.getIndices());
  op.getResult().replaceAllUsesWith(element);
  replaced.push_back(op);
}

void Scheduler::assignDim(tensor::DimOp op) {
  Value size = memref::DimOp::create(
      builder, op.getLoc(), buffers.get(op.getSource()).memref, op.getIndex());
  op.getResult().replaceAllUsesWith(size);
  replaced.push_back(op);
}
