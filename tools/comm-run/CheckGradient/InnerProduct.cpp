//===- InnerProduct.cpp - Inner products and errors over ranks ------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InnerProduct.h"

#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

Product &Product::operator+=(const Product &other) {
  value += other.value;
  magnitude += other.magnitude;
  return *this;
}

std::vector<int64_t> comm::runner::getReplicaClasses(const Mesh &mesh,
                                                     const ValueInfo &info) {
  std::vector<int64_t> classes;
  for (int64_t rank = 0; rank < runtime::getNumRanks(mesh); ++rank)
    if (getReplicaClass(mesh, info.replicatedAxes, rank) == rank)
      classes.push_back(rank);
  return classes;
}

Product comm::runner::multiply(const Mesh &mesh, const ValueInfo &info,
                               Column a, Column b) {
  Product product;
  for (int64_t rank : getReplicaClasses(mesh, info))
    for (int64_t i = 0; i < a[rank].getElementCount(); ++i) {
      double term = a[rank].getDouble(i) * b[rank].getDouble(i);
      product += {term, std::fabs(term)};
    }
  return product;
}

double comm::runner::getLargest(Column values) {
  double largest = 0;
  for (size_t rank = 0; rank < values.getNumRanks(); ++rank)
    for (int64_t i = 0; i < values[rank].getElementCount(); ++i) {
      double magnitude = std::fabs(values[rank].getDouble(i));
      if (std::isnan(magnitude))
        return NAN;
      largest = std::max(largest, magnitude);
    }
  return largest;
}

namespace {

/// Keeps the element that is furthest off.
class WorstElement {
public:
  void add(int64_t rank, const HostTensor &got, const HostTensor &expected,
           int64_t i) {
    double a = got.getDouble(i), b = expected.getDouble(i);
    // Infinities of one sign are equal, a NaN is like nothing.
    double difference = a == b ? 0 : std::fabs(a - b);
    if (std::isnan(difference))
      difference = INFINITY;
    if (!isFloat(got.getType()))
      difference = got.getInt64(i) == expected.getInt64(i) ? 0 : INFINITY;
    if (worst && difference <= largest)
      return;
    largest = difference;
    worst = Element{rank, getIndex(got.getShape(), i), a, b, ""};
  }

  double largest = 0;
  std::optional<Element> worst;
};

} // namespace

Finding comm::runner::compare(Column got, Column expected, double allowed) {
  WorstElement worst;
  for (size_t rank = 0; rank < got.getNumRanks(); ++rank) {
    if (got[rank].getShape() != expected[rank].getShape())
      return {INFINITY, allowed, std::nullopt};
    for (int64_t i = 0; i < got[rank].getElementCount(); ++i)
      worst.add(rank, got[rank], expected[rank], i);
  }
  if (worst.largest == 0)
    return {0, allowed, std::nullopt};
  return {worst.largest / getLargest(expected), allowed, worst.worst};
}

Finding comm::runner::compareReplicas(const Mesh &mesh, const ValueInfo &info,
                                      Column values) {
  WorstElement worst;
  bool identical = true;
  for (size_t rank = 0; rank < values.getNumRanks(); ++rank) {
    const HostTensor &first =
        values[getReplicaClass(mesh, info.replicatedAxes, rank)];
    if (first.getShape() != values[rank].getShape())
      return {INFINITY, 0, std::nullopt};
    identical &= values[rank].isIdenticalTo(first);
    for (int64_t i = 0; i < first.getElementCount(); ++i)
      worst.add(rank, values[rank], first, i);
  }
  if (identical)
    return {0, 0, std::nullopt};
  double scale = getLargest(values);
  // 0 and -0, and NaNs on all ranks, differ in bits alone.
  double error = std::max(worst.largest / scale, DBL_MIN);
  return {std::isnan(error) ? NAN : error, 0, worst.worst};
}

std::string comm::runner::describeFactor(const Mesh &mesh,
                                         const std::string &what, double got,
                                         double expected) {
  double factor = got / expected;
  auto isNear = [&](double size) {
    return std::fabs(factor - size) <= 1e-5 * size;
  };
  Mesh axes;
  for (const runtime::MeshAxis &axis : mesh)
    if (axis.size > 1)
      axes.push_back(axis);
  for (uint64_t subset = 1; subset < uint64_t(1) << axes.size(); ++subset) {
    double size = 1;
    std::string names;
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      if (!(subset >> axis & 1))
        continue;
      size *= axes[axis].size;
      names += (names.empty() ? "" : ", ") + axes[axis].name;
    }
    std::string ranks = std::to_string(static_cast<int64_t>(size)) +
                        ", the number of ranks over " + names;
    if (isNear(size))
      return "the " + what + " is too large by a factor of " + ranks;
    if (isNear(1 / size))
      return "the " + what + " is too small by a factor of " + ranks;
  }
  return "";
}
