//===- Processor.h - Code for processors that have more ---------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is built for the least processor of its kind. Loops that gain
// from wide vectors are compiled once more, as functions marked COMM_AVX2, and
// chosen when they run; there is a plain form of each. (Not by target_clones:
// it wants indirect functions, which are resolved before a sanitizer is ready.)
//
// Wider vectors than these gain nothing here: the loops wait for memory.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_PROCESSOR_H
#define COMM_LIB_RUNTIME_PROCESSOR_H

#include <cstdint>

// Sanitizers do not see what such instructions store.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define COMM_IS_SANITIZED
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define COMM_IS_SANITIZED
#endif
#endif

#if defined(__x86_64__) && defined(__GNUC__) && !defined(COMM_IS_SANITIZED)
#define COMM_HAVE_AVX2
#define COMM_AVX2 __attribute__((target("avx2")))

#include <immintrin.h>

namespace mlir::comm::runtime {
/// Bytes.
constexpr int64_t vectorSize = sizeof(__m256i);

/// Writes some vectors past the caches: see copyBytes. Both are aligned.
template <int64_t Bytes>
COMM_AVX2 inline void streamVectors(void *to, const void *from) {
  for (int64_t i = 0; i < Bytes / vectorSize; ++i)
    _mm256_stream_si256(static_cast<__m256i *>(to) + i,
                        static_cast<const __m256i *>(from)[i]);
}

inline bool hasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}
} // namespace mlir::comm::runtime
#endif

namespace mlir::comm::runtime {

/// Asks for memory that is about to be read. Changes nothing but the time.
inline void expectToRead(const char *memory, int64_t bytes) {
#ifdef __GNUC__
  for (int64_t at = 0; at < bytes; at += 64)
    __builtin_prefetch(memory + at);
#endif
}

/// Asks for memory that is about to be written: where another core has read it,
/// that takes as long as to read what it has written.
inline void expectToWrite(const char *memory, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += 64) {
#if defined(__x86_64__) && defined(__GNUC__)
    // Every processor of this kind takes it, if only as a no-op.
    asm volatile("prefetchw %0" : : "m"(memory[at]));
#elif defined(__GNUC__)
    __builtin_prefetch(memory + at, /*rw=*/1);
#endif
  }
}

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_PROCESSOR_H
