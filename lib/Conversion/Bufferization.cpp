//===- Bufferization.cpp - How collectives get from tensors to memrefs ----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/Bufferization.h"

#include "RuntimeCalls.h"
#include "comm/IR/Comm.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::bufferization;

namespace {

/// On an op between the analysis and its bufferization: its operand's buffer
/// may not be written. Instead of copying the operand first, as ops in general
/// do, a collective then writes into a buffer of its own.
constexpr StringLiteral kOutOfPlace = "out_of_place";

bool isOnTensors(CollectiveOpInterface op) { return op->getNumResults() != 0; }

/// Whether the op can overwrite its operand with its result.
bool keepsShape(CollectiveOpInterface op) {
  if (isa<AllReduceOp, BroadcastOp, PermuteOp, ReduceOp>(op))
    return true;
  // The runtime moves the chunks of equal dims within one buffer.
  auto exchange = dyn_cast<AllToAllOp>(op.getOperation());
  return exchange && exchange.getSplitDim() == exchange.getConcatDim();
}

/// Allocates a memref of `type` of the size of `like`, but for dimension 0
/// where `size0` is given. Its deallocation is a later pass's.
FailureOr<Value> allocate(OpBuilder &builder, Location loc,
                          const BufferizationOptions &options, ShapedType type,
                          Value like, Value size0 = {}) {
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(dim == 0 && size0
                          ? size0
                          : memref::DimOp::create(builder, loc, like, dim));
  return options.createAlloc(
      builder, loc, MemRefType::get(type.getShape(), type.getElementType()),
      sizes);
}

/// A contiguous buffer with the elements of `buffer`: itself, or a copy.
FailureOr<Value> pack(OpBuilder &builder, Location loc,
                      const BufferizationOptions &options, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (isContiguous(type))
    return buffer;
  FailureOr<Value> packed = allocate(builder, loc, options, type, buffer);
  if (failed(packed) ||
      failed(options.createMemCpy(builder, loc, buffer, *packed)))
    return failure();
  return packed;
}

/// The size of dimension 0 of the result, which only a collective along
/// dimension 0 changes.
Value getResultSize0(OpBuilder &builder, CollectiveOpInterface op,
                     Value input) {
  Location loc = op.getLoc();
  if (!isa<AllGatherOp, GatherOp, ReduceScatterOp, ScatterOp>(op))
    return {};
  Value size = memref::DimOp::create(builder, loc, input, 0);
  Value ranks = arith::ConstantIndexOp::create(
      builder, loc, comm::getGroupSize(op, op.getGroup()));
  if (isa<AllGatherOp, GatherOp>(op))
    return arith::MulIOp::create(builder, loc, size, ranks);
  return arith::DivUIOp::create(builder, loc, size, ranks);
}

/// Replaces the tensor form by the memref form.
void replaceByMemRefForm(RewriterBase &rewriter, Operation *op,
                         ValueRange operands, ValueRange replacement) {
  OperationState state(op->getLoc(), op->getName(), operands, TypeRange{},
                       op->getAttrs());
  state.attributes.erase(kOutOfPlace);
  rewriter.create(state);
  replaceOpWithBufferizedValues(rewriter, op, replacement);
}

/// All collectives with a tensor and a memref form.
template <typename OpTy>
struct CollectiveModel
    : BufferizableOpInterface::ExternalModel<CollectiveModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }

  bool bufferizesToMemoryWrite(Operation *op, OpOperand &,
                               const AnalysisState &) const {
    return keepsShape(cast<CollectiveOpInterface>(op));
  }

  AliasingValueList getAliasingValues(Operation *op, OpOperand &,
                                      const AnalysisState &) const {
    if (!keepsShape(cast<CollectiveOpInterface>(op)) || !op->getNumResults())
      return {};
    return {{op->getResult(0), BufferRelation::Equivalent}};
  }

  bool bufferizesToAllocation(Operation *op, Value) const {
    return !keepsShape(cast<CollectiveOpInterface>(op));
  }

  LogicalResult resolveConflicts(Operation *op, RewriterBase &rewriter,
                                 const AnalysisState &state,
                                 const BufferizationState &) const {
    if (isOnTensors(cast<CollectiveOpInterface>(op)) &&
        !state.isInPlace(op->getOpOperand(0)))
      rewriter.modifyOpInPlace(
          op, [&] { op->setAttr(kOutOfPlace, rewriter.getUnitAttr()); });
    return success();
  }

  FailureOr<BufferLikeType>
  getBufferType(Operation *op, Value value, const BufferizationOptions &options,
                const BufferizationState &state,
                SmallVector<Value> &invocationStack) const {
    if (keepsShape(cast<CollectiveOpInterface>(op)) &&
        !op->hasAttr(kOutOfPlace))
      return bufferization::getBufferType(op->getOperand(0), options, state,
                                          invocationStack);
    auto type = cast<RankedTensorType>(value.getType());
    return cast<BufferLikeType>(
        MemRefType::get(type.getShape(), type.getElementType()));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto collective = cast<CollectiveOpInterface>(op);
    if (!isOnTensors(collective))
      return success();
    Location loc = op->getLoc();
    FailureOr<Value> buffer =
        getBuffer(rewriter, op->getOperand(0), options, state);
    if (failed(buffer))
      return failure();
    FailureOr<Value> input = pack(rewriter, loc, options, *buffer);
    if (failed(input))
      return failure();

    if (keepsShape(collective) && !op->hasAttr(kOutOfPlace)) {
      OperationState inPlace(loc, op->getName(), {*input, *input}, TypeRange{},
                             op->getAttrs());
      rewriter.create(inPlace);
      // The result is the operand's own buffer, strided as it is.
      if (*input != *buffer &&
          failed(options.createMemCpy(rewriter, loc, *input, *buffer)))
        return failure();
      replaceOpWithBufferizedValues(rewriter, op, *buffer);
      return success();
    }

    FailureOr<Value> output =
        allocate(rewriter, loc, options, collective.getOutputType(), *input,
                 getResultSize0(rewriter, collective, *input));
    if (failed(output))
      return failure();
    replaceByMemRefForm(rewriter, op, {*input, *output}, *output);
    return success();
  }
};

/// The message is no tensor: it stays, between a send and a recv on memrefs.
struct SendModel : BufferizableOpInterface::ExternalModel<SendModel, SendOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto send = cast<SendOp>(op);
    FailureOr<Value> buffer =
        getBuffer(rewriter, send.getInput(), options, state);
    if (failed(buffer))
      return failure();
    FailureOr<Value> input = pack(rewriter, op->getLoc(), options, *buffer);
    if (failed(input))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, *input); });
    return success();
  }
};

struct RecvModel : BufferizableOpInterface::ExternalModel<RecvModel, RecvOp> {
  bool bufferizesToAllocation(Operation *, Value) const { return true; }
  AliasingOpOperandList getAliasingOpOperands(Operation *, Value,
                                              const AnalysisState &) const {
    return {};
  }
  FailureOr<BufferLikeType> getBufferType(Operation *, Value value,
                                          const BufferizationOptions &,
                                          const BufferizationState &,
                                          SmallVector<Value> &) const {
    auto type = cast<RankedTensorType>(value.getType());
    return cast<BufferLikeType>(
        MemRefType::get(type.getShape(), type.getElementType()));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto recv = cast<RecvOp>(op);
    if (!recv.getResult())
      return success();
    // Shapes are the same on all ranks: what this rank would send.
    Value like = recv.getSend().getInput();
    if (isa<TensorType>(like.getType())) {
      FailureOr<Value> buffer = getBuffer(rewriter, like, options, state);
      if (failed(buffer))
        return failure();
      like = *buffer;
    }
    FailureOr<Value> output = allocate(rewriter, op->getLoc(), options,
                                       recv.getResult().getType(), like);
    if (failed(output))
      return failure();
    replaceByMemRefForm(rewriter, op, {recv.getMessage(), *output}, *output);
    return success();
  }
};

template <typename... Ops>
void attachModels(MLIRContext *context) {
  (Ops::template attachInterface<CollectiveModel<Ops>>(*context), ...);
}

} // namespace

void comm::registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CommDialect *) {
    attachModels<AllReduceOp, AllGatherOp, ReduceScatterOp, AllToAllOp,
                 PermuteOp, BroadcastOp, ReduceOp, GatherOp, ScatterOp>(
        context);
    SendOp::attachInterface<SendModel>(*context);
    RecvOp::attachInterface<RecvModel>(*context);
  });
}
