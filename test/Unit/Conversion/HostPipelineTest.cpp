//===- HostPipelineTest.cpp - Programs compiled and run on ranks ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/InitAll.h"
#include "comm/Runtime/Communicator.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "tools/comm-run/Compile.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::comm;

namespace {

/// Compiles a module and runs `@main`, which takes and returns one f32 vector,
/// on every rank of a mesh.
class HostPipelineTest : public ::testing::Test {
protected:
  HostPipelineTest() {
    DialectRegistry registry;
    comm::registerAllDialects(registry);
    runner::registerTranslations(registry);
    context.appendDialectRegistry(registry);
  }

  void compile(StringRef source) {
    module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module);
    auto compiled = runner::CompiledModule::create(*module);
    ASSERT_TRUE(bool(compiled)) << compiled.getFailure().message;
    code = std::move(*compiled);
  }

  /// The results of the ranks; checks that the inputs were left as they are.
  std::vector<std::vector<float>>
  run(runtime::Mesh mesh, const std::vector<std::vector<float>> &inputs) {
    std::string error;
    auto world = runtime::World::create(mesh, "threads", {}, error);
    EXPECT_TRUE(world) << error;
    auto entry = code->lookup("main");
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
  std::optional<runner::CompiledModule> code;
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
