//===- CustomVjp.h - Adjoints that functions carry --------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_AUTODIFF_CUSTOMVJP_H
#define COMM_LIB_AUTODIFF_CUSTOMVJP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::comm {

/// The adjoint that a function f carries, `comm.custom_vjp`, verified.
///
///     forward(a...) -> (r..., residuals...)
///     backward(residuals..., dr...) -> (da...)
///
/// Of a rule that is one function @g, the forward is f itself and the residuals
/// are its arguments.
struct CustomVjp {
  func::FuncOp function, forward, backward;

  bool isPair() const { return forward != function; }
  unsigned getNumResiduals() const;

  /// Emits the forward: the results of f, then the residuals.
  SmallVector<Value> emitForward(OpBuilder &builder, Location loc,
                                 ValueRange arguments) const;
  /// Emits the backward: one cotangent per float argument, from one per float
  /// result.
  SmallVector<Value> emitBackward(OpBuilder &builder, Location loc,
                                  ValueRange residuals,
                                  ValueRange cotangents) const;
};

/// The adjoint that a function carries; failure after errors at the function.
/// Asked only of functions with the attribute.
FailureOr<CustomVjp> getCustomVjp(func::FuncOp function, SymbolTable &symbols);

} // namespace mlir::comm

#endif // COMM_LIB_AUTODIFF_CUSTOMVJP_H
