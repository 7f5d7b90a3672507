//===- VerifyRuntime.cpp - Checks of what only the run knows --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
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
  }
};
} // namespace
