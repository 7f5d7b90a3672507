//===- Print.cpp - Results as text ----------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Print.h"

#include <algorithm>

using namespace mlir::comm;
using namespace mlir::comm::runner;

namespace {

/// Beyond this many elements, dimensions are cut to their ends.
constexpr int64_t elementLimit = 100;
/// How many entries of a cut dimension are shown at each end.
constexpr int64_t endSize = 3;
/// A tensor of rank 2 or more that is longer than this takes a line a row.
constexpr size_t lineLimit = 72;

class TensorPrinter {
public:
  TensorPrinter(const HostTensor &tensor, bool cut, bool breakRows,
                unsigned indent)
      : tensor(tensor), shape(tensor.getShape()), cut(cut),
        breakRows(breakRows), indent(indent) {}

  std::string print() {
    printFrom(0, 0);
    return std::move(text);
  }

private:
  /// The part of the tensor with the first `depth` indices fixed; `position`
  /// counts such parts.
  void printFrom(size_t depth, int64_t position) {
    if (depth == shape.size()) {
      text += formatElement(tensor.getType(), tensor.getElement(position));
      return;
    }
    text += '[';
    bool rows = breakRows && depth + 1 < shape.size();
    std::string separator =
        rows ? ",\n" + std::string(indent + depth + 1, ' ') : ", ";
    int64_t size = shape[depth];
    for (int64_t i = 0; i < size; ++i) {
      if (i)
        text += separator;
      if (cut && size > 2 * endSize && i == endSize) {
        text += "..." + separator;
        i = size - endSize;
      }
      printFrom(depth + 1, position * size + i);
    }
    text += ']';
  }

  const HostTensor &tensor;
  const Shape &shape;
  bool cut;
  bool breakRows;
  unsigned indent;
  std::string text;
};

} // namespace

std::string mlir::comm::runner::formatTensor(const HostTensor &tensor,
                                             const PrintOptions &options,
                                             unsigned indent) {
  bool cut = !options.printAll && tensor.getElementCount() > elementLimit;
  std::string text = TensorPrinter(tensor, cut, false, indent).print();
  if (text.size() <= lineLimit || tensor.getShape().size() < 2)
    return text;
  return TensorPrinter(tensor, cut, true, indent).print();
}

std::string mlir::comm::runner::formatRanks(const std::vector<int64_t> &ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size();) {
    size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
      ++last;
    text += (i ? ", " : "") + std::to_string(ranks[i]);
    if (last > i)
      text += (last == i + 1 ? ", " : "..") + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string
mlir::comm::runner::formatResults(const FunctionSignature &signature,
                                  const RankValues &results,
                                  const PrintOptions &options) {
  std::string text;
  std::vector<int64_t> present = getPresentRanks(results);
  for (unsigned position = 0;
       !present.empty() && position < signature.results.size(); ++position) {
    // Ranks with equal values, in the order of their first ranks.
    std::vector<std::vector<int64_t>> folds;
    for (int64_t rank : present) {
      auto fold = std::find_if(
          folds.begin(), folds.end(), [&](const std::vector<int64_t> &ranks) {
            return results[ranks[0]][position].isIdenticalTo(
                results[rank][position]);
          });
      if (fold == folds.end())
        folds.push_back({rank});
      else
        fold->push_back(rank);
    }
    std::string name = getFlagName(signature, ValueKind::Result, position);
    if (signature.results[position].name.empty() &&
        !signature.results[position].gradientOf)
      name = "result " + name;
    text += name + ": " + results[present[0]][position].formatType() + "\n";
    for (const std::vector<int64_t> &ranks : folds) {
      std::string label = "  " + formatRanks(ranks) + ": ";
      text += label +
              formatTensor(results[ranks[0]][position], options, label.size()) +
              "\n";
    }
  }
  return text;
}
