//===- CudaStartTest.cpp - What fails before a program's first op ---------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTesting.h"
#include "comm/Runner/Launch.h"

using namespace mlir::comm;
using namespace mlir::comm::runtime;

namespace {
class CudaStart : public CudaTest {
protected:
  /// Why a world of three ranks does not start.
  static std::string start(const std::string &failures) {
    comm_double_fail(failures.c_str());
    std::string error;
    EXPECT_FALSE(World::create({{"x", 3}}, getTestBackend(), {}, error));
    comm_double_clear_failures();
    EXPECT_EQ(0u, comm_double_check_leaks());
    return error;
  }

  /// Why a program of one rank, with two arguments and a result, fails.
  std::string launch(const std::string &failures);
};
} // namespace

/// A product of the two arguments, which nobody looks at.
static void callProduct(void **packed) {
  static const CommSite site = siteAt("linalg.matmul", 5);
  auto *results = *static_cast<OneVector **>(packed[0]);
  auto *context = *static_cast<CommContext **>(packed[1]);
  float *x = (*static_cast<Vector **>(packed[2]))->aligned;
  float *w = (*static_cast<Vector **>(packed[3]))->aligned;
  auto *buffer = static_cast<float *>(commAllocate(context, 4));
  commGemm(context, COMM_F32, 0, 0, 1, 1, 1, 2, x, 2, 2, w, 1, 2, 0, buffer, 1,
           1, &site);
  results->status = commStatus(context);
  results->result = {buffer, buffer, 0, 1, 1};
}

std::string CudaStart::launch(const std::string &failures) {
  runner::FunctionSignature signature;
  signature.name = "f";
  signature.mesh = {{"x", 1}};
  signature.arguments = {{"", COMM_F32, {2}, false, {}, {}},
                         {"w", COMM_F32, {2}, false, {}, {}}};
  signature.results = {{"y", COMM_F32, {1}, false, {}, {}}};
  runner::RankValues inputs(1);
  for (int i : {0, 1}) {
    inputs[0].emplace_back(COMM_F32, runner::Shape{2});
    inputs[0][i].setDouble(0, 1);
    inputs[0][i].setDouble(1, 2);
  }
  runner::LaunchOptions options;
  options.backend = getTestBackend();
  comm_double_fail(failures.c_str());
  runner::Launch launch =
      runner::launch(callProduct, signature, inputs, options);
  comm_double_clear_failures();
  return launch.failure ? launch.failure->message : "";
}

TEST_F(CudaStart, NamesTheRankAndTheCall) {
  std::string where =
      "backend 'cuda-local' cannot start: CUDA device 0 of rank 1: ";
  // Of each rank: so many, of which the last one of rank 1 fails.
  for (auto [call, number] :
       {std::pair("cudaStreamCreateWithFlags", 2),
        std::pair("cudaEventCreateWithFlags", 3),
        std::pair("cudaDeviceGetDefaultMemPool", 1),
        std::pair("cudaMemPoolSetAttribute", 1), std::pair("cudaSetDevice", 1)})
    EXPECT_EQ(where + call + ": out of memory",
              start(std::string(call) + ":" + std::to_string(2 * number) +
                    "=cudaErrorMemoryAllocation"));
  // Those that ranks have to meet by: two of each, after the three above.
  EXPECT_EQ(where + "cudaEventCreateWithFlags: unknown error",
            start("cudaEventCreateWithFlags:13=cudaErrorUnknown"));
}

TEST_F(CudaStart, NamesTheArgument) {
  EXPECT_EQ("", launch(""));
  EXPECT_EQ("rank 0: argument 0 of '@f': cudaMemcpyAsync: invalid argument",
            launch("cudaMemcpyAsync:1=cudaErrorInvalidValue"));
  EXPECT_EQ("rank 0: argument 1 'w' of '@f': cudaMemcpyAsync: unknown error",
            launch("cudaMemcpyAsync:2=cudaErrorUnknown"));
  EXPECT_EQ("rank 0: argument 0 of '@f': cudaEventRecord: unknown error",
            launch("cudaEventRecord:1=cudaErrorUnknown"));
}

TEST_F(CudaStart, NamesTheResult) {
  EXPECT_EQ("rank 0: result 0 'y' of '@f': cudaMemcpyAsync: unknown error",
            launch("cudaMemcpyAsync:3=cudaErrorUnknown"));
  EXPECT_EQ("rank 0: result 0 'y' of '@f': cudaMallocHost: out of memory",
            launch("cudaMallocHost:1=cudaErrorMemoryAllocation"));
}

TEST_F(CudaStart, NamesTheFirstProduct) {
  EXPECT_THAT(launch("cublasLtCreate:1=CUBLAS_STATUS_NOT_INITIALIZED"),
              testing::StartsWith(
                  "rank 0: linalg.matmul at test.mlir:5: cublasLtCreate: "));
}

TEST_F(CudaStart, NamesTheCallThatOrdersTheStreams) {
  auto *failed = "cudaStreamWaitEvent:1=cudaErrorUnknown";
  Failure failure = fail({2}, [&](const Rank &rank) {
    Buffer buffer = makeFloats(rank, {1, 2});
    CommSite site = siteAt("comm.all_reduce", 3);
    if (rank.rank == 0)
      comm_double_fail(failed);
    commBarrier(rank.context, rank.group({0}), &site);
    commAllReduce(rank.context, rank.group({0}), buffer.data(), buffer.data(),
                  2, COMM_F32, COMM_SUM, &site);
    static_cast<Context *>(rank.context)->synchronize();
  });
  EXPECT_THAT(failure.message,
              testing::HasSubstr("cudaStreamWaitEvent: unknown error"));
}
