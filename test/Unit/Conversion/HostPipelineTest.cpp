//===- HostPipelineTest.cpp - Programs compiled and run on ranks ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/Pipelines.h"
#include "comm/InitAll.h"
#include "comm/Runtime/Communicator.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
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

namespace {

/// Compiles a module and runs `@main`, which takes and returns one f32 vector,
/// on every rank of a mesh.
class HostPipelineTest : public ::testing::Test {
protected:
  HostPipelineTest() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    DialectRegistry registry;
    comm::registerAllDialects(registry);
    registerAllToLLVMIRTranslations(registry);
    context.appendDialectRegistry(registry);
  }

  void compile(StringRef source) {
    module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module);
    PassManager manager(&context);
    buildHostPipeline(manager);
    ASSERT_TRUE(succeeded(manager.run(*module)));
    auto created = ExecutionEngine::create(*module);
    ASSERT_TRUE(bool(created));
    engine = std::move(*created);
    engine->registerSymbols([](llvm::orc::MangleAndInterner intern) {
      llvm::orc::SymbolMap map;
#define COMM_RUNTIME_FUNCTION(Name, ...)                                       \
  map[intern(#Name)] = {llvm::orc::ExecutorAddr::fromPtr(&Name),               \
                        llvm::JITSymbolFlags::Exported};
#include "comm/Runtime/RuntimeFunctions.def"
      return map;
    });
  }

  /// The results of the ranks; checks that the inputs were left as they are.
  std::vector<std::vector<float>>
  run(runtime::Mesh mesh, const std::vector<std::vector<float>> &inputs) {
    std::string error;
    auto world = runtime::World::create(mesh, "threads", {}, error);
    EXPECT_TRUE(world) << error;
    auto entry = engine->lookupPacked("_mlir_ciface_main");
    EXPECT_TRUE(bool(entry));
    std::vector<std::vector<float>> outputs(world->getNumRanks());
    auto failure = world->launch([&](runtime::Context &rank) {
      std::vector<float> data = inputs[rank.getRank()];
      StridedMemRefType<float, 1> input{
          data.data(), data.data(), 0, {int64_t(data.size())}, {1}};
      struct {
        int32_t status;
        StridedMemRefType<float, 1> output;
      } result;
      CommContext *handle = &rank;
      void *inputAddress = &input, *resultAddress = &result;
      void *arguments[] = {&resultAddress, &handle, &inputAddress};
      (*entry)(arguments);
      EXPECT_EQ(result.status, COMM_SUCCESS);
      EXPECT_EQ(data, inputs[rank.getRank()]);
      outputs[rank.getRank()].assign(result.output.data + result.output.offset,
                                     result.output.data + result.output.offset +
                                         result.output.sizes[0]);
      std::free(result.output.basePtr);
    });
    EXPECT_FALSE(failure) << failure->message;
    return outputs;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<ExecutionEngine> engine;
};

} // namespace

TEST_F(HostPipelineTest, AllReduce) {
  compile(R"mlir(
    comm.mesh @mesh [tp = 4]
    func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<3xf32>
      return %y : tensor<3xf32>
    }
  )mlir");
  auto outputs = run({{"tp", 4}},
                     {{1, 10, 100}, {2, 20, 200}, {3, 30, 300}, {4, 40, 400}});
  for (const std::vector<float> &output : outputs)
    EXPECT_EQ(output, (std::vector<float>{10, 100, 1000}));
}
