//===- FuncTangents.cpp - The tangent of func.call ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Autodiff/ExternalModels.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "comm/Interfaces/RegionTangentOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;

namespace {

// y = g(x)  =>  y, ẏ = g_jvp(x, ẋ)
struct Call : RegionTangentOpInterface::ExternalModel<Call, func::CallOp> {
  LogicalResult verifyTangent(Operation *op,
                              TangentFunctions &functions) const {
    return success(
        succeeded(getTangentFunction(cast<func::CallOp>(op), functions)));
  }

  LogicalResult emitTangent(Operation *op, TangentDriver &driver) const {
    auto call = cast<func::CallOp>(op);
    FailureOr<func::FuncOp> jvp =
        getTangentFunction(call, driver.getFunctions());
    if (failed(jvp))
      return failure();
    SmallVector<Value> arguments;
    for (Value operand : call.getOperands())
      arguments.push_back(driver.getPrimal(operand));
    for (Value operand : call.getOperands())
      if (hasBoundaryCotangent(operand.getType()))
        arguments.push_back(driver.getTangentOrZero(operand));
    auto tangentCall = func::CallOp::create(driver.getBuilder(), op->getLoc(),
                                            *jvp, arguments);
    unsigned next = op->getNumResults();
    for (OpResult result : op->getResults()) {
      driver.setPrimal(result, tangentCall.getResult(result.getResultNumber()));
      if (!hasBoundaryCotangent(result.getType()))
        continue;
      Value tangent = tangentCall.getResult(next++);
      if (driver.isActive(result))
        driver.setTangent(result, tangent);
    }
    return success();
  }

private:
  static FailureOr<func::FuncOp>
  getTangentFunction(func::CallOp call, TangentFunctions &functions) {
    FunctionOpInterface callee = functions.lookupFunction(call.getCalleeAttr());
    if (!callee || callee.isExternal()) {
      InFlightDiagnostic error = call.emitOpError("calls '@")
                                 << call.getCallee()
                                 << "', which has no body to differentiate";
      if (callee)
        error.attachNote(callee.getLoc()) << "declared here";
      return error;
    }
    FailureOr<FunctionOpInterface> jvp = functions.getTangentFunction(callee);
    if (failed(jvp))
      return failure();
    return cast<func::FuncOp>(jvp->getOperation());
  }
};

} // namespace

void comm::registerFuncTangentModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, func::FuncDialect *) {
    context->loadDialect<arith::ArithDialect, tensor::TensorDialect>();
    func::CallOp::attachInterface<Call>(*context);
  });
}
