//===- Cases.cpp - The programs whose matrices are compared ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::comm;

using Shape = std::vector<int64_t>;

namespace {
/// Collects the cases of one group.
class Maker {
public:
  explicit Maker(const std::vector<int64_t> &axes) : axes(axes) {}

  /// Any case: rep -> var ops have their argument marked.
  Case &add(const std::string &op, const std::string &parameters, Shape shape,
            Shape resultShape) {
    Case added;
    added.ops = {"comm." + op};
    added.body = "%y = comm." + op + " " + parameters + " OVER : IN -> OUT";
    added.shape = std::move(shape);
    added.resultShape = std::move(resultShape);
    added.axes = axes;
    cases.push_back(std::move(added));
    return cases.back();
  }

  /// A var -> rep op, its result unmarked and marked.
  void addReduced(const std::string &op, const std::string &parameters,
                  const Shape &shape, const Shape &resultShape,
                  decltype(Case::derivative) derivative = {}) {
    for (bool isMarked : {false, true}) {
      Case &added = add(op, parameters, shape, resultShape);
      added.isResultMarked = isMarked;
      added.derivative = derivative;
    }
  }

  void addSpread(const std::string &op, const std::string &parameters,
                 const Shape &shape, const Shape &resultShape) {
    add(op, parameters, shape, resultShape).isArgumentMarked = true;
  }

  std::vector<Case> cases;

private:
  const std::vector<int64_t> &axes;
};
} // namespace

/// A shape of two dimensions whose dimension `dim` is `size`.
static Shape makeShape(int64_t dim, int64_t size) {
  Shape shape = {2, 2};
  shape[dim] = size;
  return shape;
}

/// 1 / the number of ranks that hold the extremum, on those ranks.
template <typename Compare>
static double shareOfExtremum(const std::vector<double> &x, size_t i,
                              Compare compare) {
  double extremum = *std::min_element(x.begin(), x.end(), compare);
  return x[i] == extremum ? 1.0 / std::count(x.begin(), x.end(), extremum) : 0;
}

static double productOfOthers(const std::vector<double> &x, size_t i) {
  double product = 1;
  for (size_t j = 0; j < x.size(); ++j)
    if (j != i)
      product *= x[j];
  return product;
}

static std::string parameter(const std::string &name, int64_t value) {
  return " " + name + " " + std::to_string(value);
}

std::vector<Case> comm::makeCases(const std::vector<int64_t> &axes, int64_t n) {
  Maker maker(axes);
  std::vector<int64_t> roots = {0};
  if (n > 1)
    roots.push_back(n - 1);
  const Shape small = {2, 2};

  maker.addSpread("vary", "%x", small, small);
  for (std::string reduction : {"sum", "avg"})
    maker.addReduced("all_reduce", reduction + " %x", small, small);
  maker.addReduced("all_reduce", "max %x", small, small,
                   [](const std::vector<double> &x, size_t i) {
                     return shareOfExtremum(x, i, std::greater<>());
                   });
  maker.addReduced("all_reduce", "min %x", small, small,
                   [](const std::vector<double> &x, size_t i) {
                     return shareOfExtremum(x, i, std::less<>());
                   });
  maker.addReduced("all_reduce", "prod %x", small, small, productOfOthers);

  for (int64_t dim : {0, 1}) {
    std::string along = "%x" + parameter("dim", dim);
    Shape chunk = makeShape(dim, 1), whole = makeShape(dim, n);
    maker.addReduced("all_gather", along, chunk, whole);
    maker.addSpread("all_slice", along, whole, chunk);
    for (std::string reduction : {"sum ", "avg "})
      maker.add("reduce_scatter", reduction + along, whole, chunk);
    for (int64_t concat : {0, 1}) {
      Shape result = chunk;
      result[concat] *= n;
      maker.add("all_to_all",
                "%x" + parameter("split", dim) + parameter("concat", concat),
                whole, result);
    }
    for (int64_t root : roots) {
      maker.add("gather", along + parameter("root", root), chunk, whole);
      maker.add("scatter", along + parameter("root", root), whole, chunk);
    }
  }

  for (int64_t root : roots) {
    std::string at = "%x" + parameter("root", root);
    maker.addReduced("broadcast", at, small, small);
    maker.addSpread("root_mask", at, small, small);
    for (std::string reduction : {"sum ", "avg "})
      maker.add("reduce", reduction + at, small, small);
  }

  // A chain, a ring, a rank to itself.
  std::string chain, ring;
  for (int64_t rank = 0; rank < n; ++rank) {
    std::string to = std::to_string((rank + 1) % n);
    std::string pair = "(" + std::to_string(rank) + ", " + to + ")";
    ring += (rank ? ", " : "") + pair;
    if (rank + 1 < n)
      chain += (rank ? ", " : "") + pair;
  }
  for (const std::string &pairs : {chain, ring, std::string("(0, 0)")})
    maker.add("permute", "%x [" + pairs + "]", small, small);

  if (n > 1)
    for (bool backwards : {false, true}) {
      std::string from = std::to_string(backwards ? n - 1 : 0);
      std::string to = std::to_string(backwards ? 0 : n - 1);
      Case &message = maker.add("send", "", small, small);
      message.ops = {"comm.send", "comm.recv"};
      message.body = "%m = comm.send %x from " + from + " to " + to +
                     " OVER : IN -> !comm.message<OUT>\n"
                     "%y = comm.recv %m : !comm.message<OUT> -> OUT";
    }
  return std::move(maker.cases);
}
