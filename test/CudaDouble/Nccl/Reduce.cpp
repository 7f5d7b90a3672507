//===- Reduce.cpp - Reductions in the order of the ranks ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Numbers.h"
#include "Nccl/Communicator.h"

#include <cmath>
#include <type_traits>

using namespace mlir::comm::cudadouble;

size_t mlir::comm::cudadouble::getBytes(ncclDataType_t type) {
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
  case ncclInt64:
  case ncclUint64:
  case ncclFloat64:
    return 8;
  default:
    return 0;
  }
}

const char *mlir::comm::cudadouble::getName(ncclDataType_t type) {
  static const char *const names[] = {"i8",  "u8",  "i32", "u32", "i64",
                                      "u64", "f16", "f32", "f64", "bf16"};
  return type >= 0 && type <= ncclBfloat16 ? names[type] : "?";
}

/// Integers wrap.
template <typename T>
static T combine(ncclRedOp_t op, T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    switch (op) {
    case ncclProd:
      return static_cast<T>(uint64_t(Bits(x)) * uint64_t(Bits(y)));
    case ncclMax:
      return std::max(x, y);
    case ncclMin:
      return std::min(x, y);
    default:
      return static_cast<T>(uint64_t(Bits(x)) + uint64_t(Bits(y)));
    }
  } else {
    switch (op) {
    case ncclProd:
      return x * y;
    case ncclMax:
      return std::fmax(x, y);
    case ncclMin:
      return std::fmin(x, y);
    default:
      return x + y;
    }
  }
}

template <typename T>
static void reduceAs(ncclRedOp_t op,
                     const std::vector<const unsigned char *> &in,
                     const std::vector<double> *factors, size_t count,
                     unsigned char *outBytes) {
  using Wide = typename Number<T>::Wide;
  auto *out = reinterpret_cast<T *>(outBytes);
  bool average = op == ncclAvg;
  for (size_t i = 0; i < count; ++i) {
    auto get = [&](size_t rank) {
      Wide value = Number<T>::widen(reinterpret_cast<const T *>(in[rank])[i]);
      if (factors)
        value *= static_cast<Wide>((*factors)[rank]);
      // Before the sum, as NCCL does with floats.
      if constexpr (!std::is_integral_v<T>)
        if (average)
          value *= Wide(1) / static_cast<Wide>(in.size());
      return value;
    };
    Wide result = get(0);
    for (size_t rank = 1; rank < in.size(); ++rank)
      result = combine<Wide>(op, result, get(rank));
    if constexpr (std::is_integral_v<T>)
      if (average)
        result = static_cast<Wide>(result / static_cast<Wide>(in.size()));
    out[i] = Number<T>::round(result);
  }
}

void mlir::comm::cudadouble::reduce(
    ncclDataType_t type, ncclRedOp_t op,
    const std::vector<const unsigned char *> &in,
    const std::vector<double> *factors, size_t count, unsigned char *out) {
  switch (type) {
  case ncclInt8:
    return reduceAs<int8_t>(op, in, factors, count, out);
  case ncclUint8:
    return reduceAs<uint8_t>(op, in, factors, count, out);
  case ncclInt32:
    return reduceAs<int32_t>(op, in, factors, count, out);
  case ncclUint32:
    return reduceAs<uint32_t>(op, in, factors, count, out);
  case ncclInt64:
    return reduceAs<int64_t>(op, in, factors, count, out);
  case ncclUint64:
    return reduceAs<uint64_t>(op, in, factors, count, out);
  case ncclFloat16:
    return reduceAs<__half>(op, in, factors, count, out);
  case ncclBfloat16:
    return reduceAs<__nv_bfloat16>(op, in, factors, count, out);
  case ncclFloat32:
    return reduceAs<float>(op, in, factors, count, out);
  case ncclFloat64:
    return reduceAs<double>(op, in, factors, count, out);
  default:
    break;
  }
}
