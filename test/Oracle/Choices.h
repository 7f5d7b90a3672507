//===- Choices.h - The random decisions behind a program --------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is a function of a sequence of numbers. A shorter sequence with
// smaller numbers is a simpler program, whatever the generator makes of it: so
// a failing program is reduced by reducing its numbers, and every program tried
// on the way is well-typed.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_ORACLE_CHOICES_H
#define COMM_TEST_ORACLE_CHOICES_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <vector>

namespace mlir::comm::oracle {

class Choices {
public:
  /// Random decisions.
  explicit Choices(uint64_t seed) : random(seed), isReplay(false) {}
  /// Recorded ones; 0 when they are used up.
  explicit Choices(std::vector<int64_t> numbers)
      : numbers(std::move(numbers)), isReplay(true) {}

  /// A number from 0 to n - 1; 0 is the simplest.
  int64_t choose(int64_t n) {
    int64_t number = 0;
    if (!isReplay)
      number = random() % n;
    else if (next < numbers.size())
      number = numbers[next++] % n;
    taken.push_back(number);
    return number;
  }
  /// True once in n.
  bool chooseOnceIn(int64_t n) { return choose(n) == n - 1; }
  template <typename List>
  auto &chooseFrom(List &&list) {
    return list[choose(std::size(list))];
  }

  /// What was taken until now, and the spans of it that belong together: the
  /// steps of the program.
  const std::vector<int64_t> &getTaken() const { return taken; }
  const std::vector<std::pair<size_t, size_t>> &getSpans() const {
    return spans;
  }
  size_t beginSpan() const { return taken.size(); }
  void endSpan(size_t begin) { spans.emplace_back(begin, taken.size()); }

private:
  std::mt19937_64 random;
  std::vector<int64_t> numbers, taken;
  std::vector<std::pair<size_t, size_t>> spans;
  size_t next = 0;
  bool isReplay;
};

} // namespace mlir::comm::oracle

#endif // COMM_TEST_ORACLE_CHOICES_H
