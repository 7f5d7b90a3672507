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
    context.appendDialectRegistry(registry);
  }

  void compile(StringRef source) {
    module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module);
    auto compiled = runner::CompiledModule::create(*module);
    ASSERT_TRUE(bool(compiled)) << compiled.getFailure().message;
    code = std::move(*compiled);
  }

  /// The results of the ranks after `numSteps` calls each. Checks that the
  /// inputs were left as they are, that all memory was given back, and that no
  /// step but the first asked the system for any.
  std::vector<std::vector<float>>
  run(runtime::Mesh mesh, const std::vector<std::vector<float>> &inputs,
      int numSteps = 1) {
    std::string error;
    auto world = runtime::World::create(mesh, "threads", {}, error);
    EXPECT_TRUE(world) << error;
    auto entry = code->lookup("main");
    EXPECT_TRUE(bool(entry));
    std::vector<std::vector<float>> outputs(world->getNumRanks());
    auto failure = world->launch([&](runtime::Context &rank) {
      const runtime::Arena &arena = rank.getArena();
      int64_t systemAllocations = 0;
      for (int step = 0; step < numSteps; ++step) {
        outputs[rank.getRank()] = call(*entry, rank, inputs[rank.getRank()]);
        EXPECT_EQ(arena.getNumLive(), 0);
        if (step == 0)
          systemAllocations = arena.getNumSystemAllocations();
        EXPECT_EQ(arena.getNumSystemAllocations(), systemAllocations);
      }
    });
    EXPECT_FALSE(failure) << failure->message;
    return outputs;
  }

  static std::vector<float> call(runner::PackedFunction entry,
                                 runtime::Context &rank,
                                 const std::vector<float> &values) {
    std::vector<float> data = values;
    StridedMemRefType<float, 1> input{
        data.data(), data.data(), 0, {int64_t(data.size())}, {1}};
    struct {
      int32_t status;
      StridedMemRefType<float, 1> output;
    } result;
    CommContext *handle = &rank;
    void *inputAddress = &input, *resultAddress = &result;
    void *arguments[] = {&resultAddress, &handle, &inputAddress};
    entry(arguments);
    EXPECT_EQ(result.status, COMM_SUCCESS);
    EXPECT_EQ(data, values);
    const StridedMemRefType<float, 1> &output = result.output;
    std::vector<float> elements(output.data + output.offset,
                                output.data + output.offset + output.sizes[0]);
    commRelease(&rank, output.basePtr);
    return elements;
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

// Memory of static and of dynamic size, round a loop and through a call.
TEST_F(HostPipelineTest, SecondStepAllocatesNothing) {
  compile(R"mlir(
    comm.mesh @mesh [tp = 2]
    func.func private @scale(%x: tensor<?xf32>) -> tensor<?xf32> {
      %y = arith.addf %x, %x : tensor<?xf32>
      return %y : tensor<?xf32>
    }
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %ones = arith.constant dense<1.0> : tensor<4xf32>
      %fixed = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
      %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %fixed) -> tensor<4xf32> {
        %s = comm.all_reduce sum %v over @mesh["tp"] : tensor<4xf32>
        %t = arith.addf %s, %ones : tensor<4xf32>
        %own = comm.vary %t over @mesh["tp"] : tensor<4xf32>
        scf.yield %own : tensor<4xf32>
      }
      %d = tensor.cast %y : tensor<4xf32> to tensor<?xf32>
      %z = call @scale(%d) : (tensor<?xf32>) -> tensor<?xf32>
      return %z : tensor<?xf32>
    }
  )mlir");
  // s -> 2s + 1, three times, from half the sum of both; then twice that.
  for (const std::vector<float> &output :
       run({{"tp", 2}}, {{1, 2, 3, 4}, {10, 20, 30, 40}}, 3))
    EXPECT_EQ(output, (std::vector<float>{102, 190, 278, 366}));
}
