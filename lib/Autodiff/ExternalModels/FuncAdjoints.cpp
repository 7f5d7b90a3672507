//===- FuncAdjoints.cpp - The adjoint of func.call ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Autodiff/ExternalModels.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "comm/Interfaces/RegionAdjointOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;

namespace {

/// What stays of a call when its backward is emitted: by then it is erased.
struct ErasedCall {
  Location loc;
  func::FuncOp backward;
  /// How many of the residuals are the callee's. The rest are the dynamic sizes
  /// of the float results, in order: a zero cotangent has to be made of them.
  unsigned calleeResiduals;
  SmallVector<Type> operandTypes;
  SmallVector<Type> resultTypes;

  SmallVector<Value> emitBackward(OpBuilder &builder, ValueRange residuals,
                                  ValueRange cotangents) const {
    SmallVector<Value> arguments(residuals.take_front(calleeResiduals));
    ValueRange dynamicSizes = residuals.drop_front(calleeResiduals);
    for (auto [type, cotangent] : llvm::zip_equal(resultTypes, cotangents)) {
      if (!isDifferentiable(type))
        continue;
      SmallVector<OpFoldResult> sizes;
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        for (int64_t size : tensor.getShape()) {
          if (!ShapedType::isDynamic(size)) {
            sizes.push_back(builder.getIndexAttr(size));
            continue;
          }
          sizes.push_back(dynamicSizes.front());
          dynamicSizes = dynamicSizes.drop_front();
        }
      arguments.push_back(cotangent ? cotangent
                                    : emitZero(builder, loc, type, sizes));
    }
    auto call = func::CallOp::create(builder, loc, backward, arguments);

    SmallVector<Value> adjoints;
    unsigned next = 0;
    for (Type type : operandTypes)
      adjoints.push_back(isDifferentiable(type) ? call.getResult(next++)
                                                : Value());
    return adjoints;
  }
};

// y = g(x)  =>  x̄ = g_bwd(what g_fwd(x) kept, ȳ)
struct Call : RegionAdjointOpInterface::ExternalModel<Call, func::CallOp> {
  FailureOr<RegionForward> emitForward(Operation *op, RewriterBase &rewriter,
                                       RegionAdjointContext &context) const {
    AdjointDriver &driver = context.getDriver();
    auto call = cast<func::CallOp>(op);
    FunctionOpInterface callee = driver.lookupFunction(call.getCalleeAttr());
    if (!callee || callee.isExternal()) {
      InFlightDiagnostic error = op->emitOpError("calls '@")
                                 << call.getCallee()
                                 << "', which has no body to differentiate";
      if (callee)
        error.attachNote(callee.getLoc()) << "declared here";
      return failure();
    }
    FailureOr<AdjointFunctions> halves = driver.getAdjointFunctions(callee);
    if (failed(halves))
      return failure();

    Location loc = op->getLoc();
    unsigned numResults = op->getNumResults();
    rewriter.setInsertionPoint(op);
    auto forward = func::CallOp::create(
        rewriter, loc, cast<func::FuncOp>(halves->forward.getOperation()),
        op->getOperands());
    RegionForward result;
    result.forward = forward;
    llvm::append_range(result.inputs, op->getOperands());
    llvm::append_range(result.residuals,
                       forward.getResults().drop_front(numResults));
    ErasedCall erased{loc, cast<func::FuncOp>(halves->backward.getOperation()),
                      unsigned(result.residuals.size()),
                      llvm::to_vector(op->getOperandTypes()),
                      llvm::to_vector(op->getResultTypes())};
    for (Value value : forward.getResults().take_front(numResults)) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !isDifferentiable(type))
        continue;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          result.residuals.push_back(
              tensor::DimOp::create(rewriter, loc, value, dim));
    }
    result.emitBackward = [erased](OpBuilder &builder, ValueRange residuals,
                                   ValueRange cotangents) {
      return erased.emitBackward(builder, residuals, cotangents);
    };
    rewriter.replaceOp(op, forward.getResults().take_front(numResults));
    return result;
  }
};

} // namespace

void comm::registerFuncAdjointModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, func::FuncDialect *) {
    // What the rules of arith and math emit: for these two themselves it would
    // be too early, tensor's affine is being loaded when it loads arith.
    context->loadDialect<arith::ArithDialect, math::MathDialect,
                         tensor::TensorDialect>();
    func::CallOp::attachInterface<Call>(*context);
  });
}
