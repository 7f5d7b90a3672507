//===- run_cuda_cpp.cpp - Runs a printed program on four ranks ------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nccl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <initializer_list>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// The functions of collectives_and_product.mlir, printed: @exchange alone, and
// @layer with its vector-Jacobian product. They have no kernels, so that an
// ordinary compiler takes them.
namespace exchanging {
#include EXCHANGE
}
namespace layers {
#include LAYER
}
using exchanging::Communicators;
using exchanging::Device;

static constexpr int kRanks = 4;

template <class T>
static void require(T status, const char *what) {
  if (int(status) == 0)
    return;
  std::fprintf(stderr, "%s: %d\n", what, int(status));
  std::exit(1);
}
#define REQUIRE(call) require(call, #call)

/// A buffer of the device.
struct Buffer {
  Buffer(const Device &device, std::vector<float> values)
      : device(device), values(std::move(values)) {
    size_t bytes = this->values.size() * sizeof(float);
    REQUIRE(cudaMalloc((void **)&memory, bytes));
    REQUIRE(cudaMemcpyAsync(memory, this->values.data(), bytes,
                            cudaMemcpyHostToDevice, device.compute));
  }
  ~Buffer() { REQUIRE(cudaFree(memory)); }

  std::string print() {
    REQUIRE(cudaMemcpyAsync(values.data(), memory,
                            values.size() * sizeof(float),
                            cudaMemcpyDeviceToHost, device.compute));
    REQUIRE(cudaStreamSynchronize(device.compute));
    std::string text;
    for (float value : values)
      text += " " + std::to_string(int(value));
    return text + "\n";
  }

  const Device &device;
  std::vector<float> values;
  float *memory = nullptr;
};

/// Numbers that no other rank has.
static std::vector<float> getNumbers(int rank, size_t count, float scale) {
  std::vector<float> numbers(count);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = scale * float(10 * rank + i);
  return numbers;
}

struct Rank {
  int number;
  Device device{};
  Communicators communicators{};
};

static std::string exchangeNumbers(const Rank &rank) {
  const Device &device = rank.device;
  const char *names[] = {"sum",      "all",  "next",  "root", "from",
                         "gathered", "part", "chunk", "to"};
  size_t sizes[] = {4, 16, 4, 4, 4, 16, 1, 1, 4};
  Buffer x(device, getNumbers(rank.number, 4, 1));
  std::deque<Buffer> results;
  for (size_t size : sizes)
    results.emplace_back(device, std::vector<float>(size, -1));
  REQUIRE(exchanging::exchange(
      device, rank.communicators, x.memory, results[0].memory,
      results[1].memory, results[2].memory, results[3].memory,
      results[4].memory, results[5].memory, results[6].memory,
      results[7].memory, results[8].memory));
  std::string text = "rank " + std::to_string(rank.number) + "\n";
  for (size_t i = 0; i < results.size(); ++i)
    text += names[i] + results[i].print();
  return text;
}

/// y = sum over ranks of x w, and what is pulled back from d_y on each rank.
static void checkLayer(const Rank &rank) {
  const Device &device = rank.device;
  Buffer x(device, getNumbers(rank.number, 6, 1));
  Buffer w(device, getNumbers(rank.number, 6, -2));
  Buffer dy(device, std::vector<float>(4, float(rank.number + 1)));
  Buffer y(device, std::vector<float>(4)), dx(device, std::vector<float>(6)),
      dw(device, std::vector<float>(6));
  const layers::Device same{device.compute, device.communication,
                            device.event,   device.blas,
                            nullptr,        0};
  const layers::Communicators communicators{rank.communicators.tp};
  REQUIRE(layers::layer_vjp(same, communicators, x.memory, w.memory, dy.memory,
                            y.memory, dx.memory, dw.memory));
  y.print();
  dx.print();
  dw.print();
  // The adjoint of an all_reduce of varying values is one: 1 + 2 + 3 + 4.
  float g = 10;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      float sum = 0;
      for (int other = 0; other < kRanks; ++other)
        for (int k = 0; k < 3; ++k)
          sum += getNumbers(other, 6, 1)[i * 3 + k] *
                 getNumbers(other, 6, -2)[k * 2 + j];
      require(y.values[i * 2 + j] != sum, "y");
    }
    for (int k = 0; k < 3; ++k) {
      require(dx.values[i * 3 + k] !=
                  g * (w.values[k * 2] + w.values[k * 2 + 1]),
              "d_x");
      require(dw.values[k * 2 + i] != g * (x.values[k] + x.values[3 + k]),
              "d_w");
    }
  }
}

static std::string runRank(int number, ncclUniqueId id) {
  REQUIRE(cudaSetDevice(number));
  Rank rank{number};
  Device &device = rank.device;
  REQUIRE(cudaStreamCreateWithFlags(&device.compute, cudaStreamNonBlocking));
  REQUIRE(
      cudaStreamCreateWithFlags(&device.communication, cudaStreamNonBlocking));
  REQUIRE(cudaEventCreateWithFlags(&device.event, cudaEventDisableTiming));
  REQUIRE(cublasLtCreate(&device.blas));
  REQUIRE(ncclCommInitRank(&rank.communicators.tp, kRanks, id, number));
  std::string text = exchangeNumbers(rank);
  checkLayer(rank);
  REQUIRE(ncclCommDestroy(rank.communicators.tp));
  REQUIRE(cublasLtDestroy(device.blas));
  REQUIRE(cudaEventDestroy(device.event));
  REQUIRE(cudaStreamDestroy(device.communication));
  REQUIRE(cudaStreamDestroy(device.compute));
  return text;
}

int main() {
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id));
  std::string texts[kRanks];
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < kRanks; ++rank)
    ranks.emplace_back([&, rank] { texts[rank] = runRank(rank, id); });
  for (std::thread &rank : ranks)
    rank.join();
  for (const std::string &text : texts)
    std::fputs(text.c_str(), stdout);
}
