//===- OptionsTest.cpp - What may be asked of a derivative ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/InitAll.h"
#include "comm/Transforms/DifferentiatePass.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::comm;
using Numbers = SmallVector<int64_t>;

/// The name of the derivative of a function of two floats and an integer
/// between them, or the error.
static std::string ask(std::optional<Numbers> wrt, std::optional<Numbers> of) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::string error;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "func.func @f(%x: f32, %n: i32, %y: f32) -> (i32, f32) {"
      "  %0 = arith.mulf %x, %y : f32"
      "  return %n, %0 : i32, f32 }",
      ParserConfig(&context));
  auto function = module->lookupSymbol<func::FuncOp>("f");
  FailureOr<func::FuncOp> vjp = differentiate(function, {wrt, of});
  return succeeded(vjp) ? vjp->getName().str() : error;
}

TEST(DerivativeOptions, NameTheFunction) {
  EXPECT_EQ(ask(std::nullopt, std::nullopt), "f_vjp");
  EXPECT_EQ(ask(Numbers{0, 2}, Numbers{1}), "f_vjp");
  EXPECT_EQ(ask(Numbers{2}, std::nullopt), "f_vjp_wrt_2");
}

TEST(DerivativeOptions, NameFloatsOnceInOrder) {
  EXPECT_EQ(ask(Numbers{1}, std::nullopt),
            "'wrt' names argument 1 of '@f', which is not a float");
  EXPECT_EQ(ask(Numbers{3}, std::nullopt),
            "'wrt' names argument 3 of '@f', which is not a float");
  EXPECT_EQ(ask(std::nullopt, Numbers{0}),
            "'of' names result 0 of '@f', which is not a float");
  EXPECT_EQ(ask(Numbers{2, 0}, std::nullopt),
            "'wrt' expects argument numbers in ascending order, each once, got "
            "0 after 2");
}
