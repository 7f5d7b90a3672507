//===- Copy.cpp - Copies in host memory -----------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copy.h"

#include "Processor.h"

#include <algorithm>
#include <cstring>

using namespace mlir::comm::runtime;

#ifdef COMM_HAVE_AVX2
/// `to` is aligned, `from` need not be.
template <bool Stream>
COMM_AVX2 static void copyVectors(char *to, const char *from, int64_t bytes) {
  constexpr int64_t unroll = 4;
  for (; bytes >= unroll * vectorSize; bytes -= unroll * vectorSize) {
    __m256i values[unroll];
    for (int64_t i = 0; i < unroll; ++i)
      values[i] = _mm256_loadu_si256(
          reinterpret_cast<const __m256i *>(from + i * vectorSize));
    for (int64_t i = 0; i < unroll; ++i) {
      auto *target = reinterpret_cast<__m256i *>(to + i * vectorSize);
      if constexpr (Stream)
        _mm256_stream_si256(target, values[i]);
      else
        _mm256_store_si256(target, values[i]);
    }
    to += unroll * vectorSize;
    from += unroll * vectorSize;
  }
  std::memcpy(to, from, bytes);
}

static void copyWide(char *to, const char *from, int64_t bytes, bool stream) {
  int64_t head = -reinterpret_cast<intptr_t>(to) & (vectorSize - 1);
  std::memcpy(to, from, head);
  (stream ? copyVectors<true> : copyVectors<false>)(to + head, from + head,
                                                    bytes - head);
}
#endif

void mlir::comm::runtime::copyBytes(void *to, const void *from, int64_t bytes,
                                    bool stream) {
  if (bytes == 0 || to == from)
    return;
#ifdef COMM_HAVE_AVX2
  // The C library's copy may use string instructions, which some processors do
  // very slowly where the two buffers lie alike in their pages.
  constexpr int64_t least = 1024;
  if (bytes >= least && hasAvx2())
    return copyWide(static_cast<char *>(to), static_cast<const char *>(from),
                    bytes, stream);
#endif
  (void)stream;
  std::memcpy(to, from, bytes);
}

void mlir::comm::runtime::copyToAll(void *const *outs, int64_t numOuts,
                                    const void *from, int64_t bytes,
                                    bool stream) {
  // What is read stays in the first cache level until all have it.
  constexpr int64_t blockSize = 8192;
  for (int64_t at = 0; at < bytes; at += blockSize)
    for (int64_t k = 0; k < numOuts; ++k)
      copyBytes(static_cast<char *>(outs[k]) + at,
                static_cast<const char *>(from) + at,
                std::min(blockSize, bytes - at), stream);
}

void mlir::comm::runtime::finishStreams() {
#ifdef COMM_HAVE_AVX2
  _mm_sfence();
#endif
}

void mlir::comm::runtime::swapBytes(void *toA, const void *fromA, void *toB,
                                    const void *fromB, int64_t bytes) {
  constexpr int64_t blockSize = 4096;
  char block[blockSize];
  for (int64_t at = 0; at < bytes; at += blockSize) {
    int64_t size = std::min(blockSize, bytes - at);
    std::memcpy(block, static_cast<const char *>(fromA) + at, size);
    copyBytes(static_cast<char *>(toB) + at,
              static_cast<const char *>(fromB) + at, size);
    std::memcpy(static_cast<char *>(toA) + at, block, size);
  }
}
