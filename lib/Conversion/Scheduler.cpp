//===- Scheduler.cpp - A function from tensors to memrefs -----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace mlir::comm;
using linalg::LinalgOp;

static Type toMemRef(Type type) {
  return isa<RankedTensorType>(type) ? Type(getMemRefType(type)) : type;
}

static SmallVector<Type> toMemRefs(TypeRange types) {
  return llvm::map_to_vector(types, toMemRef);
}

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

/// Whether the op can stand between messages that go at once.
static bool isBetweenMessages(Operation *op) {
  if (isFree(op))
    return true;
  if (op->getNumRegions() != 0 || !isPure(op))
    return false;
  return isView(op) || isa<tensor::DimOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>() ||
         !llvm::any_of(llvm::concat<Value>(op->getOperands(), op->getResults()),
                       isTensor);
}

/// The ops behind which nothing is freed: neighbouring messages of several
/// channels go at once on a GPU (comm-group-messages) if none is received into
/// what another one sends.
static DenseSet<Operation *> findKept(Block &block) {
  DenseSet<Operation *> kept, sends;
  SmallVector<Operation *> run;
  size_t end = 0, channels = 0;
  auto close = [&] {
    if (channels > 1)
      kept.insert(run.begin(), run.begin() + end - 1);
    run.clear();
    sends.clear();
    end = channels = 0;
  };
  for (Operation &op : block) {
    auto send = dyn_cast<SendOp>(op);
    auto recv = dyn_cast<RecvOp>(op);
    if (!send && !recv) {
      if (!isBetweenMessages(&op))
        close();
      else if (!run.empty())
        run.push_back(&op);
      continue;
    }
    // What is received is sent on only then.
    if (send && llvm::is_contained(run, send.getInput().getDefiningOp()))
      close();
    run.push_back(&op);
    end = run.size();
    channels += send || !sends.contains(recv.getSend());
    if (send)
      sends.insert(send);
  }
  close();
  return kept;
}

void Scheduler::assignBlock(Block &block) {
  markEscaping(block);
  Buffers::Scope scope(buffers, block);
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  const DenseSet<Operation *> kept = findKept(block);
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
    if (kept.contains(op))
      buffers.keepDead();
    else
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
    op->emitOpError("has no lowering");
    isGood = false;
    for (Value result : op->getResults())
      if (isTensor(result))
        buffers.bindBorrowed(result, result);
  }
}

SmallVector<Value> Scheduler::getMemRefs(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) {
    return isTensor(value) ? buffers.get(value).memref : value;
  });
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

void Scheduler::assignCall(func::CallOp op) {
  if (!llvm::any_of(op->getOperands(), isTensor) &&
      !llvm::any_of(op->getResults(), isTensor))
    return;
  auto call = func::CallOp::create(builder, op.getLoc(), op.getCallee(),
                                   toMemRefs(op.getResultTypes()),
                                   getMemRefs(op.getOperands()));
  bindResults(op, call.getResults());
}

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
