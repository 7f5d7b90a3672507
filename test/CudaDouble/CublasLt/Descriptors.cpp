//===- Descriptors.cpp - cuBLASLt's descriptors and their attributes ------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasLt/Descriptors.h"
#include "Engine/Report.h"

#include <new>

using namespace mlir::comm::cudadouble;

namespace {

struct StatusName {
  cublasStatus_t status;
  const char *name, *text;
};

} // namespace

static const StatusName statusNames[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
     "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED",
     "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires a feature absent from the device architecture"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR",
     "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the functionality requested is not supported"},
};

const char *cublasLtGetStatusName(cublasStatus_t status) {
  for (const StatusName &known : statusNames)
    if (known.status == status)
      return known.name;
  return "CUBLAS_STATUS_UNKNOWN";
}

const char *cublasLtGetStatusString(cublasStatus_t status) {
  for (const StatusName &known : statusNames)
    if (known.status == status)
      return known.text;
  return "unknown error";
}

cublasStatus_t mlir::comm::cudadouble::enter(const char *entry) {
  count(entry);
  const Caller &caller = getCaller();
  std::optional<Injection> injection =
      findInjection(entry, caller.rank, caller.device);
  if (!injection)
    return CUBLAS_STATUS_SUCCESS;
  for (const StatusName &known : statusNames)
    if (injection->error == known.name)
      return known.status;
  return CUBLAS_STATUS_INTERNAL_ERROR;
}

template <typename T>
static cublasStatus_t read(T &to, const void *from, size_t bytes) {
  if (!from || bytes != sizeof(T))
    return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&to, from, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t refuse(const char *entry, int attribute) {
  report("handle", std::string(entry) +
                       ": the double does not know attribute " +
                       std::to_string(attribute));
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

/// Destroys what a ...Create function has made.
template <typename T, typename Handle>
static cublasStatus_t destroy(const char *entry, Handle handle) {
  if (cublasStatus_t status = enter(entry))
    return status;
  T *descriptor = getDescriptor<T>(handle);
  if (!descriptor) {
    report("handle", std::string(entry) + ": not a live descriptor");
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  descriptor->mark = 0;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc,
                                               size_t,
                                               cublasComputeType_t compute,
                                               cudaDataType_t scale) {
  auto *created = new (desc) MatmulDesc();
  created->compute = compute;
  created->scale = scale;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc,
                                        cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  if (cublasStatus_t status = enter("cublasLtMatmulDescCreate"))
    return status;
  *desc = new cublasLtMatmulDescOpaque_t();
  return cublasLtMatmulDescInit_internal(*desc, sizeof(**desc), compute, scale);
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  return destroy<MatmulDesc>("cublasLtMatmulDescDestroy", desc);
}

cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t handle,
                               cublasLtMatmulDescAttributes_t attribute,
                               const void *from, size_t bytes) {
  const char *entry = "cublasLtMatmulDescSetAttribute";
  if (cublasStatus_t status = enter(entry))
    return status;
  auto *desc = getDescriptor<MatmulDesc>(handle);
  if (!desc)
    return CUBLAS_STATUS_INVALID_VALUE;
  switch (attribute) {
  case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
    return read(desc->compute, from, bytes);
  case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
    return read(desc->scale, from, bytes);
  case CUBLASLT_MATMUL_DESC_POINTER_MODE:
    return read(desc->pointerMode, from, bytes);
  case CUBLASLT_MATMUL_DESC_TRANSA:
    return read(desc->transposeA, from, bytes);
  case CUBLASLT_MATMUL_DESC_TRANSB:
    return read(desc->transposeB, from, bytes);
  case CUBLASLT_MATMUL_DESC_TRANSC:
    return read(desc->transposeC, from, bytes);
  case CUBLASLT_MATMUL_DESC_EPILOGUE:
    return read(desc->epilogue, from, bytes);
  default:
    return refuse(entry, attribute);
  }
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout,
                                                 size_t, cudaDataType type,
                                                 uint64_t rows, uint64_t cols,
                                                 int64_t leading) {
  auto *created = new (layout) Layout();
  created->type = type;
  created->rows = rows;
  created->cols = cols;
  created->leading = leading;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                          cudaDataType type, uint64_t rows,
                                          uint64_t cols, int64_t leading) {
  if (cublasStatus_t status = enter("cublasLtMatrixLayoutCreate"))
    return status;
  *layout = new cublasLtMatrixLayoutOpaque_t();
  return cublasLtMatrixLayoutInit_internal(*layout, sizeof(**layout), type,
                                           rows, cols, leading);
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroy<Layout>("cublasLtMatrixLayoutDestroy", layout);
}

cublasStatus_t
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t handle,
                                 cublasLtMatrixLayoutAttribute_t attribute,
                                 const void *from, size_t bytes) {
  const char *entry = "cublasLtMatrixLayoutSetAttribute";
  if (cublasStatus_t status = enter(entry))
    return status;
  auto *layout = getDescriptor<Layout>(handle);
  if (!layout)
    return CUBLAS_STATUS_INVALID_VALUE;
  switch (attribute) {
  case CUBLASLT_MATRIX_LAYOUT_TYPE:
    return read(layout->type, from, bytes);
  case CUBLASLT_MATRIX_LAYOUT_ORDER:
    return read(layout->order, from, bytes);
  case CUBLASLT_MATRIX_LAYOUT_ROWS:
    return read(layout->rows, from, bytes);
  case CUBLASLT_MATRIX_LAYOUT_COLS:
    return read(layout->cols, from, bytes);
  case CUBLASLT_MATRIX_LAYOUT_LD:
    return read(layout->leading, from, bytes);
  case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
    return read(layout->batch, from, bytes);
  case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
    return read(layout->stride, from, bytes);
  case CUBLASLT_MATRIX_LAYOUT_BATCH_MODE:
    return read(layout->batchMode, from, bytes);
  default:
    return refuse(entry, attribute);
  }
}

cublasStatus_t
cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference,
                                      size_t) {
  new (preference) Preference();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  if (cublasStatus_t status = enter("cublasLtMatmulPreferenceCreate"))
    return status;
  *preference = new cublasLtMatmulPreferenceOpaque_t();
  return cublasLtMatmulPreferenceInit_internal(*preference,
                                               sizeof(**preference));
}

cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy<Preference>("cublasLtMatmulPreferenceDestroy", preference);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t handle,
    cublasLtMatmulPreferenceAttributes_t attribute, const void *from,
    size_t bytes) {
  const char *entry = "cublasLtMatmulPreferenceSetAttribute";
  if (cublasStatus_t status = enter(entry))
    return status;
  auto *preference = getDescriptor<Preference>(handle);
  if (!preference)
    return CUBLAS_STATUS_INVALID_VALUE;
  switch (attribute) {
  case CUBLASLT_MATMUL_PREF_SEARCH_MODE:
    return read(preference->search, from, bytes);
  case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
    return read(preference->workspace, from, bytes);
  case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
    return read(preference->reductionMask, from, bytes);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
    return read(preference->alignment[0], from, bytes);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
    return read(preference->alignment[1], from, bytes);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
    return read(preference->alignment[2], from, bytes);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
    return read(preference->alignment[3], from, bytes);
  case CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT:
    return read(preference->waves, from, bytes);
  default:
    return refuse(entry, attribute);
  }
}
