//===- TransposedAdjointTest.cpp - Adjoints that have no transpose --------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/InitAll.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "comm/Transforms/DifferentiatePass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::comm;

namespace {
/// Both stand for rules from outside, of an op that has none of its own.
struct NotLinear
    : AdjointOpInterface::ExternalModel<NotLinear, arith::BitcastOp> {
  // x̄ = ȳ²: no adjoint of anything
  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &, ValueRange cotangents) const {
    return {arith::MulFOp::create(builder, op->getLoc(), cotangents[0],
                                  cotangents[0])};
  }
};

struct NoRule : AdjointOpInterface::ExternalModel<NoRule, arith::BitcastOp> {
  // x̄ = ȳ, by an op that has no adjoint
  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &, ValueRange cotangents) const {
    return {UnrealizedConversionCastOp::create(
                builder, op->getLoc(), cotangents[0].getType(), cotangents[0])
                .getResult(0)};
  }
};
} // namespace

/// The errors of forward mode over arith.bitcast, a line each.
template <typename Model>
static std::string differentiateForward() {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  arith::BitcastOp::attachInterface<Model>(context);
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>("func.func @f(%x: f32) -> f32 {"
                                  "  %y = arith.bitcast %x : f32 to f32"
                                  "  return %y : f32 }",
                                  ParserConfig(&context));
  CommDifferentiator differentiator(*module);
  EXPECT_TRUE(
      failed(differentiator.getJvp(module->lookupSymbol<func::FuncOp>("f"))));
  return errors;
}

TEST(TransposedAdjoint, RefusesWhatIsNotLinear) {
  EXPECT_EQ(differentiateForward<NotLinear>(),
            "'arith.bitcast' has no tangent: its adjoint is not linear in the "
            "cotangents; implement emitTangent for it\n");
}

TEST(TransposedAdjoint, RefusesWhatHasNoAdjoint) {
  std::string errors = differentiateForward<NoRule>();
  EXPECT_NE(errors.find("'builtin.unrealized_conversion_cast' has no adjoint"),
            std::string::npos)
      << errors;
  EXPECT_NE(errors.find("'arith.bitcast' has no tangent: its adjoint has no "
                        "adjoint; implement emitTangent for it\n"),
            std::string::npos)
      << errors;
}
