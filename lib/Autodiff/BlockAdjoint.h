//===- BlockAdjoint.h - The adjoint of a block ------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_AUTODIFF_BLOCKADJOINT_H
#define COMM_LIB_AUTODIFF_BLOCKADJOINT_H

#include "Residuals.h"
#include "comm/Autodiff/ReverseMode.h"

namespace mlir::comm {

class FunctionAdjoint;

/// The adjoint of a function's body or of a block of a region op in it.
class DrivenBlock : public BlockAdjoint {
public:
  DrivenBlock(Block &block, FunctionAdjoint &function, ValueRange given,
              llvm::function_ref<bool(Value)> canKeep)
      : block(block), function(function), residuals(block, given, canKeep) {}

  /// Replaces the calls and region ops on a path by their forwards and plans
  /// what is kept. `sized` are tensors whose sizes the backward reads. Failure
  /// after errors, all that stand in the way at once.
  LogicalResult prepare(ValueRange sized);

  ArrayRef<Value> getCaptures() const override { return captures; }
  ArrayRef<Value> getKept() const override { return residuals.getKept(); }
  ArrayRef<Value> getRead() const override { return residuals.getRead(); }
  SmallVector<OpFoldResult> emitSizes(OpBuilder &builder, IRMapping &primals,
                                      Value tensor) const override {
    return residuals.lookupSizes(builder, primals, tensor);
  }
  Cotangents emitBackward(OpBuilder &builder, IRMapping &primals,
                          ValueRange seeds, ValueRange sums) const override;

private:
  /// The forward of a call or region op, by the op that computes the original's
  /// results.
  struct ReplacedOp {
    RegionForward rule;
    unsigned numResults;
  };

  LogicalResult emitForwards();
  void useCopy(Operation *copy, RegionForward &rule, unsigned numResults);
  void hoistSizes();
  void gatherResiduals();
  void gatherCaptures();
  void emitRegionBackward(OpBuilder &builder, IRMapping &primals, Operation *op,
                          const ReplacedOp &replaced,
                          ReverseMode &reverse) const;

  Block &block;
  FunctionAdjoint &function;
  Residuals residuals;
  DenseMap<Operation *, ReplacedOp> forwards;
  SmallVector<Value> captures;
};

/// The adjoint of a function while it is made: its blocks, and what its region
/// ops may ask for.
class FunctionAdjoint : public RegionAdjointContext {
public:
  /// `sources` and `sinks` are what is differentiated of the forward function.
  FunctionAdjoint(Block &body, ValueRange sources, ValueRange sinks,
                  AdjointDriver &driver)
      : activity(body, sources, sinks), driver(driver) {}

  ActivityAnalysis &getActivity() { return activity; }
  AdjointDriver &getDriver() override { return driver; }
  bool isActive(Value value) const override { return activity.isActive(value); }
  FailureOr<const BlockAdjoint *>
  prepareBlock(Block &block, ValueRange given, ValueRange sized,
               llvm::function_ref<bool(Value)> canKeep) override;

  /// Errors stand in the way: blocks are prepared only for theirs.
  void setInvalid() { isValid = false; }
  bool isInvalid() const { return !isValid; }

  /// Erases what was put into the forward function only for the backward to
  /// clone: asked once the backward stands.
  void eraseTemplates();
  void addTemplate(Operation *op) { templates.push_back(op); }

private:
  ActivityAnalysis activity;
  AdjointDriver &driver;
  bool isValid = true;
  std::vector<std::unique_ptr<DrivenBlock>> blocks;
  SmallVector<Operation *> templates;
};

} // namespace mlir::comm

#endif // COMM_LIB_AUTODIFF_BLOCKADJOINT_H
