//===- Scheduler.h - A function from tensors to memrefs --------*- C++ -*--===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_SCHEDULER_H
#define COMM_LIB_CONVERSION_SCHEDULER_H

#include "Buffers.h"
#include "Kernels.h"
#include "comm/IR/Comm.h"

namespace mlir::comm {

/// Whether the value is a tensor, or was one that has no memory yet.
inline bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

/// Whether the op can overwrite its operand with its result.
bool keepsShape(CollectiveOpInterface op);

/// Rewrites one function: visits its ops once, in order.
class Scheduler {
public:
  Scheduler(func::FuncOp function, const SymbolTable &symbols,
            Constants &constants)
      : function(function), symbols(symbols), buffers(function, constants),
        builder(buffers.getBuilder()) {}

  /// Fails where an op has no lowering: then it has said so.
  LogicalResult run();

private:
  void assignBlock(Block &block);
  void markEscaping(Block &block);
  void assign(Operation *op);
  void assignTerminator(Operation *op);
  void assignRegions(Operation *op);
  void assignCall(func::CallOp op);
  void assignKernel(func::CallOp op, func::FuncOp kernel);
  void assignGemm(linalg::LinalgOp op);
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

} // namespace mlir::comm

#endif // COMM_LIB_CONVERSION_SCHEDULER_H
