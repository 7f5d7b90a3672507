//===- CudaGemm.cpp - Matrix products through cuBLASLt --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaGemm.h"

#include "CudaContext.h"
#include "Range.h"
#include "comm/Runtime/ElementTypes.h"

#include <algorithm>

using namespace mlir::comm::runtime;

namespace {
/// How cuBLASLt names an element type, and what it computes in.
struct Types {
  cudaDataType_t element;
  cublasComputeType_t compute;
  cudaDataType_t scale;
};

/// Owns what one of cuBLASLt's create functions gave.
template <typename T, cublasStatus_t (*Destroy)(T)>
class Owned {
public:
  Owned() = default;
  Owned(const Owned &) = delete;
  Owned &operator=(const Owned &) = delete;
  ~Owned() {
    if (value)
      (void)Destroy(value);
  }
  T *address() { return &value; }
  operator T() const { return value; }

private:
  T value = nullptr;
};
using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Desc = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Preference =
    Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

/// A matrix as it lies in memory: row-major.
struct Stored {
  int64_t rows, columns, leading, stride;
};
} // namespace

/// cuBLASLt is column-major and sees the transpose of each matrix. So it is
/// asked for C^T = op(B)^T op(A)^T: B is its first operand, A its second, each
/// transposed where it was.
struct CudaGemm::Plan {
  Desc desc;
  Layout a, b, c;
  cublasLtMatmulAlgo_t algorithm;
  size_t workspaceBytes;
};

static std::optional<Types> getTypes(int32_t type) {
  // CUBLAS_COMPUTE_32F never rounds f32 operands to TF32.
  switch (type) {
  case COMM_F16:
    return Types{CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
  case COMM_BF16:
    return Types{CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
  case COMM_F32:
    return Types{CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
  case COMM_F64:
    return Types{CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F};
  }
  return std::nullopt;
}

/// The largest power of two, up to what kernels may want, that the address is a
/// multiple of.
static int64_t getAlignment(const void *memory) {
  constexpr uintptr_t most = 256;
  auto address = reinterpret_cast<uintptr_t>(memory) | most;
  return static_cast<int64_t>(address & -address);
}

CudaGemm::CudaGemm(CudaContext &context) : context(context) {}

CudaGemm::~CudaGemm() {
  plans.clear();
  if (handle && !context.isAbandoned())
    (void)cublasLtDestroy(handle);
}

Status CudaGemm::check(cublasStatus_t error, const char *call,
                       const Gemm &gemm) {
  if (error == CUBLAS_STATUS_SUCCESS)
    return COMM_SUCCESS;
  return context.failIn(
      call,
      std::string(cublasLtGetStatusString(error)) + " in a matrix product " +
          std::to_string(gemm.batch) + " x (" + std::to_string(gemm.m) + " x " +
          std::to_string(gemm.k) + ") (" + std::to_string(gemm.k) + " x " +
          std::to_string(gemm.n) + ") of " +
          getName(static_cast<CommDataType>(gemm.type)),
      gemm.site);
}

CudaGemm::Key CudaGemm::getKey(const Gemm &gemm) const {
  return {gemm.type,
          gemm.transposeA,
          gemm.transposeB,
          gemm.batch,
          gemm.m,
          gemm.n,
          gemm.k,
          gemm.lda,
          gemm.strideA,
          gemm.ldb,
          gemm.strideB,
          gemm.beta,
          gemm.ldc,
          gemm.strideC,
          getAlignment(gemm.a),
          getAlignment(gemm.b),
          getAlignment(gemm.c)};
}

Status CudaGemm::open(const Gemm &gemm) {
  if (handle)
    return COMM_SUCCESS;
  if (Status status = check(cublasLtCreate(&handle), "cublasLtCreate", gemm))
    return status;
  // What cuBLAS itself takes on recent devices. Without, there are algorithms
  // that need none.
  constexpr size_t wanted = 32 << 20;
  workspace = context.tryAllocatePermanent(wanted);
  workspaceBytes = workspace ? wanted : 0;
  return COMM_SUCCESS;
}

static cublasStatus_t makeLayout(Layout &layout, const Types &types,
                                 const Stored &matrix, int64_t batch) {
  cublasStatus_t error = cublasLtMatrixLayoutCreate(
      layout.address(), types.element, matrix.columns, matrix.rows,
      // A matrix of one row may come with any.
      std::max({matrix.leading, matrix.columns, int64_t(1)}));
  auto set = [&](cublasLtMatrixLayoutAttribute_t attribute, auto value) {
    if (error == CUBLAS_STATUS_SUCCESS)
      error = cublasLtMatrixLayoutSetAttribute(layout, attribute, &value,
                                               sizeof value);
  };
  if (batch == 1)
    return error;
  set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<int32_t>(batch));
  set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, matrix.stride);
  return error;
}

static cublasStatus_t makeDesc(Desc &desc, const Types &types,
                               const Gemm &gemm) {
  cublasStatus_t error =
      cublasLtMatmulDescCreate(desc.address(), types.compute, types.scale);
  auto set = [&](cublasLtMatmulDescAttributes_t attribute, bool transpose) {
    cublasOperation_t value = transpose ? CUBLAS_OP_T : CUBLAS_OP_N;
    if (error == CUBLAS_STATUS_SUCCESS)
      error =
          cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof value);
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, gemm.transposeB);
  set(CUBLASLT_MATMUL_DESC_TRANSB, gemm.transposeA);
  return error;
}

static cublasStatus_t makePreference(Preference &preference, const Gemm &gemm,
                                     uint64_t workspaceBytes) {
  cublasStatus_t error = cublasLtMatmulPreferenceCreate(preference.address());
  auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    if (error == CUBLAS_STATUS_SUCCESS)
      error = cublasLtMatmulPreferenceSetAttribute(preference, attribute,
                                                   &value, sizeof value);
  };
  auto alignment = [](const void *memory) {
    return static_cast<uint32_t>(getAlignment(memory));
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspaceBytes);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(gemm.b));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(gemm.a));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(gemm.c));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(gemm.c));
  return error;
}

Status CudaGemm::makePlan(const Gemm &gemm, Plan &plan) {
  Types types = *getTypes(gemm.type);
  auto [aRows, aColumns] =
      gemm.transposeA ? std::pair(gemm.k, gemm.m) : std::pair(gemm.m, gemm.k);
  auto [bRows, bColumns] =
      gemm.transposeB ? std::pair(gemm.n, gemm.k) : std::pair(gemm.k, gemm.n);
  Stored a{aRows, aColumns, gemm.lda, gemm.strideA};
  Stored b{bRows, bColumns, gemm.ldb, gemm.strideB};
  Stored c{gemm.m, gemm.n, gemm.ldc, gemm.strideC};
  for (auto [layout, matrix] :
       {std::pair(&plan.a, a), std::pair(&plan.b, b), std::pair(&plan.c, c)})
    if (Status status = check(makeLayout(*layout, types, matrix, gemm.batch),
                              "cublasLtMatrixLayoutCreate", gemm))
      return status;
  if (Status status = check(makeDesc(plan.desc, types, gemm),
                            "cublasLtMatmulDescCreate", gemm))
    return status;
  Preference preference;
  if (Status status = check(makePreference(preference, gemm, workspaceBytes),
                            "cublasLtMatmulPreferenceCreate", gemm))
    return status;
  cublasLtMatmulHeuristicResult_t found = {};
  int numFound = 0;
  cublasStatus_t error =
      cublasLtMatmulAlgoGetHeuristic(handle, plan.desc, plan.b, plan.a, plan.c,
                                     plan.c, preference, 1, &found, &numFound);
  if (error == CUBLAS_STATUS_SUCCESS && numFound == 0)
    error = CUBLAS_STATUS_NOT_SUPPORTED;
  plan.algorithm = found.algo;
  plan.workspaceBytes = found.workspaceSize;
  return check(error, "cublasLtMatmulAlgoGetHeuristic", gemm);
}

Status CudaGemm::findPlan(const Gemm &gemm, const Plan *&result) {
  std::unique_ptr<Plan> &plan = plans[getKey(gemm)];
  if (!plan) {
    auto made = std::make_unique<Plan>();
    if (Status status = makePlan(gemm, *made))
      return status;
    plan = std::move(made);
  }
  result = plan.get();
  return COMM_SUCCESS;
}

Status CudaGemm::fillZeros(const Gemm &gemm) {
  int64_t size = getByteSize(static_cast<CommDataType>(gemm.type));
  // Row by row: nobody multiplies matrices without an inner dimension often.
  for (int64_t index = 0; index < gemm.batch; ++index)
    for (int64_t row = 0; row < gemm.m; ++row) {
      char *begin = static_cast<char *>(gemm.c) +
                    (index * gemm.strideC + row * gemm.ldc) * size;
      if (Status status =
              context.check(cudaMemsetAsync(begin, 0, gemm.n * size,
                                            context.getComputeStream()),
                            "cudaMemsetAsync", gemm.site))
        return status;
    }
  return COMM_SUCCESS;
}

Status CudaGemm::multiply(const Gemm &gemm) {
  if (!getTypes(gemm.type))
    return context.failIn("matrix product",
                          std::string("cuBLASLt has none of ") +
                              getName(static_cast<CommDataType>(gemm.type)),
                          gemm.site);
  if (gemm.batch == 0)
    return COMM_SUCCESS;
  Range range(gemm.site && gemm.site->op ? gemm.site->op : "gemm");
  if (Status status = context.beginCompute(gemm.site))
    return status;
  if (gemm.k == 0)
    return gemm.beta ? COMM_SUCCESS : fillZeros(gemm);
  if (Status status = open(gemm))
    return status;
  const Plan *plan;
  if (Status status = findPlan(gemm, plan))
    return status;
  // Of the type that it scales in.
  float one32 = 1, beta32 = gemm.beta;
  double one64 = 1, beta64 = gemm.beta;
  bool isDouble = gemm.type == COMM_F64;
  const void *one = isDouble ? static_cast<void *>(&one64) : &one32;
  const void *beta = isDouble ? static_cast<void *>(&beta64) : &beta32;
  return check(cublasLtMatmul(handle, plan->desc, one, gemm.b, plan->b, gemm.a,
                              plan->a, beta, gemm.c, plan->c, gemm.c, plan->c,
                              &plan->algorithm, workspace, plan->workspaceBytes,
                              context.getComputeStream()),
               "cublasLtMatmul", gemm);
}
