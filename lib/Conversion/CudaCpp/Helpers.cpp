//===- Helpers.cpp - Functions that the text calls
//-------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::cudacpp;

static constexpr char kGemm[] = R"(
template <class T> struct BlasType;
template <> struct BlasType<float> {
  static constexpr cudaDataType_t data = CUDA_R_32F;
  static constexpr cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  using Scale = float;
};
template <> struct BlasType<double> {
  static constexpr cudaDataType_t data = CUDA_R_64F;
  static constexpr cublasComputeType_t compute = CUBLAS_COMPUTE_64F;
  using Scale = double;
};
template <> struct BlasType<__half> {
  static constexpr cudaDataType_t data = CUDA_R_16F;
  static constexpr cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  using Scale = float;
};
template <> struct BlasType<__nv_bfloat16> {
  static constexpr cudaDataType_t data = CUDA_R_16BF;
  static constexpr cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  using Scale = float;
};

/// C = op(A) op(B), or C += op(A) op(B), `batch` times: op(A) is m x k, op(B)
/// k x n, op the transpose where its flag is set, all row-major.
template <class T>
static int gemm(const Device &device, bool transposeA, bool transposeB,
                int64_t batch, int64_t m, int64_t n, int64_t k, const T *a,
                int64_t lda, int64_t strideA, const T *b, int64_t ldb,
                int64_t strideB, bool accumulate, T *c, int64_t ldc,
                int64_t strideC) {
  if (batch == 0 || m == 0 || n == 0)
    return 0;
  if (k == 0) {
    for (int64_t row = 0; row < batch * m && !accumulate; ++row)
      CHECK_CUDA(cudaMemsetAsync(c + row / m * strideC + row % m * ldc, 0,
                                 n * sizeof(T), device.compute));
    return 0;
  }
  // Row-major memory is the transpose to cuBLASLt: C^T = op(B)^T op(A)^T.
  using Scale = typename BlasType<T>::Scale;
  cudaDataType_t type = BlasType<T>::data;
  cudaDataType_t scale = sizeof(Scale) == 8 ? CUDA_R_64F : CUDA_R_32F;
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t layoutA, layoutB, layoutC;
  cublasLtMatmulPreference_t preference;
  CHECK_BLAS(cublasLtMatmulDescCreate(&product, BlasType<T>::compute, scale));
  cublasOperation_t opA = transposeA ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasOperation_t opB = transposeB ? CUBLAS_OP_T : CUBLAS_OP_N;
  CHECK_BLAS(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &opB, sizeof opB));
  CHECK_BLAS(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSB, &opA, sizeof opA));
  auto create = [&](cublasLtMatrixLayout_t *layout, int64_t rows, int64_t columns,
                    int64_t leading, int64_t stride) -> int {
    int32_t count = int32_t(batch);
    // One row of any leading dimension.
    leading = std::max(leading, rows);
    CHECK_BLAS(cublasLtMatrixLayoutCreate(layout, type, rows, columns, leading));
    CHECK_BLAS(cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count));
    CHECK_BLAS(cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride));
    return 0;
  };
  CHECK(create(&layoutA, transposeA ? m : k, transposeA ? k : m, lda, strideA));
  CHECK(create(&layoutB, transposeB ? k : n, transposeB ? n : k, ldb, strideB));
  CHECK(create(&layoutC, n, m, ldc, strideC));
  CHECK_BLAS(cublasLtMatmulPreferenceCreate(&preference));
  CHECK_BLAS(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &device.workspaceBytes, sizeof device.workspaceBytes));
  // Buffers start where the program puts them, at multiples of an element.
  uint32_t alignment = sizeof(T);
  for (cublasLtMatmulPreferenceAttributes_t side :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    CHECK_BLAS(cublasLtMatmulPreferenceSetAttribute(preference, side, &alignment, sizeof alignment));
  cublasLtMatmulHeuristicResult_t found;
  int numFound = 0;
  CHECK_BLAS(cublasLtMatmulAlgoGetHeuristic(device.blas, product, layoutB, layoutA, layoutC, layoutC, preference, 1, &found, &numFound));
  if (numFound == 0)
    return fail("cublasLtMatmulAlgoGetHeuristic", "no algorithm", __FILE__, __LINE__);
  Scale alpha = 1, beta = accumulate ? 1 : 0;
  CHECK_BLAS(cublasLtMatmul(device.blas, product, &alpha, b, layoutB, a, layoutA, &beta, c, layoutC, c, layoutC, &found.algo, device.workspace, device.workspaceBytes, device.compute));
  CHECK_BLAS(cublasLtMatmulPreferenceDestroy(preference));
  for (cublasLtMatrixLayout_t layout : {layoutA, layoutB, layoutC})
    CHECK_BLAS(cublasLtMatrixLayoutDestroy(layout));
  CHECK_BLAS(cublasLtMatmulDescDestroy(product));
  return 0;
}
)";

// For collectives that older versions of NCCL have not.
static constexpr char kOldNccl[] = R"(
#if NCCL_VERSION_CODE < NCCL_VERSION(2, 28, 0)
// What NCCL has as functions of its own since 2.28.
static size_t sizeOf(ncclDataType_t type) {
  switch (type) {
  case ncclInt8:
  case ncclUint8:
    return 1;
  case ncclFloat16:
  case ncclBfloat16:
    return 2;
  case ncclInt32:
  case ncclUint32:
  case ncclFloat32:
    return 4;
  default:
    return 8;
  }
}

inline ncclResult_t ncclAlltoAll(const void *send, void *recv, size_t count,
                                 ncclDataType_t type, ncclComm_t communicator,
                                 cudaStream_t stream) {
  int ranks = 0;
  ncclResult_t status = ncclCommCount(communicator, &ranks);
  size_t bytes = count * sizeOf(type);
  if (status == ncclSuccess)
    status = ncclGroupStart();
  for (int rank = 0; rank < ranks && status == ncclSuccess; ++rank) {
    status = ncclSend((const char *)send + rank * bytes, count, type, rank,
                      communicator, stream);
    if (status == ncclSuccess)
      status = ncclRecv((char *)recv + rank * bytes, count, type, rank,
                        communicator, stream);
  }
  return status == ncclSuccess ? ncclGroupEnd() : status;
}

inline ncclResult_t ncclGather(const void *send, void *recv, size_t count,
                               ncclDataType_t type, int root,
                               ncclComm_t communicator, cudaStream_t stream) {
  int ranks = 0, self = 0;
  ncclResult_t status = ncclCommCount(communicator, &ranks);
  if (status == ncclSuccess)
    status = ncclCommUserRank(communicator, &self);
  if (status == ncclSuccess)
    status = ncclGroupStart();
  if (status == ncclSuccess)
    status = ncclSend(send, count, type, root, communicator, stream);
  for (int rank = 0; self == root && rank < ranks && status == ncclSuccess;
       ++rank)
    status = ncclRecv((char *)recv + rank * count * sizeOf(type), count, type,
                      rank, communicator, stream);
  return status == ncclSuccess ? ncclGroupEnd() : status;
}

inline ncclResult_t ncclScatter(const void *send, void *recv, size_t count,
                                ncclDataType_t type, int root,
                                ncclComm_t communicator, cudaStream_t stream) {
  int ranks = 0, self = 0;
  ncclResult_t status = ncclCommCount(communicator, &ranks);
  if (status == ncclSuccess)
    status = ncclCommUserRank(communicator, &self);
  if (status == ncclSuccess)
    status = ncclGroupStart();
  for (int rank = 0; self == root && rank < ranks && status == ncclSuccess;
       ++rank)
    status = ncclSend((const char *)send + rank * count * sizeOf(type), count,
                      type, rank, communicator, stream);
  if (status == ncclSuccess)
    status = ncclRecv(recv, count, type, root, communicator, stream);
  return status == ncclSuccess ? ncclGroupEnd() : status;
}
#endif
)";

namespace {
struct Helper {
  /// Its name, and those of the helpers that it calls.
  StringRef name;
  const char *text;
};
} // namespace

static const Helper helpers[] = {{"oldNccl", kOldNccl},
                                 {"order", R"(
/// What `later` is given from here on waits for what `earlier` has been given.
static cudaError_t order(cudaStream_t earlier, cudaStream_t later,
                         cudaEvent_t event) {
  cudaError_t error = cudaEventRecord(event, earlier);
  return error == cudaSuccess ? cudaStreamWaitEvent(later, event, 0) : error;
}
)"},
                                 {"rankIn", R"(
/// This rank's number in a group.
static int rankIn(ncclComm_t communicator) {
  int rank = 0;
  ncclCommUserRank(communicator, &rank);
  return rank;
}
)"},
                                 {"barrier", R"(
/// Waits, on the stream, for all ranks of a group.
static int barrier(ncclComm_t communicator, cudaStream_t stream) {
  char *byte = nullptr;
  CHECK_CUDA(cudaMallocAsync(&byte, 1, stream));
  CHECK_CUDA(cudaMemsetAsync(byte, 0, 1, stream));
  CHECK_NCCL(ncclAllReduce(byte, byte, 1, ncclUint8, ncclSum, communicator, stream));
  CHECK_CUDA(cudaFreeAsync(byte, stream));
  return 0;
}
)"},
                                 {"permute", R"(
/// Each pair is a source and a target. A rank that nobody sends to gets zeros.
static int permute(const void *send, void *recv, size_t bytes, size_t count,
                   ncclDataType_t type,
                   std::initializer_list<std::pair<int, int>> pairs,
                   ncclComm_t communicator, cudaStream_t stream) {
  int rank = rankIn(communicator);
  char *copy = nullptr;
  if (send == recv && bytes != 0) {
    CHECK_CUDA(cudaMallocAsync(&copy, bytes, stream));
    CHECK_CUDA(cudaMemcpyAsync(copy, send, bytes, cudaMemcpyDeviceToDevice, stream));
    send = copy;
  }
  bool receives = false;
  CHECK_NCCL(ncclGroupStart());
  for (auto [source, target] : pairs) {
    if (source == rank)
      CHECK_NCCL(ncclSend(send, count, type, target, communicator, stream));
    if (target == rank)
      CHECK_NCCL(ncclRecv(recv, count, type, source, communicator, stream));
    receives |= target == rank;
  }
  CHECK_NCCL(ncclGroupEnd());
  if (!receives)
    CHECK_CUDA(cudaMemsetAsync(recv, 0, bytes, stream));
  if (copy)
    CHECK_CUDA(cudaFreeAsync(copy, stream));
  return 0;
}
)"},
                                 {"allToAllInPlace", R"(
/// ncclAlltoAll from a copy of the buffer.
static int allToAllInPlace(void *buffer, size_t bytes, size_t count,
                           ncclDataType_t type, ncclComm_t communicator,
                           cudaStream_t stream) {
  if (bytes == 0)
    return 0;
  char *copy = nullptr;
  CHECK_CUDA(cudaMallocAsync(&copy, bytes, stream));
  CHECK_CUDA(cudaMemcpyAsync(copy, buffer, bytes, cudaMemcpyDeviceToDevice, stream));
  CHECK_NCCL(ncclAlltoAll(copy, buffer, count, type, communicator, stream));
  CHECK_CUDA(cudaFreeAsync(copy, stream));
  return 0;
}
)"},
                                 {"reduceByGather", R"(
struct Sum {
  template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct Product {
  template <class T> __device__ T operator()(T a, T b) const { return a * b; }
};
struct Maximum {
  template <class T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};
struct Minimum {
  template <class T> __device__ T operator()(T a, T b) const { return a < b ? a : b; }
};
struct And {
  template <class T> __device__ T operator()(T a, T b) const { return a & b; }
};
struct Or {
  template <class T> __device__ T operator()(T a, T b) const { return a | b; }
};
struct Xor {
  template <class T> __device__ T operator()(T a, T b) const { return a ^ b; }
};

template <class T, class Operator>
__global__ void reduceRanks(const T *all, T *result, int64_t total, int64_t count,
                            int ranks, Operator reduce) {
  int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  T value = all[i];
  for (int rank = 1; rank < ranks; ++rank)
    value = reduce(value, all[rank * total + i]);
  result[i] = value;
}

/// Reduces `total` elements of each rank, for what NCCL cannot reduce: gives
/// `count` of them from `first` on.
template <class T, class Operator>
static int reduceByGather(const T *send, T *result, int64_t total, int64_t first,
                          int64_t count, Operator reduce,
                          ncclComm_t communicator, cudaStream_t stream) {
  if (count == 0)
    return 0;
  int ranks = 0;
  CHECK_NCCL(ncclCommCount(communicator, &ranks));
  T *all = nullptr;
  CHECK_CUDA(cudaMallocAsync(&all, ranks * total * sizeof(T), stream));
  CHECK_NCCL(ncclAllGather(send, all, total * sizeof(T), ncclUint8, communicator, stream));
  reduceRanks<<<unsigned((count + 255) / 256), 256, 0, stream>>>(
      all + first, result, total, count, ranks, reduce);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaFreeAsync(all, stream));
  return 0;
}
)"},
                                 {"readNumber", R"(
/// Copies a number to the host, and waits for it.
template <class T>
static cudaError_t readNumber(const T *from, T *to, cudaStream_t stream) {
  cudaError_t error =
      cudaMemcpyAsync(to, from, sizeof(T), cudaMemcpyDeviceToHost, stream);
  return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
}
)"},
                                 {"storeNumber", R"(
template <class T> __global__ void storeNumber(T *to, T number) { *to = number; }
)"},
                                 {"bitCast", R"(
/// The number with the same bits.
template <class To, class From>
__host__ __device__ inline To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From), "of the same size");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
)"},
                                 {"maximum", R"(
/// The larger one, or NaN where one is.
template <class T> __host__ __device__ inline T maximum(T a, T b) {
  return a != a || b != b ? a + b : fmax(a, b);
}
)"},
                                 {"minimum", R"(
/// The smaller one, or NaN where one is.
template <class T> __host__ __device__ inline T minimum(T a, T b) {
  return a != a || b != b ? a + b : fmin(a, b);
}
)"},
                                 {"ceilDiv", R"(
/// a / b, rounded up.
template <class T> __host__ __device__ inline T ceilDiv(T a, T b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}
)"},
                                 {"floorDiv", R"(
/// a / b, rounded down.
template <class T> __host__ __device__ inline T floorDiv(T a, T b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
)"},
                                 {"gemm", kGemm}};

std::string cudacpp::getHelpers(const std::set<StringRef> &used) {
  std::string text;
  for (const Helper &helper : helpers)
    // The one that another one calls.
    if (used.count(helper.name) ||
        (helper.name == "rankIn" && used.count("permute")))
      text += helper.text;
  return text;
}
