//===- DoubleTesting.h - What the tests of the double share -----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_DOUBLETESTING_H
#define COMM_CUDADOUBLE_DOUBLETESTING_H

#include "CommCudaDouble.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace mlir::comm::cudadouble {

/// All that has been reported, a line each.
inline std::string getReports() {
  std::string all;
  for (uint64_t i = 0; const char *text = comm_double_report_text(i); ++i)
    all += std::string(text) + "\n";
  return all;
}

/// Starts with no reports and no failures, and ends with no reports but those
/// that the test has taken.
class DoubleTest : public testing::Test {
protected:
  void SetUp() override {
    cudaSetDevice(0);
    comm_double_clear_reports();
    comm_double_clear_failures();
  }
  void TearDown() override { EXPECT_EQ(getReports(), ""); }

  /// Expects exactly one kind of reports, with such a text among them.
  void expectReport(const char *kind, const std::string &part) {
    EXPECT_GE(comm_double_reports(kind), 1u);
    EXPECT_EQ(comm_double_reports(nullptr), comm_double_reports(kind))
        << getReports();
    EXPECT_THAT(getReports(), testing::HasSubstr(part));
    comm_double_clear_reports();
  }
};

/// A stream that blocks no other.
inline cudaStream_t makeStream() {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
            cudaSuccess);
  return stream;
}

inline cudaEvent_t makeEvent() {
  cudaEvent_t event = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
            cudaSuccess);
  return event;
}

template <typename T>
T *allocate(size_t count) {
  void *memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, count * sizeof(T)), cudaSuccess);
  return static_cast<T *>(memory);
}

template <typename T>
T *upload(const std::vector<T> &values, cudaStream_t stream) {
  T *memory = allocate<T>(values.size());
  EXPECT_EQ(cudaMemcpyAsync(memory, values.data(), values.size() * sizeof(T),
                            cudaMemcpyHostToDevice, stream),
            cudaSuccess);
  return memory;
}

/// Waits for the stream.
template <typename T>
std::vector<T> download(const T *memory, size_t count, cudaStream_t stream) {
  std::vector<T> values(count);
  EXPECT_EQ(cudaMemcpyAsync(values.data(), memory, count * sizeof(T),
                            cudaMemcpyDeviceToHost, stream),
            cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  return values;
}

/// Runs `body(rank)` on a thread with a device for each rank.
inline void runRanks(int numRanks, const std::function<void(int)> &body) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < numRanks; ++rank)
    threads.emplace_back([&, rank] {
      EXPECT_EQ(cudaSetDevice(rank), cudaSuccess);
      body(rank);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_DOUBLETESTING_H
