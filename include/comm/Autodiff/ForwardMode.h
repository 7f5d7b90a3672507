//===- ForwardMode.h - Pushing tangents forward -----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_AUTODIFF_FORWARDMODE_H
#define COMM_AUTODIFF_FORWARDMODE_H

#include "comm/Analysis/ActivityAnalysis.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "comm/Interfaces/RegionTangentOpInterface.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::comm {

/// Emits the tangent of an op: by its own rule, or else by its adjoint,
/// transposed. `op` stands in a function, `builder` after it. One value per
/// result, null where it is zero. Failure, after an error at the op, only where
/// the adjoint cannot be transposed: it is not linear in the cotangents, or
/// written with ops that have no adjoint.
FailureOr<SmallVector<Value>> emitTangent(OpBuilder &builder,
                                          AdjointOpInterface op,
                                          const Primals &primals,
                                          ValueRange tangents);

/// The same, always by the adjoint.
FailureOr<SmallVector<Value>> emitTransposedAdjoint(OpBuilder &builder,
                                                    AdjointOpInterface op,
                                                    const Primals &primals,
                                                    ValueRange tangents);

/// Copies code with the tangents of its active values, each right behind its
/// primal, so that collectives and messages keep the order of the primal
/// program.
class ForwardMode : public TangentDriver {
public:
  /// Emits at the insertion point of `builder`. `functions` is null where there
  /// are no calls.
  ForwardMode(OpBuilder &builder, const ActivityAnalysis &activity,
              TangentFunctions *functions)
      : builder(builder), activity(activity), functions(functions) {}

  OpBuilder &getBuilder() override { return builder; }
  TangentFunctions &getFunctions() override { return *functions; }
  bool isActive(Value value) const override { return activity.isActive(value); }
  Value getPrimal(Value value) const override {
    return primals.lookupOrDefault(value);
  }
  Value getTangent(Value value) const override {
    return tangents.lookup(value);
  }
  Value getTangentOrZero(Value value) override;
  void setPrimal(Value value, Value copy) override { primals.map(value, copy); }
  void setTangent(Value value, Value tangent) override {
    tangents[value] = tangent;
  }
  LogicalResult emitBody(Block &block) override;

private:
  LogicalResult emitOp(Operation &op);

  OpBuilder &builder;
  const ActivityAnalysis &activity;
  TangentFunctions *functions;
  IRMapping primals;
  DenseMap<Value, Value> tangents;
};

} // namespace mlir::comm

#endif // COMM_AUTODIFF_FORWARDMODE_H
