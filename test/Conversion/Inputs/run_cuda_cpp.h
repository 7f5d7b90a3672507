//===- run_cuda_cpp.h - Runs printed programs on ranks ----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls functions of the form that docs/CudaCpp.md describes. For each function
// and rank a file says what it is given, in the order of its parameters, as
// compare_cuda_cpp.py writes it:
//
//   communicators   their number, then color and key for ncclCommSplit of each
//   const T *       a number of elements, then the elements
//   T               itself
//   T *, T **       a number of elements; -1: a number on the host
//
// Numbers of elements, colors and keys are int64_t. What the results are goes,
// one after the other, into a second file.
//
//===----------------------------------------------------------------------===//

#include <cublasLt.h>
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

template <class T>
static void require(T status, const char *what) {
  if (int(status) == 0)
    return;
  std::fprintf(stderr, "%s: %d\n", what, int(status));
  std::_Exit(1);
}
#define REQUIRE(call) require(call, #call)

namespace driver {

/// What one call on one rank takes and gives.
class Values {
public:
  Values(const std::string &given, cudaStream_t stream)
      : file(given, std::ios::binary), stream(stream) {
    require(!file, given.c_str());
  }

  template <class T>
  T read() {
    T value;
    file.read(reinterpret_cast<char *>(&value), sizeof value);
    require(!file, "what is given is too short");
    return value;
  }

  /// The value of a parameter of type T.
  template <class T>
  T make() {
    if constexpr (!std::is_pointer_v<T>)
      return read<T>();
    else if constexpr (std::is_const_v<std::remove_pointer_t<T>>)
      return static_cast<T>(
          upload(read<int64_t>() * sizeof(std::remove_pointer_t<T>)));
    else
      return static_cast<T>(makeResult<std::remove_pointer_t<T>>());
  }

  /// After the call.
  void finish(const std::string &results) {
    std::ofstream out(results, std::ios::binary);
    for (Result &result : all) {
      if (result.where)
        std::memcpy(&result.memory, result.where, sizeof(void *));
      std::vector<char> bytes(result.bytes);
      if (result.isOnHost)
        std::memcpy(bytes.data(), result.memory, result.bytes);
      else if (result.bytes)
        REQUIRE(cudaMemcpyAsync(bytes.data(), result.memory, result.bytes,
                                cudaMemcpyDeviceToHost, stream));
      REQUIRE(cudaStreamSynchronize(stream));
      out.write(bytes.data(), bytes.size());
      if (result.where)
        REQUIRE(cudaFreeAsync(result.memory, stream));
    }
    for (void *memory : owned)
      REQUIRE(cudaFreeAsync(memory, stream));
    REQUIRE(cudaStreamSynchronize(stream));
    require(!out, results.c_str());
  }

private:
  struct Result {
    void *memory;
    size_t bytes;
    bool isOnHost;
    /// Where the function puts the pointer to memory of its own.
    void *where;
  };

  void *allocate(size_t bytes) {
    if (!bytes)
      return nullptr;
    void *memory = nullptr;
    REQUIRE(cudaMallocAsync(&memory, bytes, stream));
    owned.push_back(memory);
    return memory;
  }

  void *upload(size_t bytes) {
    std::vector<char> values(bytes);
    file.read(values.data(), bytes);
    require(!file, "what is given is too short");
    void *memory = allocate(bytes);
    if (bytes)
      REQUIRE(cudaMemcpyAsync(memory, values.data(), bytes,
                              cudaMemcpyHostToDevice, stream));
    REQUIRE(cudaStreamSynchronize(stream));
    return memory;
  }

  template <class T>
  void *makeResult() {
    int64_t count = read<int64_t>();
    if constexpr (std::is_pointer_v<T>) {
      host.emplace_back();
      void *where = &host.back();
      all.push_back(
          {nullptr, count * sizeof(std::remove_pointer_t<T>), false, where});
      return where;
    }
    bool isOnHost = count < 0;
    size_t bytes = isOnHost ? sizeof(T) : count * sizeof(T);
    if (isOnHost)
      host.emplace_back();
    void *memory = isOnHost ? &host.back() : allocate(bytes);
    all.push_back({memory, bytes, isOnHost, nullptr});
    return memory;
  }

  std::ifstream file;
  cudaStream_t stream;
  std::vector<void *> owned;
  std::vector<Result> all;
  /// Numbers and pointers that the function puts somewhere.
  std::deque<int64_t> host;
};

/// A call of which the operands are made in their order, as initializers are.
struct Call {
  int status;

  template <class Device, class Communicators, class... Parameters>
  Call(int (*function)(const Device &, const Communicators &, Parameters...),
       const Device &device, const Communicators &communicators,
       Parameters... operands)
      : status(function(device, communicators, operands...)) {}
};

/// A function of any signature, on one rank.
using Function = std::function<void(ncclComm_t world, const std::string &given,
                                    const std::string &results)>;

template <class Device, class Communicators, class... Parameters>
Function makeFunction(int (*function)(const Device &, const Communicators &,
                                      Parameters...)) {
  return [function](ncclComm_t world, const std::string &given,
                    const std::string &results) {
    Device device{};
    REQUIRE(cudaStreamCreateWithFlags(&device.compute, cudaStreamNonBlocking));
    REQUIRE(cudaStreamCreateWithFlags(&device.communication,
                                      cudaStreamNonBlocking));
    REQUIRE(cudaEventCreateWithFlags(&device.event, cudaEventDisableTiming));
    REQUIRE(cublasLtCreate(&device.blas));
    {
      Values values(given, device.compute);
      std::vector<ncclComm_t> groups(values.read<int64_t>());
      for (ncclComm_t &group : groups) {
        int color = values.read<int64_t>(), key = values.read<int64_t>();
        REQUIRE(ncclCommSplit(world, color, key, &group, nullptr));
      }
      // A struct of these and nothing else.
      Communicators communicators{};
      require(groups.size() * sizeof(ncclComm_t) >
                  (std::is_empty_v<Communicators> ? 0 : sizeof communicators),
              "communicators");
      std::memcpy(&communicators, groups.data(),
                  groups.size() * sizeof(ncclComm_t));
      const Call call{function, device, communicators,
                      values.make<Parameters>()...};
      REQUIRE(call.status);
      values.finish(results);
      for (ncclComm_t group : groups)
        REQUIRE(ncclCommDestroy(group));
    }
    REQUIRE(cublasLtDestroy(device.blas));
    REQUIRE(cudaEventDestroy(device.event));
    REQUIRE(cudaStreamDestroy(device.communication));
    REQUIRE(cudaStreamDestroy(device.compute));
  };
}

/// Runs a function on threads, each with a device of its own: for rank 0
/// FOLDER/NAME.0.given and FOLDER/NAME.0.results.
inline void run(const std::string &folder, const std::string &name, int ranks,
                const Function &function) {
  std::fprintf(stderr, "%s on %d ranks\n", name.c_str(), ranks);
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      REQUIRE(cudaSetDevice(rank));
      ncclComm_t world = nullptr;
      REQUIRE(ncclCommInitRank(&world, ranks, id, rank));
      std::string path = folder + "/" + name + "." + std::to_string(rank);
      function(world, path + ".given", path + ".results");
      REQUIRE(ncclCommDestroy(world));
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace driver
