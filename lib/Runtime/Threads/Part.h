//===- Part.h - What one rank does for all ----------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_THREADS_PART_H
#define COMM_LIB_RUNTIME_THREADS_PART_H

#include <cstdint>

namespace mlir::comm::runtime {

/// What one rank of a group of `n` does for all: equal parts of `count`, which
/// begin at multiples of 64.
struct Part {
  Part(int64_t count, int64_t index, int64_t n) {
    constexpr int64_t line = 64;
    int64_t most = (count / n / line + 1) * line;
    begin = index > count / most ? count : index * most;
    size = most < count - begin ? most : count - begin;
  }
  int64_t begin, size;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_THREADS_PART_H
