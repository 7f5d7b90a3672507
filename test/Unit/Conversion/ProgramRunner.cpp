//===- ProgramRunner.cpp - Compiles a program and runs it on ranks --------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramRunner.h"

#include "comm/Conversion/Pipelines.h"
#include "comm/InitAll.h"
#include "comm/Runner/Compare.h"
#include "comm/Runner/Launch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/TargetSelect.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::comm;
using runner::FunctionSignature;

static runner::ValueInfo getInfo(Type type, unsigned position) {
  runner::ValueInfo info;
  info.name = std::to_string(position);
  auto tensor = dyn_cast<RankedTensorType>(type);
  info.isScalar = !tensor;
  Type element = tensor ? tensor.getElementType() : type;
  info.type = element.isF16()         ? COMM_F16
              : element.isBF16()      ? COMM_BF16
              : element.isF32()       ? COMM_F32
              : element.isF64()       ? COMM_F64
              : element.isInteger(1)  ? COMM_I1
              : element.isInteger(8)  ? COMM_I8
              : element.isInteger(16) ? COMM_I16
              : element.isInteger(32) ? COMM_I32
                                      : COMM_I64;
  if (tensor)
    for (int64_t size : tensor.getShape())
      info.shape.push_back(ShapedType::isDynamic(size) ? runner::kDynamic
                                                       : size);
  return info;
}

static FunctionSignature getSignature(ModuleOp module, runtime::Mesh mesh) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  FunctionSignature signature;
  signature.name = "main";
  signature.mesh = std::move(mesh);
  for (auto [position, type] : llvm::enumerate(main.getArgumentTypes()))
    signature.arguments.push_back(getInfo(type, position));
  for (auto [position, type] : llvm::enumerate(main.getResultTypes()))
    signature.results.push_back(getInfo(type, position));
  return signature;
}

static std::unique_ptr<ExecutionEngine> compile(ModuleOp module) {
  PassManager manager(module.getContext());
  buildHostPipeline(manager);
  if (failed(manager.run(module)))
    return nullptr;
  auto engine = ExecutionEngine::create(module);
  if (!engine)
    return nullptr;
  (*engine)->registerSymbols([](llvm::orc::MangleAndInterner intern) {
    llvm::orc::SymbolMap map;
#define COMM_RUNTIME_FUNCTION(Name, ...)                                       \
  map[intern(#Name)] = {llvm::orc::ExecutorAddr::fromPtr(&Name),               \
                        llvm::JITSymbolFlags::Exported};
#include "comm/Runtime/RuntimeFunctions.def"
    return map;
  });
  return std::move(*engine);
}

static std::vector<runner::ValueSpec>
parseSpecs(const std::vector<std::string> &texts) {
  std::vector<runner::ValueSpec> specs;
  for (const std::string &text : texts) {
    runner::Result<runner::ValueSpec> spec =
        runner::parseValueSpec("--value", text);
    EXPECT_TRUE(bool(spec)) << text;
    if (spec)
      specs.push_back(*spec);
  }
  return specs;
}

std::string comm::runProgram(const std::string &source, runtime::Mesh mesh,
                             const std::vector<std::string> &inputs,
                             const std::vector<std::string> &expected) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  comm::registerAllDialects(registry);
  registerAllToLLVMIRTranslations(registry);
  MLIRContext context(registry);
  auto module = parseSourceString<ModuleOp>(source, &context, "program.mlir");
  if (!module)
    return "does not parse";
  FunctionSignature signature = getSignature(*module, std::move(mesh));
  std::unique_ptr<ExecutionEngine> engine = compile(*module);
  if (!engine)
    return "does not compile";
  auto entry = engine->lookupPacked("_mlir_ciface_main");
  if (!entry)
    return "has no entry: " + llvm::toString(entry.takeError());

  auto values = runner::buildInputs(signature, parseSpecs(inputs), {});
  if (!values)
    return values.getFailure().message;
  runner::Launch launch = runner::launch(*entry, signature, *values, {});
  if (launch.failure)
    return launch.failure->message;
  auto report = runner::checkExpected(signature, launch.results,
                                      parseSpecs(expected), {});
  if (!report)
    return report.getFailure().message;
  if (report->passed)
    return "";
  std::string lines;
  for (const std::string &line : report->lines)
    lines += line + "\n";
  return lines;
}
