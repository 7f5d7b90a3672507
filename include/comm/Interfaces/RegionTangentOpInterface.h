//===- RegionTangentOpInterface.h - Tangents of calls -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERFACES_REGIONTANGENTOPINTERFACE_H
#define COMM_INTERFACES_REGIONTANGENTOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::comm {

/// The functions of a module in forward mode.
class TangentFunctions {
public:
  virtual ~TangentFunctions() = default;

  /// tangent(args..., tangents of float args...) -> (results..., tangents of
  /// float results...), made on the first request and shared by every call.
  /// Failure after errors have been emitted.
  virtual FailureOr<FunctionOpInterface>
  getTangentFunction(FunctionOpInterface callee) = 0;

  /// The function of the module that has this name; null where there is none.
  virtual FunctionOpInterface lookupFunction(SymbolRefAttr name) = 0;
};

/// What the driver lends to the tangent rule of a region op. The primal program
/// is not changed: what is emitted is a copy of it with tangents beside.
class TangentDriver {
public:
  virtual ~TangentDriver() = default;

  /// Emits into the copy, behind what has been emitted of it.
  virtual OpBuilder &getBuilder() = 0;
  virtual TangentFunctions &getFunctions() = 0;

  /// Whether a value of the primal program carries a derivative.
  virtual bool isActive(Value value) const = 0;
  /// What a value of the primal program is called in the copy.
  virtual Value getPrimal(Value value) const = 0;
  /// The tangent of a value of the primal program, null where it is zero.
  virtual Value getTangent(Value value) const = 0;
  /// The same, with a tensor or scalar of zeros in the place of null.
  virtual Value getTangentOrZero(Value value) = 0;

  /// Says what a value of the primal program is called in the copy.
  virtual void setPrimal(Value value, Value copy) = 0;
  virtual void setTangent(Value value, Value tangent) = 0;

  /// Copies the ops of a block, its terminator apart, with their tangents. The
  /// arguments of the block have been told.
  virtual LogicalResult emitBody(Block &block) = 0;
};

} // namespace mlir::comm

#include "comm/Interfaces/RegionTangentOpInterface.h.inc"

#endif // COMM_INTERFACES_REGIONTANGENTOPINTERFACE_H
