//===- AssignBuffers.cpp - The schedule from tensors to memrefs -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "Kernels.h"
#include "comm/Conversion/Passes.h"
#include "comm/IR/Comm.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace mlir::comm {
#define GEN_PASS_DEF_ASSIGNBUFFERS
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;
using linalg::LinalgOp;

static bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

static Type toMemRef(Type type) {
  return isa<RankedTensorType>(type) ? Type(getMemRefType(type)) : type;
}

static SmallVector<Type> toMemRefs(TypeRange types) {
  return llvm::map_to_vector(types, toMemRef);
}

/// Whether the op can overwrite its operand with its result.
static bool keepsShape(CollectiveOpInterface op) {
  if (isa<AllReduceOp, BroadcastOp, PermuteOp, ReduceOp>(op))
    return true;
  // The runtime moves the chunks of equal dims within one buffer.
  auto exchange = dyn_cast<AllToAllOp>(op.getOperation());
  return exchange && exchange.getSplitDim() == exchange.getConcatDim();
}

namespace {

/// Rewrites one function: visits its ops once, in order.
class Scheduler {
public:
  Scheduler(func::FuncOp function, const SymbolTable &symbols,
            Constants &constants)
      : function(function), symbols(symbols), buffers(function, constants),
        builder(buffers.getBuilder()) {}

  LogicalResult run();

private:
  void assignBlock(Block &block);
  void markEscaping(Block &block);
  void assign(Operation *op);
  void assignTerminator(Operation *op);
  void assignRegions(Operation *op);
  void assignCall(func::CallOp op);
  void assignKernel(func::CallOp op, func::FuncOp kernel);
  void assignGemm(LinalgOp op);
  void assignCollective(CollectiveOpInterface op);
  void assignView(Operation *op);
  void assignExtract(tensor::ExtractOp op);
  void assignDim(tensor::DimOp op);

  func::FuncOp getKernel(Operation *op);
  SmallVector<Value> getMemRefs(ValueRange values);
  Buffers::Binding getDestination(OpOperand &init, Value result);
  void bindResults(Operation *op, ValueRange results);

  func::FuncOp function;
  const SymbolTable &symbols;
  Buffers buffers;
  OpBuilder &builder;
  /// The ops on tensors, which have been replaced.
  SmallVector<Operation *> replaced;
  bool isGood = true;
};

} // namespace

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

func::FuncOp Scheduler::getKernel(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return {};
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  return callee && isKernel(callee) ? callee : func::FuncOp();
}

/// Finds what is passed on by a terminator or to a region, and what may lie in
/// the same memory before.
void Scheduler::markEscaping(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    auto mark = [&](ValueRange values) {
      for (Value value : values)
        if (isTensor(value))
          buffers.markEscaping(value);
    };
    bool isRegionOp = op.getNumRegions() != 0 && !isa<LinalgOp>(op);
    if (op.hasTrait<OpTrait::IsTerminator>() || isRegionOp) {
      mark(op.getOperands());
      continue;
    }
    for (OpResult result : op.getResults()) {
      if (!buffers.isEscaping(result))
        continue;
      if (func::FuncOp kernel = getKernel(&op))
        mark(op.getOperand(op.getNumOperands() - op.getNumResults() +
                           result.getResultNumber()));
      else if (auto linalgOp = dyn_cast<LinalgOp>(op))
        mark(linalgOp.getDpsInits());
      else if (isView(&op))
        mark(op.getOperand(0));
      else if (auto collective = dyn_cast<CollectiveOpInterface>(op);
               collective && keepsShape(collective))
        mark(op.getOperand(0));
    }
  }
}

void Scheduler::assignBlock(Block &block) {
  markEscaping(block);
  Buffers::Scope scope(buffers, block);
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  buffers.visit(ops.front());
  for (BlockArgument argument : block.getArguments()) {
    if (!isTensor(argument))
      continue;
    // Stands for the tensor until the ops that use it have been replaced.
    auto tensor = bufferization::ToTensorOp::create(
        builder, argument.getLoc(), argument.getType(), argument);
    argument.replaceAllUsesExcept(tensor, tensor);
    argument.setType(toMemRef(argument.getType()));
    if (block.getParentOp() == function)
      buffers.bindBorrowed(tensor, argument);
    else
      buffers.bindOwned(tensor, argument);
    replaced.push_back(tensor);
  }
  for (Operation *op : ops) {
    buffers.visit(op);
    if (op->hasTrait<OpTrait::IsTerminator>()) {
      assignTerminator(op);
    } else {
      assign(op);
      builder.setInsertionPointAfter(op);
    }
    buffers.releaseDead();
  }
}

void Scheduler::assign(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    if (func::FuncOp kernel = getKernel(op))
      assignKernel(call, kernel);
    else
      assignCall(call);
  } else if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
    assignCollective(collective);
  } else if (isGemm(op)) {
    assignGemm(cast<LinalgOp>(op));
  } else if (isView(op)) {
    assignView(op);
  } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    assignExtract(extract);
  } else if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    assignDim(dim);
  } else if (isFree(op) || isa<arith::ConstantOp>(op)) {
    // Memory is found where it is used.
    if (isTensor(op->getResult(0)))
      replaced.push_back(op);
  } else if (op->getNumRegions() != 0 && !isa<LinalgOp>(op)) {
    assignRegions(op);
  } else if (llvm::any_of(op->getOperands(), isTensor) ||
             llvm::any_of(op->getResults(), isTensor)) {
    op->emitOpError("has no lowering to the host");
    isGood = false;
    for (Value result : op->getResults())
      if (isTensor(result))
        buffers.bindBorrowed(result, result);
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

SmallVector<Value> Scheduler::getMemRefs(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) {
    return isTensor(value) ? buffers.get(value).memref : value;
  });
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

void Scheduler::bindResults(Operation *op, ValueRange results) {
  for (auto [from, to] : llvm::zip_equal(op->getResults(), results)) {
    if (isTensor(from))
      buffers.bindOwned(from, to);
    else
      from.replaceAllUsesWith(to);
  }
  replaced.push_back(op);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

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

void Scheduler::assignCall(func::CallOp op) {
  if (!llvm::any_of(op->getOperands(), isTensor) &&
      !llvm::any_of(op->getResults(), isTensor))
    return;
  auto call = func::CallOp::create(builder, op.getLoc(), op.getCallee(),
                                   toMemRefs(op.getResultTypes()),
                                   getMemRefs(op.getOperands()));
  bindResults(op, call.getResults());
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
    view = memref::ReshapeOp::create(builder, loc, type, source.memref,
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

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void Scheduler::assignTerminator(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isTensor(operand.get()))
      operand.set(buffers.passOn(operand));
}

/// Tensors that enter a region, or leave it, bring their memory with them.
void Scheduler::assignRegions(Operation *op) {
  Operation *assigned = op;
  if (llvm::any_of(op->getOperands(), isTensor) ||
      llvm::any_of(op->getResults(), isTensor)) {
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(isTensor(operand.get()) ? buffers.passOn(operand)
                                                 : operand.get());
    OperationState state(op->getLoc(), op->getName(), operands,
                         toMemRefs(op->getResultTypes()), op->getAttrs());
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      state.addRegion();
    assigned = builder.create(state);
    for (auto [from, to] :
         llvm::zip_equal(op->getRegions(), assigned->getRegions()))
      to.takeBody(from);
    buffers.replaceVisited(assigned);
  }
  for (Region &region : assigned->getRegions())
    for (Block &block : region)
      assignBlock(block);
  if (assigned != op)
    bindResults(op, assigned->getResults());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult Scheduler::run() {
  assignBlock(function.front());
  if (!isGood)
    return failure();
  for (Operation *op : replaced)
    op->dropAllReferences();
  for (Operation *op : replaced)
    op->erase();
  buffers.finish();
  function.setType(FunctionType::get(
      function.getContext(), function.front().getArgumentTypes(),
      function.front().getTerminator()->getOperandTypes()));
  return success();
}

namespace {
struct AssignBuffers : comm::impl::AssignBuffersBase<AssignBuffers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> kernels, schedules;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (isKernel(function))
        kernels.push_back(function);
      else if (!function.isExternal())
        schedules.push_back(function);
    }
    if (failed(bufferizeKernels(kernels)))
      return signalPassFailure();
    Constants constants(module);
    SymbolTable symbols(module);
    for (func::FuncOp schedule : schedules)
      if (failed(Scheduler(schedule, symbols, constants).run()))
        return signalPassFailure();
  }
};
} // namespace
