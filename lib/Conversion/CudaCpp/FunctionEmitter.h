//===- FunctionEmitter.h - The host's part of a program -*- C++ -*-
//---------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_CUDACPP_FUNCTIONEMITTER_H
#define COMM_LIB_CONVERSION_CUDACPP_FUNCTIONEMITTER_H

#include "Emitter.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::comm::cudacpp {

/// Prints a function of the host. Work on memory is given to one of two
/// streams; one waits for the other where both have to do with a buffer.
class FunctionEmitter : public Emitter {
public:
  FunctionEmitter(Program &program, func::FuncOp function)
      : Emitter(program, /*indent=*/0), function(function) {}

  FunctionText run();

private:
  bool emitOther(Operation *op) override;
  void beginRegions() override { waitForCommunication(); }
  void beginBlock() override { hasComputed = true; }
  void endBlock() override { waitForCommunication(); }
  void endRegions() override { hasComputed = true; }

  // Streams.
  void compute(ValueRange memrefs);
  void communicate(ValueRange memrefs);
  void waitForCommunication();

  // The interface.
  void findNames();
  SmallVector<std::string> getParameters();
  void findResultParameters();
  void emitReturn(func::ReturnOp op);
  void emitCall(func::CallOp op);
  void emitCheck(func::CallOp op);

  // Memory and kernels.
  void check(StringRef kind, const Twine &call);
  std::string getBytes(Value memref);
  void allocate(Value memref, StringRef otherwise);
  void emitView(memref::ViewOp op);
  void emitGlobal(memref::GetGlobalOp op);
  void emitFree(memref::DeallocOp op);
  void emitCopy(memref::CopyOp op);
  void emitRead(memref::LoadOp op);
  void emitWrite(memref::StoreOp op);
  void emitLaunch(gpu::LaunchFuncOp op);
  std::string getAddress(Value pointer);
  Value getMemRef(Value pointer);
  void emitGemm(LLVM::CallOp op);

  // Collectives.
  struct Transfer;
  void emitCollective(CollectiveOpInterface op);
  bool emitOwnReduction(CollectiveOpInterface op, const Transfer &transfer);
  void emitMessage(CollectiveOpInterface op);
  std::string getCommunicator(AxesAttr axes);
  Transfer getTransfer(CollectiveOpInterface op);
  void comment(Operation *op, StringRef what);

  func::FuncOp function;
  /// Whether the compute stream has had work that communication does not wait
  /// for yet.
  bool hasComputed = true;
  /// The buffers that the communication stream has to do with, and compute does
  /// not wait for yet; null for one that is not known.
  DenseSet<Value> inCommunication;
  /// The names of the parameters.
  SmallVector<std::string> argumentNames, resultNames;
  /// Memory that is a result, from the start: the caller's.
  DenseMap<Value, std::string> resultMemory;
  DenseMap<Value, unsigned> resultNumbers;
};

/// Whether a memref never has an element: it has no memory then, and what is
/// moved from or to it is nothing.
bool isEmpty(Value memref);

/// The parameters of a function's results: a buffer of the caller's where the
/// size is known, else where the buffer and its sizes are put.
bool isCallersBuffer(Type result);

} // namespace mlir::comm::cudacpp

#endif // COMM_LIB_CONVERSION_CUDACPP_FUNCTIONEMITTER_H
