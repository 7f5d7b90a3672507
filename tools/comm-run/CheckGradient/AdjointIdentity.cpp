//===- AdjointIdentity.cpp - A gradient against forward mode --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AdjointIdentity.h"

#include "InnerProduct.h"

#include <cmath>

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

/// How far the two sides may be apart, relative to the sum of the magnitudes of
/// what they add up: rounding in f64, and room for cancellation inside.
static constexpr double adjointTolerance = 1e-9;
/// So many elements are tried one by one to find the worst.
static constexpr int64_t probeLimit = 32;

namespace {

/// Both sides of the identity.
struct Sides {
  Product tangent, cotangent;

  double getDifference() const {
    return std::fabs(tangent.value - cotangent.value);
  }
};

/// The identity of one argument along directions of choice.
class Identity {
public:
  Identity(const Derivatives &code, const RankValues &inputs,
           const RankValues &seeds, const RankValues &results, unsigned number)
      : code(code), inputs(inputs), seeds(seeds), number(number),
        mesh(code.getSignature().mesh), argument(code.getArgument(number)),
        gradient{results, code.getGradientPosition(number)},
        classes(getReplicaClasses(mesh, argument)) {}

  Result<Sides> evaluate(const RankValues &direction) const;
  /// The element of the gradient that is furthest off, by halves while there
  /// are many: of a half that holds it, the identity is off.
  Result<std::optional<Element>> findWorst(uint64_t seed) const;

private:
  /// The elements of all replica classes, one class after the other.
  struct Range {
    int64_t begin, end;
  };

  int64_t getElementCount() const { return gradient[0].getElementCount(); }
  RankValues makeUnit(int64_t element) const;
  RankValues restrict(RankValues direction, Range range) const;

  const Derivatives &code;
  const RankValues &inputs, &seeds;
  unsigned number;
  const Mesh &mesh;
  const ValueInfo &argument;
  Column gradient;
  std::vector<int64_t> classes;
};

} // namespace

Result<Sides> Identity::evaluate(const RankValues &direction) const {
  Result<RankValues> tangents =
      code.runJvp(inputs, makeTangents(code, inputs, number, direction));
  if (!tangents)
    return tangents.getFailure();
  Sides sides;
  for (unsigned i = 0; i < code.vjp.seeded.size(); ++i)
    sides.tangent +=
        multiply(mesh, code.getSignature().results[code.vjp.seeded[i]],
                 {*tangents, i}, {seeds, i});
  sides.cotangent = multiply(mesh, argument, {direction, 0}, gradient);
  return sides;
}

RankValues Identity::restrict(RankValues direction, Range range) const {
  for (size_t rank = 0; rank < direction.size(); ++rank) {
    int64_t replicaClass = getReplicaClass(mesh, argument.replicatedAxes, rank);
    int64_t first = (llvm::find(classes, replicaClass) - classes.begin()) *
                    getElementCount();
    for (int64_t i = 0; i < getElementCount(); ++i)
      if (first + i < range.begin || first + i >= range.end)
        direction[rank][0].setDouble(i, 0);
  }
  return direction;
}

RankValues Identity::makeUnit(int64_t element) const {
  RankValues direction(inputs.size());
  for (size_t rank = 0; rank < inputs.size(); ++rank) {
    HostTensor ones(argument.type, gradient[rank].getShape());
    for (int64_t i = 0; i < ones.getElementCount(); ++i)
      ones.setDouble(i, 1);
    direction[rank].push_back(std::move(ones));
  }
  return restrict(std::move(direction), {element, element + 1});
}

Result<std::optional<Element>> Identity::findWorst(uint64_t seed) const {
  RankValues direction = makeDirection(code, inputs, number, seed);
  Range range{0, static_cast<int64_t>(classes.size()) * getElementCount()};
  while (range.end - range.begin > probeLimit) {
    int64_t middle = range.begin + (range.end - range.begin) / 2;
    Range halves[] = {{range.begin, middle}, {middle, range.end}};
    double difference[2];
    for (unsigned half : {0, 1}) {
      Result<Sides> sides = evaluate(restrict(direction, halves[half]));
      if (!sides)
        return sides.getFailure();
      difference[half] = sides->getDifference();
    }
    // A NaN is the worst there is.
    range =
        halves[difference[0] >= difference[1] || std::isnan(difference[0]) ? 0
                                                                           : 1];
  }
  std::optional<Element> worst;
  double largest = -1;
  for (int64_t element = range.begin; element < range.end; ++element) {
    Result<Sides> sides = evaluate(makeUnit(element));
    if (!sides)
      return sides.getFailure();
    double difference = sides->getDifference();
    if (std::isnan(difference))
      difference = INFINITY;
    if (difference <= largest)
      continue;
    largest = difference;
    int64_t rank = classes[element / getElementCount()];
    int64_t position = element % getElementCount();
    worst =
        Element{rank, getIndex(gradient[rank].getShape(), position),
                gradient[rank].getDouble(position), sides->tangent.value, ""};
  }
  return worst;
}

MaybeFailure comm::runner::checkAdjointIdentity(const Derivatives &code,
                                                const RankValues &inputs,
                                                const RankValues &seeds,
                                                const RankValues &results,
                                                unsigned number, uint64_t seed,
                                                ValueReport &report) {
  Identity identity(code, inputs, seeds, results, number);
  Result<Sides> sides =
      identity.evaluate(makeDirection(code, inputs, number, seed));
  if (!sides)
    return sides.getFailure();
  report.tangentSide = sides->tangent.value;
  report.cotangentSide = sides->cotangent.value;
  double scale = std::max(sides->tangent.magnitude, sides->cotangent.magnitude);
  report.isZero = scale == 0;
  double difference = sides->getDifference();
  Finding finding{difference == 0 ? 0 : difference / scale, adjointTolerance,
                  std::nullopt};
  if (!finding.passed()) {
    Result<std::optional<Element>> worst = identity.findWorst(seed);
    if (!worst)
      return worst.getFailure();
    finding.worst = *worst;
    if (!std::isnan(difference)) {
      char text[128];
      std::snprintf(text, sizeof(text),
                    "<J x', y~> = %.9g and <x', J^T y~> = %.9g",
                    report.tangentSide, report.cotangentSide);
      report.remarks.push_back(text);
    }
    std::string factor =
        describeFactor(code.getSignature().mesh, "gradient",
                       sides->cotangent.value, sides->tangent.value);
    if (!factor.empty())
      report.remarks.push_back(factor);
  }
  report.get(CheckKind::Adjoint) = finding;
  return std::nullopt;
}
