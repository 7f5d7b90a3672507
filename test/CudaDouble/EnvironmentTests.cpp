//===- EnvironmentTests.cpp - What the environment tells the double -------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DoubleTesting.h"

#include <cstdlib>

using namespace mlir::comm::cudadouble;

namespace {

/// A double reads its environment once: each test needs a process of its own,
/// which starts with the variables that are set here.
class Environment : public testing::Test {
protected:
  Environment() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
  ~Environment() override {
    for (const char *variable :
         {"DEVICES", "FAIL", "MEMORY", "REPORT", "STRICT"})
      unsetenv((std::string("COMM_DOUBLE_") + variable).c_str());
  }
};

} // namespace

TEST_F(Environment, PlansFailures) {
  setenv("COMM_DOUBLE_FAIL", "cudaMalloc:2=cudaErrorMemoryAllocation", 1);
  auto run = [] {
    void *memory;
    bool isRight = cudaMalloc(&memory, 4) == cudaSuccess &&
                   cudaMalloc(&memory, 4) == cudaErrorMemoryAllocation;
    std::exit(isRight ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
  setenv("COMM_DOUBLE_FAIL", "cudaMalloc", 1);
  EXPECT_DEATH(run(), "cannot read COMM_DOUBLE_FAIL='cudaMalloc'");
}

TEST_F(Environment, PrintsATableAtTheEnd) {
  setenv("COMM_DOUBLE_REPORT", "1", 1);
  auto run = [] {
    makeStream();
    cudaSetDevice(0);
    cudaSetDevice(1);
    std::exit(0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0),
              "leak: stream 0 of device 0 is not destroyed(.|\n)*"
              "cuda double: calls\n(.|\n)*  cudaSetDevice  *2\n(.|\n)*"
              "cuda double: 1 reports");
}

TEST_F(Environment, AbortsAtTheFirstReport) {
  setenv("COMM_DOUBLE_STRICT", "1", 1);
  EXPECT_DEATH(ncclGroupEnd(), "ncclGroupEnd: there has been no");
}

TEST_F(Environment, LooksForMemoryThatNobodyHasWritten) {
  setenv("COMM_DOUBLE_UNWRITTEN", "1", 1);
  auto run = [] {
    cudaStream_t stream = makeStream();
    float *x = allocate<float>(4), *y = allocate<float>(4);
    cudaMemsetAsync(x, 0, 12, stream);
    download(x, 3, stream);
    bool isRight = comm_double_reports(nullptr) == 0;
    cudaMemcpyAsync(y, x, 16, cudaMemcpyDeviceToDevice, stream);
    cudaStreamSynchronize(stream);
    std::exit(isRight && comm_double_reports("unwritten") == 1 ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "some of which nobody");
}

TEST_F(Environment, SaysHowManyDevicesAndHowMuchMemory) {
  setenv("COMM_DOUBLE_DEVICES", "2", 1);
  setenv("COMM_DOUBLE_MEMORY", "1024", 1);
  auto run = [] {
    int count = 0;
    size_t free = 0, total = 0;
    void *memory = nullptr;
    cudaGetDeviceCount(&count);
    cudaMemGetInfo(&free, &total);
    bool isRight = count == 2 && free == 1024 && total == 1024 &&
                   cudaSetDevice(2) == cudaErrorInvalidDevice &&
                   cudaMalloc(&memory, 1025) == cudaErrorMemoryAllocation &&
                   cudaMalloc(&memory, 1024) == cudaSuccess;
    std::exit(isRight ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
  setenv("COMM_DOUBLE_DEVICES", "0", 1);
  auto runWithNone = [] {
    int count = 1;
    bool isRight =
        cudaGetDeviceCount(&count) == cudaErrorNoDevice && count == 0;
    std::exit(isRight ? 0 : 1);
  };
  EXPECT_EXIT(runWithNone(), testing::ExitedWithCode(0), "");
}
