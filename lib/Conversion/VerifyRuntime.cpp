//===- VerifyRuntime.cpp - Checks of what only the run knows --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"

namespace mlir::comm {
#define GEN_PASS_DEF_VERIFYRUNTIME
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

/// Whether the op's own verifier has seen all that there is to see.
static bool isVerified(Operation *op) {
  auto isStatic = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  // Offsets and indices may be dynamic where shapes are not. A fill has one
  // shape.
  return isa<linalg::FillOp>(op) ||
         (isa<linalg::LinalgOp>(op) &&
          llvm::all_of(op->getOperandTypes(), isStatic));
}

/// The same of arith, or null: upstream's checks of linalg ops count by the
/// index dialect, all else that is lowered or printed by arith.
static Value createArith(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  auto binary = [&](auto of) -> Value {
    return decltype(of)::create(builder, loc, op->getOperand(0),
                                op->getOperand(1));
  };
  if (auto constant = dyn_cast<index::ConstantOp>(op))
    return arith::ConstantOp::create(builder, loc, constant.getValueAttr());
  if (isa<index::AddOp>(op))
    return binary(arith::AddIOp());
  if (isa<index::SubOp>(op))
    return binary(arith::SubIOp());
  if (isa<index::MaxSOp>(op))
    return binary(arith::MaxSIOp());
  if (isa<index::MinSOp>(op))
    return binary(arith::MinSIOp());
  if (auto compare = dyn_cast<index::CmpOp>(op))
    return arith::CmpIOp::create(
        builder, loc,
        *arith::symbolizeCmpIPredicate(
            index::stringifyIndexCmpPredicate(compare.getPred())),
        compare.getLhs(), compare.getRhs());
  return Value();
}

namespace {
struct VerifyRuntime : comm::impl::VerifyRuntimeBase<VerifyRuntime> {
  void runOnOperation() override {
    SmallVector<RuntimeVerifiableOpInterface> ops;
    getOperation().walk([&](RuntimeVerifiableOpInterface op) {
      // Bodies run in kernels, which have no status to give.
      if (!op->getParentOfType<linalg::LinalgOp>() && !isVerified(op))
        ops.push_back(op);
    });
    for (RuntimeVerifiableOpInterface op : ops) {
      OpBuilder builder(op);
      // The lowering of assertions takes name and text apart.
      op.generateRuntimeVerification(
          builder, op.getLoc(), [](Operation *op, StringRef message) {
            return (op->getName().getStringRef() + ": " + message).str();
          });
    }
    getOperation().walk([](Operation *op) {
      OpBuilder builder(op);
      if (Value value = createArith(builder, op)) {
        op->getResult(0).replaceAllUsesWith(value);
        op->erase();
      }
    });
  }
};
} // namespace
