//===- Literals.cpp - Nested lists of numbers -----------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Literals.h"

#include <algorithm>
#include <cstring>

using namespace mlir::comm::runner;

namespace {

/// Reads with a stack of its own: the text may nest as deeply as it likes.
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Result<LiteralList> parse() {
    list.isNested = peek() == '[';
    bool expectElement = true;
    while (char next = peek()) {
      if (next == '[' && expectElement && list.isNested) {
        take();
        if (!open())
          return uneven();
        expectElement = peek() != ']';
      } else if (next == ']' && !counts.empty() && !expectElement) {
        take();
        if (!close())
          return uneven();
      } else if (next == ',' && !expectElement &&
                 (!counts.empty() || !list.isNested)) {
        take();
        expectElement = true;
      } else if (expectElement && next != ',' && next != '[' && next != ']') {
        if (!readElement())
          return uneven();
        expectElement = false;
      } else {
        return unexpected(expectElement ? "a literal" : "',' or the end");
      }
    }
    if (!counts.empty())
      return usageFailure("missing ']' at the end of the literals");
    if (expectElement)
      return usageFailure(list.elements.empty() ? "expected a value"
                                                : "expected a literal after "
                                                  "the last ','");
    list.shape = std::move(sizes);
    return std::move(list);
  }

private:
  char peek() {
    while (position < text.size() &&
           std::strchr(" \t\n", text[position]) != nullptr)
      ++position;
    return position < text.size() ? text[position] : 0;
  }
  void take() { ++position; }

  bool open() {
    if (!counts.empty())
      ++counts.back();
    counts.push_back(0);
    if (counts.size() > sizes.size()) {
      // A deeper level may appear only on the way down to the first element.
      if (leafDepth >= 0)
        return false;
      sizes.push_back(-1);
    }
    return true;
  }
  bool close() {
    int64_t &size = sizes[counts.size() - 1];
    bool even = size < 0 || size == counts.back();
    size = counts.back();
    // An empty list is a leaf too.
    if (size == 0 && !setLeaf(counts.size()))
      return false;
    counts.pop_back();
    return even;
  }
  bool setLeaf(size_t depth) {
    bool even = leafDepth < 0 || leafDepth == static_cast<int64_t>(depth);
    leafDepth = depth;
    return even;
  }
  bool readElement() {
    size_t end =
        std::min(text.find_first_of(",[] \t\n", position), text.size());
    list.elements.push_back(text.substr(position, end - position));
    position = end;
    if (!counts.empty())
      ++counts.back();
    return setLeaf(counts.size());
  }

  Failure unexpected(std::string expected) {
    return usageFailure("unexpected '" + std::string(1, text[position]) +
                        "' at character " + std::to_string(position + 1) +
                        " of the literals: expected " + expected);
  }
  Failure uneven() {
    return usageFailure("uneven lists before character " +
                        std::to_string(position + 1) +
                        " of the literals: lists at one depth must have equal "
                        "sizes");
  }

  std::string_view text;
  size_t position = 0;
  /// The elements so far of every open list, outermost first.
  std::vector<int64_t> counts;
  /// The size that the lists at each depth have, -1 until one has closed.
  Shape sizes;
  /// How deep the elements are, -1 until one was seen.
  int64_t leafDepth = -1;
  LiteralList list;
};

} // namespace

Result<LiteralList> mlir::comm::runner::parseLiterals(std::string_view text) {
  return Parser(text).parse();
}

Result<HostTensor> mlir::comm::runner::convertLiterals(const LiteralList &list,
                                                       CommDataType type,
                                                       const Shape &shape) {
  int64_t given = list.elements.size();
  bool fills = !list.isNested && given == 1;
  if (list.isNested && list.shape != shape)
    return usageFailure("the literals have shape " + formatIndex(list.shape) +
                        ", expected " + formatIndex(shape));
  std::optional<int64_t> count = getElementCount(shape);
  if (!count)
    return usageFailure("a tensor of type " + formatType(type, shape) +
                        " does not fit in memory");
  if (!fills && given != *count)
    return usageFailure(std::to_string(given) + " literals, expected " +
                        std::to_string(*count) + " for " +
                        formatType(type, shape));
  HostTensor tensor(type, shape);
  if (fills) {
    char element[8];
    if (MaybeFailure failure = storeLiteral(type, element, list.elements[0]))
      return *failure;
    for (int64_t i = 0; i < *count; ++i)
      std::memcpy(tensor.getElement(i), element, getByteSize(type));
    return tensor;
  }
  for (int64_t i = 0; i < given; ++i)
    if (MaybeFailure failure =
            storeLiteral(type, tensor.getElement(i), list.elements[i]))
      return *failure;
  return tensor;
}
