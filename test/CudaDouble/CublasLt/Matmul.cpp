//===- Matmul.cpp - Matrix products by three loops ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasLt/Descriptors.h"
#include "CublasLt/Problem.h"
#include "Engine/Report.h"
#include "Engine/Stream.h"

#include <set>

using namespace mlir::comm::cudadouble;

/// What a cublasLtHandle_t points to.
struct cublasLtContext {};

static std::mutex handlesMutex;
static std::set<cublasLtHandle_t> handles;

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  if (cublasStatus_t status = enter("cublasLtCreate"))
    return status;
  std::lock_guard<std::mutex> lock(handlesMutex);
  *handle = new cublasLtContext();
  handles.insert(*handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  if (cublasStatus_t status = enter("cublasLtDestroy"))
    return status;
  std::lock_guard<std::mutex> lock(handlesMutex);
  if (!handles.erase(handle))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

size_t cublasLtGetVersion() { return CUBLAS_VERSION; }

static bool isAlive(cublasLtHandle_t handle) {
  std::lock_guard<std::mutex> lock(handlesMutex);
  return handles.count(handle);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preferenceHandle, int requested,
    cublasLtMatmulHeuristicResult_t results[], int *returned) {
  if (cublasStatus_t status = enter("cublasLtMatmulAlgoGetHeuristic"))
    return status;
  *returned = 0;
  if (!isAlive(handle))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  auto *preference = getDescriptor<Preference>(preferenceHandle);
  Problem problem;
  if (!preference || requested < 1)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (cublasStatus_t status =
          problem.set(getDescriptor<MatmulDesc>(desc), getDescriptor<Layout>(a),
                      getDescriptor<Layout>(b), getDescriptor<Layout>(c),
                      getDescriptor<Layout>(d)))
    return status;
  const Layout *layouts[] = {&problem.a, &problem.b, &problem.c, &problem.d};
  for (int i = 0; i < 4; ++i)
    if (preference->alignment[i] < getBytes(layouts[i]->type))
      return CUBLAS_STATUS_NOT_SUPPORTED;
  cublasLtMatmulHeuristicResult_t &result = results[0];
  result = {};
  // Some, so that whoever forgets to give it is found out.
  uint64_t workspace = std::min<uint64_t>(preference->workspace, 4096);
  auto *algorithm = new (&result.algo) Algorithm();
  algorithm->workspace = workspace;
  algorithm->problem = problem.hash();
  std::memcpy(algorithm->alignment, preference->alignment,
              sizeof algorithm->alignment);
  result.workspaceSize = workspace;
  result.state = CUBLAS_STATUS_SUCCESS;
  result.wavesCount = 1;
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

/// Whether the matrices of a batch lie between each other's rows.
static bool isInterleaved(const Layout &layout) {
  bool isColumnMajor = layout.order == CUBLASLT_ORDER_COL;
  int64_t inner = isColumnMajor ? layout.rows : layout.cols;
  return layout.batch > 1 && layout.stride >= inner &&
         layout.leading >= (layout.batch - 1) * layout.stride + inner;
}

/// The bytes from the first to the last element of each matrix of a batch.
static void addAccesses(Operation &operation, const void *pointer,
                        const Layout &layout, bool write) {
  uint64_t bytes = getBytes(layout.type);
  uint64_t inner =
      layout.order == CUBLASLT_ORDER_COL ? layout.rows : layout.cols;
  uint64_t outer =
      layout.order == CUBLASLT_ORDER_COL ? layout.cols : layout.rows;
  uint64_t extent = ((outer - 1) * layout.leading + inner) * bytes;
  for (int64_t i = 0; i < layout.batch; ++i)
    operation.accesses.push_back(
        {reinterpret_cast<uint64_t>(pointer) + i * layout.stride * bytes,
         extent, write});
}

/// Reports what is wrong with the memory that the operation uses.
static bool checkMemory(Engine &engine, const Operation &operation,
                        const Stream &stream, size_t cAccess,
                        bool isInterleaved) {
  auto isResult = [&](const Access &access) {
    return &access >= operation.accesses.data() + cAccess;
  };
  for (const Access &access : operation.accesses) {
    Allocation *allocation =
        engine.memory.check(access.address, access.bytes, "cublasLtMatmul");
    if (!allocation)
      return false;
    if (allocation->kind == MemoryKind::Device &&
        allocation->device != stream.device) {
      report("pointer", "cublasLtMatmul: memory of another device");
      return false;
    }
    for (const Access &other : operation.accesses)
      if (other.write && &other != &access &&
          other.address < access.address + access.bytes &&
          access.address < other.address + other.bytes &&
          other.address != access.address &&
          !(isInterleaved && isResult(access) && isResult(other))) {
        report("pointer", "cublasLtMatmul: what is written overlaps what is "
                          "read");
        return false;
      }
  }
  return true;
}

static bool checkAlgorithm(const Algorithm *algorithm, const Problem &problem,
                           const void *const pointers[4],
                           size_t workspaceBytes) {
  static const char *const names[] = {"A", "B", "C", "D"};
  if (!algorithm || algorithm->problem != problem.hash()) {
    report("handle", "cublasLtMatmul: the algorithm was chosen for another "
                     "problem");
    return false;
  }
  for (int i = 0; i < 4; ++i)
    if ((i != 2 || problem.usesC()) &&
        reinterpret_cast<uint64_t>(pointers[i]) % algorithm->alignment[i]) {
      report("pointer",
             std::string("cublasLtMatmul: the algorithm was chosen for ") +
                 names[i] + " at a multiple of " +
                 std::to_string(algorithm->alignment[i]) + " bytes");
      return false;
    }
  if (workspaceBytes < algorithm->workspace) {
    report("pointer", "cublasLtMatmul: the workspace is smaller than the "
                      "algorithm's");
    return false;
  }
  return true;
}

cublasStatus_t
cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
               const void *alpha, const void *a, cublasLtMatrixLayout_t aLayout,
               const void *b, cublasLtMatrixLayout_t bLayout, const void *beta,
               const void *c, cublasLtMatrixLayout_t cLayout, void *d,
               cublasLtMatrixLayout_t dLayout, const cublasLtMatmulAlgo_t *algo,
               void *workspace, size_t workspaceBytes,
               cudaStream_t streamHandle) {
  const char *entry = "cublasLtMatmul";
  if (cublasStatus_t status = enter(entry))
    return status;
  if (!isAlive(handle))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  Problem problem;
  if (cublasStatus_t status = problem.set(
          getDescriptor<MatmulDesc>(desc), getDescriptor<Layout>(aLayout),
          getDescriptor<Layout>(bLayout), getDescriptor<Layout>(cLayout),
          getDescriptor<Layout>(dLayout)))
    return status;
  if (!alpha || !beta)
    return CUBLAS_STATUS_INVALID_VALUE;
  problem.setFactors(alpha, beta);
  const void *pointers[] = {a, b, c, d};
  auto *algorithm = algo ? getDescriptor<const Algorithm>(algo) : nullptr;
  if (algo && !checkAlgorithm(algorithm, problem, pointers, workspaceBytes))
    return CUBLAS_STATUS_INVALID_VALUE;

  Engine &engine = getEngine();
  std::lock_guard<std::mutex> lock(engine.mutex);
  Stream *stream = engine.findStream(streamHandle, entry);
  if (!stream)
    return CUBLAS_STATUS_EXECUTION_FAILED;
  if (engine.deviceErrors[stream->device])
    return CUBLAS_STATUS_EXECUTION_FAILED;
  if (stream->device != getCaller().device) {
    report("handle", "cublasLtMatmul: the stream is not of the current device");
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
  Operation operation;
  operation.entry = entry;
  addAccesses(operation, a, problem.a, false);
  addAccesses(operation, b, problem.b, false);
  size_t cAccess = operation.accesses.size();
  if (problem.usesC())
    addAccesses(operation, c, problem.c, false);
  size_t dAccess = operation.accesses.size();
  addAccesses(operation, d, problem.d, true);
  if (algorithm && algorithm->workspace)
    operation.accesses.push_back(
        {reinterpret_cast<uint64_t>(workspace), algorithm->workspace, true});
  if (!checkMemory(engine, operation, *stream, cAccess,
                   isInterleaved(problem.d)))
    return CUBLAS_STATUS_INVALID_VALUE;
  operation.run = [=](Operation &self) {
    for (const Bytes &bytes : self.memory)
      if (!bytes)
        return;
    for (int64_t i = 0; i < problem.d.batch; ++i)
      problem.multiply(self.at(i), self.at(problem.d.batch + i),
                       problem.usesC() ? self.at(cAccess + i) : nullptr,
                       self.at(dAccess + i));
  };
  engine.issue(*stream, std::move(operation));
  return CUBLAS_STATUS_SUCCESS;
}
