//===- RegionAdjointOpInterface.h - Adjoints of calls -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERFACES_REGIONADJOINTOPINTERFACE_H
#define COMM_INTERFACES_REGIONADJOINTOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <functional>

namespace mlir::comm {

/// The two halves of a differentiated function:
/// forward(args...) -> (results..., residuals...) and
/// backward(residuals..., cotangents of float results...) ->
/// (cotangents of float arguments...).
struct AdjointFunctions {
  FunctionOpInterface forward;
  FunctionOpInterface backward;
};

/// What the driver lends to the rule of a region op.
class AdjointDriver {
public:
  virtual ~AdjointDriver() = default;

  /// Both halves of a function of the module, made on the first request and
  /// shared by every call. Failure after errors have been emitted.
  virtual FailureOr<AdjointFunctions>
  getAdjointFunctions(FunctionOpInterface callee) = 0;

  /// The function of the module that has this name; null where there is none.
  virtual FunctionOpInterface lookupFunction(SymbolRefAttr name) = 0;
};

/// The forward of a region op, and how to run its backward.
struct RegionForward {
  /// Emits the adjoint: from the residuals, as they are called in the backward
  /// function, and one cotangent per result of the op (null where it is zero)
  /// to one cotangent per operand (null where there is none).
  using EmitBackward = std::function<SmallVector<Value>(
      OpBuilder &builder, ValueRange residuals, ValueRange cotangents)>;

  /// The op that took the place of the original in the forward function; its
  /// first results are the original's.
  Operation *forward = nullptr;
  /// Values of the forward function that the backward needs.
  SmallVector<Value> residuals;
  EmitBackward emitBackward;
};

} // namespace mlir::comm

#include "comm/Interfaces/RegionAdjointOpInterface.h.inc"

#endif // COMM_INTERFACES_REGIONADJOINTOPINTERFACE_H
