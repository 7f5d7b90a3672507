//===- CudaContext.cpp - One rank on a CUDA device ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaContext.h"

#include "Range.h"

#include <cstring>
#include <thread>

using namespace mlir::comm::runtime;

/// What `read` takes through pinned memory: the numbers that programs branch
/// on.
static constexpr int64_t pinnedBytes = 4096;

/// What stands for memory on a rank that has failed: nothing uses it.
static char noMemory;

static std::unique_ptr<MemorySource>
getSource(std::unique_ptr<MemorySource> given,
          const std::shared_ptr<CudaStreams> &streams) {
  return given ? std::move(given) : createPoolSource(streams);
}

CudaContext::CudaContext(World &world, int64_t rank,
                         std::shared_ptr<CudaStreams> streams,
                         std::unique_ptr<MemorySource> memory)
    : Context(world, rank, getSource(std::move(memory), streams)),
      streams(streams), permanent(createPoolSource(streams)) {}

CudaContext::~CudaContext() {
  streams->waitForAll();
  if (pinned && !streams->isAbandoned())
    (void)cudaFreeHost(pinned);
}

Status CudaContext::failIn(const char *call, const std::string &text,
                           const CommSite *site) {
  std::string where = site && site->op ? describe(site->op, site) + ": " : "";
  return fail(COMM_INVALID, where + call + ": " + text);
}

/// Whether an error is that of work which a call has started before this one.
static bool isFoundLate(cudaError_t error) {
  switch (error) {
  case cudaErrorAssert:
  case cudaErrorECCUncorrectable:
  case cudaErrorHardwareStackError:
  case cudaErrorIllegalAddress:
  case cudaErrorIllegalInstruction:
  case cudaErrorInvalidAddressSpace:
  case cudaErrorInvalidPc:
  case cudaErrorLaunchFailure:
  case cudaErrorLaunchTimeout:
  case cudaErrorMisalignedAddress:
    return true;
  default:
    return false;
  }
}

std::string CudaContext::describeLastKernels() const {
  std::string text;
  for (size_t i = 0; i < started.size(); ++i) {
    const Started &one = started[(numStarted + i) % started.size()];
    if (!one.kernel)
      continue;
    text += text.empty() ? "; the last kernels that were started: " : ", ";
    text += "'" + std::string(one.kernel->name) + "'";
    if (one.site && one.site->op)
      text += " of " + describe(one.site->op, one.site);
  }
  return text;
}

Status CudaContext::check(CudaResult result, const CommSite *site) {
  if (!result)
    return COMM_SUCCESS;
  // It is told here and not by the next call.
  (void)cudaGetLastError();
  return failIn(result.call,
                cudaGetErrorString(result.error) +
                    (isFoundLate(result.error) ? describeLastKernels() : ""),
                site);
}

Status CudaContext::beginCommunication(const CommSite *site) {
  return check(streams->beginCommunication(), site);
}

Status CudaContext::beginCompute(const CommSite *site) {
  return check(streams->beginCompute(), site);
}

void *CudaContext::tryAllocate(int64_t bytes) {
  return getArena().tryAllocate(bytes);
}

void *CudaContext::allocate(int64_t bytes) {
  if (getStatus() != COMM_SUCCESS)
    return &noMemory;
  if (void *memory = tryAllocate(bytes))
    return memory;
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess && error != cudaErrorMemoryAllocation) {
    check(error, "cudaMallocAsync", nullptr);
    return &noMemory;
  }
  size_t free = 0, total = 0;
  std::string rest;
  if (cudaMemGetInfo(&free, &total) == cudaSuccess)
    rest = ": " + std::to_string(free) + " of " + std::to_string(total) +
           " bytes are free on device " + std::to_string(getDevice());
  fail(COMM_NO_MEMORY, "no device memory for a buffer of " +
                           std::to_string(bytes) + " bytes" + rest);
  return &noMemory;
}

void CudaContext::release(void *memory) { getArena().release(memory); }

void *CudaContext::tryAllocatePermanent(int64_t bytes) {
  void *memory = permanent.tryAllocate(bytes);
  if (!memory)
    (void)cudaGetLastError();
  return memory;
}

void *CudaContext::makeConstant(const void *data, int64_t bytes) {
  Constant &known = constants[data];
  if (known.memory)
    return known.memory;
  known.number = getNumSystemAllocations();
  void *memory = tryAllocatePermanent(bytes);
  if (!memory) {
    fail(COMM_NO_MEMORY, "no device memory for a constant of " +
                             std::to_string(bytes) + " bytes");
    return nullptr;
  }
  if (beginCompute(nullptr) ||
      check(cudaMemcpyAsync(memory, data, bytes, cudaMemcpyHostToDevice,
                            getComputeStream()),
            "cudaMemcpyAsync", nullptr))
    return nullptr;
  return known.memory = memory;
}

void CudaContext::forgetConstantsSince(int64_t number) {
  for (auto it = constants.begin(); it != constants.end();)
    it = it->second.number >= number ? constants.erase(it) : std::next(it);
}

Status CudaContext::runStep(const std::string &key,
                            const std::function<Status()> &function) {
  return getWorld().getOptions().captureSteps ? step.run(key, function)
                                              : function();
}

Status CudaContext::start(const KernelLaunch &launch) {
  Range range(launch.site && launch.site->op ? launch.site->op
                                             : launch.kernel->name);
  if (Status status = beginCompute(launch.site))
    return status;
  return enqueue(launch, getComputeStream());
}

Status CudaContext::enqueue(const KernelLaunch &launch, cudaStream_t stream) {
  CudaKernels::Result found = kernels.find(*launch.kernel);
  if (found.error != cudaSuccess)
    return failIn(found.call,
                  "kernel '" + std::string(launch.kernel->name) +
                      "': " + cudaGetErrorString(found.error) + found.log,
                  launch.site);
  constexpr int64_t mostBlocks = INT32_MAX, mostThreads = 1024;
  if (launch.blocks < 0 || launch.blocks > mostBlocks || launch.threads < 1 ||
      launch.threads > mostThreads)
    return failIn("cudaLaunchKernelExC",
                  "kernel '" + std::string(launch.kernel->name) + "' on " +
                      std::to_string(launch.blocks) + " blocks of " +
                      std::to_string(launch.threads) + " threads",
                  launch.site);
  started[numStarted++ % started.size()] = {launch.kernel, launch.site};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(launch.blocks));
  config.blockDim = dim3(static_cast<unsigned>(launch.threads));
  config.stream = stream;
  return check(cudaLaunchKernelExC(&config,
                                   reinterpret_cast<const void *>(found.kernel),
                                   launch.arguments),
               "cudaLaunchKernelExC", launch.site);
}

Status CudaContext::multiply(const Gemm &gemm) {
  return products.multiply(gemm);
}

Status CudaContext::move(const void *from, void *to, int64_t bytes,
                         Direction direction, const CommSite *site) {
  Range range(site && site->op ? site->op : "copy");
  if (direction != Direction::WithinDevice)
    if (Status status = step.meetHost(site))
      return status;
  if (direction == Direction::ToHost && bytes <= pinnedBytes)
    return readSmall(from, to, bytes, site);
  // Copies to memory that is not pinned block: not before there is something to
  // copy, so that a failure can end the wait.
  if (direction == Direction::ToHost)
    if (Status status = waitForDevice(site))
      return status;
  if (Status status = beginCompute(site))
    return status;
  cudaMemcpyKind kind =
      direction == Direction::WithinDevice ? cudaMemcpyDeviceToDevice
      : direction == Direction::FromHost   ? cudaMemcpyHostToDevice
                                           : cudaMemcpyDeviceToHost;
  if (Status status =
          check(cudaMemcpyAsync(to, from, bytes, kind, getComputeStream()),
                "cudaMemcpyAsync", site))
    return status;
  return direction == Direction::WithinDevice ? COMM_SUCCESS
                                              : waitForDevice(site);
}

Status CudaContext::readSmall(const void *from, void *host, int64_t bytes,
                              const CommSite *site) {
  if (Status status = beginCompute(site))
    return status;
  if (!pinned)
    if (Status status =
            check(cudaMallocHost(&pinned, pinnedBytes), "cudaMallocHost", site))
      return status;
  if (Status status =
          check(cudaMemcpyAsync(pinned, from, bytes, cudaMemcpyDeviceToHost,
                                getComputeStream()),
                "cudaMemcpyAsync", site))
    return status;
  if (Status status = waitForDevice(site))
    return status;
  std::memcpy(host, pinned, bytes);
  return COMM_SUCCESS;
}

Status CudaContext::waitForDevice(const CommSite *site) {
  if (Status status = check(streams->markEnd(), site))
    return status;
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  while (true) {
    cudaError_t error = streams->queryEnd();
    // What has come to its end may only have been aborted.
    if (error != cudaErrorNotReady) {
      Status status = check(error, "cudaEventQuery", site);
      return status ? status : getStatus();
    }
    // What this rank waits for may never come.
    if (Status status = getStatus())
      return status;
    Clock::duration waited = Clock::now() - start;
    if (longestWait.count() != 0 && waited > longestWait)
      return fail(COMM_TIMEOUT, "timeout: the device has not done in " +
                                    std::to_string(longestWait.count()) +
                                    " ms what it was given, " +
                                    describeActivity());
    if (waited < std::chrono::milliseconds(1))
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}
