//===- MatmulTests.cpp - cuBLASLt's matrix products -----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DoubleTesting.h"

#include <cublasLt.h>
#include <cuda_fp16.h>

using namespace mlir::comm::cudadouble;

namespace {

struct Matrix {
  uint64_t rows, cols;
  int64_t leading;
  cublasLtOrder_t order = CUBLASLT_ORDER_COL;
  int64_t stride = 0;
};

class Matmul : public DoubleTest {
protected:
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  std::vector<cublasLtMatmulDesc_t> descs;
  std::vector<cublasLtMatrixLayout_t> layouts;
  cublasLtMatmulHeuristicResult_t found = {};
  cudaStream_t stream = makeStream();
  void *workspace = allocate<char>(4096);
  float alpha = 1, beta = 0;

  Matmul() { EXPECT_EQ(cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS); }
  ~Matmul() override {
    cudaStreamSynchronize(stream);
    cudaFree(workspace);
    cudaStreamDestroy(stream);
    for (cublasLtMatmulDesc_t made : descs)
      cublasLtMatmulDescDestroy(made);
    for (cublasLtMatrixLayout_t made : layouts)
      cublasLtMatrixLayoutDestroy(made);
    cublasLtDestroy(handle);
  }

  cublasLtMatrixLayout_t makeLayout(const Matrix &matrix, cudaDataType type,
                                    int32_t batch) {
    cublasLtMatrixLayout_t layout;
    cublasLtMatrixLayoutCreate(&layout, type, matrix.rows, matrix.cols,
                               matrix.leading);
    layouts.push_back(layout);
    auto set = [&](cublasLtMatrixLayoutAttribute_t attribute, auto value) {
      EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value,
                                                 sizeof value),
                CUBLAS_STATUS_SUCCESS);
    };
    set(CUBLASLT_MATRIX_LAYOUT_ORDER, int32_t(matrix.order));
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batch);
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, matrix.stride);
    return layout;
  }

  /// Finds an algorithm for pointers at multiples of `alignment`.
  cublasStatus_t set(const Matrix &x, const Matrix &y, const Matrix &z,
                     cudaDataType type = CUDA_R_32F, bool transposeA = false,
                     bool transposeB = false, int32_t batch = 1,
                     uint32_t alignment = 16,
                     cublasComputeType_t compute = CUBLAS_COMPUTE_32F) {
    cublasLtMatmulDescCreate(&desc, compute, CUDA_R_32F);
    descs.push_back(desc);
    cublasOperation_t ops[] = {transposeA ? CUBLAS_OP_T : CUBLAS_OP_N,
                               transposeB ? CUBLAS_OP_T : CUBLAS_OP_N};
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &ops[0],
                                   sizeof ops[0]);
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &ops[1],
                                   sizeof ops[1]);
    a = makeLayout(x, type, batch);
    b = makeLayout(y, type, batch);
    c = makeLayout(z, type, batch);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulPreferenceCreate(&preference);
    uint64_t bytes = 4096;
    cublasLtMatmulPreferenceSetAttribute(
        preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
        sizeof bytes);
    for (auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                           CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                           CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                           CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      cublasLtMatmulPreferenceSetAttribute(preference, attribute, &alignment,
                                           sizeof alignment);
    int number = 0;
    cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle, desc, a, b, c, c, preference, 1, &found, &number);
    cublasLtMatmulPreferenceDestroy(preference);
    return status;
  }

  cublasStatus_t run(const void *x, const void *y, void *z) {
    return cublasLtMatmul(handle, desc, &alpha, x, a, y, b, &beta, z, c, z, c,
                          &found.algo, workspace, found.workspaceSize, stream);
  }
};

using Floats = std::vector<float>;

} // namespace

TEST_F(Matmul, ColumnMajor) {
  // (1 3 5; 2 4 6) (1 4; 2 5; 3 6)
  float *x = upload<float>({1, 2, 3, 4, 5, 6}, stream), *z = allocate<float>(4);
  ASSERT_EQ(set({2, 3, 2}, {3, 2, 3}, {2, 2, 2}), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(run(x, x, z), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(download(z, 4, stream), (Floats{22, 28, 49, 64}));
  alpha = 2, beta = -1;
  EXPECT_EQ(run(x, x, z), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(download(z, 4, stream), (Floats{22, 28, 49, 64}));
}

TEST_F(Matmul, RowMajorTransposedAndPadded) {
  // (1 2; 3 4) in rows of three, times its transpose.
  float *x = upload<float>({1, 2, 9, 3, 4, 9}, stream);
  float *z = allocate<float>(4);
  Matrix padded{2, 2, 3, CUBLASLT_ORDER_ROW};
  ASSERT_EQ(set(padded, padded, {2, 2, 2, CUBLASLT_ORDER_ROW}, CUDA_R_32F,
                false, true),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(run(x, x, z), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(download(z, 4, stream), (Floats{5, 11, 11, 25}));
}

TEST_F(Matmul, Batches) {
  float *x = upload<float>({1, 2, 3, 4}, stream);
  float *z = allocate<float>(4);
  // The same right factor for all.
  ASSERT_EQ(set({2, 1, 2, CUBLASLT_ORDER_COL, 2}, {1, 1, 1},
                {2, 1, 2, CUBLASLT_ORDER_COL, 2}, CUDA_R_32F, false, false, 2),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(run(x, x + 2, z), CUBLAS_STATUS_INVALID_VALUE);
  expectReport("pointer", "chosen for B at a multiple of 16");
  float *three = upload<float>({3}, stream);
  EXPECT_EQ(run(x, three, z), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(download(z, 4, stream), (Floats{3, 6, 9, 12}));
}

TEST_F(Matmul, HalvesAccumulateInFloats) {
  std::vector<__half> ones(3, __half(1.0f)), left = ones;
  left[0] = __half(2048.0f);
  __half *x = upload(left, stream), *y = upload(ones, stream);
  __half *z = allocate<__half>(1);
  ASSERT_EQ(set({1, 3, 1}, {3, 1, 3}, {1, 1, 1}, CUDA_R_16F),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(run(x, y, z), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(__half2float(download(z, 1, stream)[0]), 2050);
}

TEST_F(Matmul, Tf32IsLessThanF32) {
  float value = 1 + 1.0f / 4096;
  float *x = upload<float>({value}, stream), *one = upload<float>({1}, stream);
  float *z = allocate<float>(1);
  Matrix scalar{1, 1, 1};
  ASSERT_EQ(set(scalar, scalar, scalar), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(run(x, one, z), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(download(z, 1, stream)[0], value);
  ASSERT_EQ(set(scalar, scalar, scalar, CUDA_R_32F, false, false, 1, 16,
                CUBLAS_COMPUTE_32F_FAST_TF32),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(run(x, one, z), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(download(z, 1, stream)[0], 1);
}

TEST_F(Matmul, ShapesAndTypesAreChecked) {
  EXPECT_EQ(set({2, 3, 2}, {2, 2, 2}, {2, 2, 2}), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(set({2, 3, 1}, {3, 2, 3}, {2, 2, 2}), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(set({2, 0, 2}, {0, 2, 1}, {2, 2, 2}), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(set({1, 1, 1}, {1, 1, 1}, {1, 1, 1}, CUDA_R_64F),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(
      set({1, 1, 1}, {1, 1, 1}, {1, 1, 1}, CUDA_R_16F, false, false, 1, 1),
      CUBLAS_STATUS_NOT_SUPPORTED);
}

TEST_F(Matmul, MemoryIsChecked) {
  float host[4], *x = allocate<float>(4), *z = allocate<float>(4);
  Matrix square{2, 2, 2};
  ASSERT_EQ(set(square, square, square, CUDA_R_32F, false, false, 1, 4),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(run(host, x, z), CUBLAS_STATUS_INVALID_VALUE);
  expectReport("pointer", "no memory that a device can reach");
  EXPECT_EQ(run(x, x + 1, z), CUBLAS_STATUS_INVALID_VALUE);
  expectReport("pointer", "go beyond the end");
  float *both = allocate<float>(6);
  EXPECT_EQ(run(both, x, both + 2), CUBLAS_STATUS_INVALID_VALUE);
  expectReport("pointer", "overlaps what is read");
  found.workspaceSize = 0;
  EXPECT_EQ(run(x, x, z), CUBLAS_STATUS_INVALID_VALUE);
  expectReport("pointer", "the workspace is smaller");
}

TEST_F(Matmul, RacesOnTheWorkspace) {
  float *x = upload<float>({1, 2, 3, 4}, stream), *z = allocate<float>(4);
  cudaStreamSynchronize(stream);
  Matrix square{2, 2, 2};
  ASSERT_EQ(set(square, square, square), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(run(x, x, z), CUBLAS_STATUS_SUCCESS);
  cudaStream_t first = stream;
  stream = makeStream();
  float *other = allocate<float>(4);
  EXPECT_EQ(run(x, x, other), CUBLAS_STATUS_SUCCESS);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  stream = first;
  cudaStreamSynchronize(stream);
  expectReport("race", "writes 4096 bytes");
}

TEST_F(Matmul, AnAlgorithmIsOfItsProblem) {
  float *x = upload<float>({1, 2, 3, 4}, stream), *z = allocate<float>(4);
  Matrix square{2, 2, 2};
  ASSERT_EQ(set(square, square, square), CUBLAS_STATUS_SUCCESS);
  auto other = found;
  ASSERT_EQ(set(square, square, square, CUDA_R_32F, true),
            CUBLAS_STATUS_SUCCESS);
  found = other;
  EXPECT_EQ(run(x, x, z), CUBLAS_STATUS_INVALID_VALUE);
  expectReport("handle", "chosen for another problem");
}
