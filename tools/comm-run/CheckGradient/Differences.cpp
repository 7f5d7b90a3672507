//===- Differences.cpp - A Jacobian against differences -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Differences.h"

#include "InnerProduct.h"

#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

/// How far J x' may be from the differences, relative to its largest element.
static constexpr double differenceTolerance = 1e-6;
/// Steps relative to the size of an element. The first is near the cube root of
/// the precision, where truncation and rounding are both small; a kink that it
/// steps over is rarely within the last.
static constexpr double steps[] = {1e-6, 1e-6 / 4, 1e-6 / 16};
/// A second difference that is smaller than this part of the largest element is
/// no kink.
static constexpr double kinkThreshold = 1e-5;

namespace {

/// One element of a result, and the slopes to both sides of the point.
struct Point {
  int64_t rank;
  int64_t element;
  /// By step.
  double above[std::size(steps)] = {}, below[std::size(steps)] = {};
  /// At the step where J x' is nearest: the difference, how far it is from J x'
  /// and what rounding in the results makes of it.
  double difference = 0, error = INFINITY, rounding = 0;
};

/// The differences of one float result along one direction.
class ResultDifferences {
public:
  /// The result's column among the results and among the tangents.
  ResultDifferences(const RankValues &values, unsigned result,
                    const RankValues &tangents, unsigned number);

  /// Takes in the results on both sides of the point at the next step.
  void add(const RankValues &above, const RankValues &below);
  /// Whether every element is right and none looks like a kink, as far as the
  /// steps so far show.
  bool isClear() const;
  /// What is furthest off; nothing where no element has a derivative.
  std::optional<Finding> getFinding(const std::string &name) const;
  /// What makes an element one without a derivative; empty where there is none.
  std::string describeKink(const std::string &name) const;

private:
  /// How far apart the slopes to both sides are.
  static double getBend(const Point &point, size_t step) {
    return std::fabs(point.above[step] - point.below[step]);
  }
  bool mayBend(const Point &point) const {
    size_t last = numSteps - 1;
    return getBend(point, last) >
           kinkThreshold * scale + 4 * getRounding(steps[last]);
  }
  /// The slopes of a smooth function come together in proportion to the step;
  /// those at a kink stay apart, and those at a jump move apart.
  bool isKink(const Point &point) const {
    return numSteps > 1 && mayBend(point) &&
           getBend(point, numSteps - 1) >= 0.5 * getBend(point, 0);
  }
  bool isJump(const Point &point) const {
    return getBend(point, numSteps - 1) > 2 * getBend(point, 0);
  }
  /// What rounding in the results makes of a difference quotient.
  double getRounding(double step) const {
    return 16 * DBL_EPSILON * largestValue / step;
  }
  double getTangent(const Point &point) const {
    return tangents[point.rank].getDouble(point.element);
  }
  Element getElement(const Point &point, const std::string &name) const {
    return {point.rank,
            getIndex(tangents[point.rank].getShape(), point.element),
            getTangent(point), point.difference, name};
  }

  Column values, tangents;
  double largestValue;
  /// The largest tangent or difference; not 0.
  double scale = DBL_MIN;
  std::vector<Point> points;
  size_t numSteps = 0;
};

} // namespace

ResultDifferences::ResultDifferences(const RankValues &values, unsigned result,
                                     const RankValues &tangents,
                                     unsigned number)
    : values{values, result}, tangents{tangents, number},
      largestValue(getLargest(this->values)) {
  for (size_t rank = 0; rank < values.size(); ++rank)
    for (int64_t i = 0; i < values[rank][result].getElementCount(); ++i)
      points.push_back({static_cast<int64_t>(rank), i});
}

void ResultDifferences::add(const RankValues &above, const RankValues &below) {
  double step = steps[numSteps];
  for (Point &point : points) {
    auto get = [&](const RankValues &results) {
      return results[point.rank][values.position].getDouble(point.element);
    };
    double here = values[point.rank].getDouble(point.element);
    double right = (get(above) - here) / step;
    double left = (here - get(below)) / step;
    double difference = (right + left) / 2;
    double error = std::fabs(getTangent(point) - difference);
    point.above[numSteps] = right;
    point.below[numSteps] = left;
    if (numSteps == 0)
      scale = std::max(
          {scale, std::fabs(getTangent(point)), std::fabs(difference)});
    // A NaN stays: no step makes up for it.
    if (numSteps == 0 || error < point.error) {
      point.difference = difference;
      point.error = error;
      point.rounding = getRounding(step);
    }
  }
  ++numSteps;
}

bool ResultDifferences::isClear() const {
  return llvm::all_of(points, [&](const Point &point) {
    return point.error <= differenceTolerance * scale + point.rounding &&
           !mayBend(point);
  });
}

std::optional<Finding>
ResultDifferences::getFinding(const std::string &name) const {
  std::optional<Finding> furthest;
  for (const Point &point : points) {
    if (isKink(point))
      continue;
    Finding finding{point.error / scale,
                    differenceTolerance + point.rounding / scale,
                    getElement(point, name)};
    // Where nothing changes, rounding alone is left.
    if (scale == DBL_MIN && point.error <= point.rounding)
      finding.error = 0;
    if (finding.error == 0)
      finding.worst.reset();
    if (!furthest || finding.getExcess() > furthest->getExcess())
      furthest = finding;
  }
  return furthest;
}

std::string ResultDifferences::describeKink(const std::string &name) const {
  for (const Point &point : points) {
    if (!isKink(point))
      continue;
    size_t last = numSteps - 1;
    char text[160];
    if (isJump(point))
      std::snprintf(text, sizeof(text), "jumps by %.3g",
                    getBend(point, last) * steps[last]);
    else
      std::snprintf(text, sizeof(text),
                    "has slope %.3g to one side and %.3g to the other, and the "
                    "tangent is %.3g",
                    point.below[last], point.above[last],
                    /* no -0 */ getTangent(point) + 0.0);
    return "no derivative at this point: " +
           formatPlace(getElement(point, name)) + ", " + text +
           "; give other inputs or another --random-seed";
  }
  return "";
}

/// Shifts the argument by `step` times the direction.
static RankValues shift(const RankValues &inputs, unsigned position,
                        const RankValues &direction, double step) {
  RankValues shifted = inputs;
  for (size_t rank = 0; rank < shifted.size(); ++rank) {
    HostTensor &value = shifted[rank][position];
    for (int64_t i = 0; i < value.getElementCount(); ++i)
      value.setDouble(i, value.getDouble(i) +
                             step * direction[rank][0].getDouble(i));
  }
  return shifted;
}

/// Scales the direction so that an element's step is in proportion to it, and
/// that of a small one to the largest.
static void scaleToInputs(RankValues &direction, const RankValues &inputs,
                          unsigned position) {
  double largest = getLargest({inputs, position});
  if (!(largest > 0) || std::isinf(largest))
    largest = 1;
  for (size_t rank = 0; rank < direction.size(); ++rank)
    for (int64_t i = 0; i < direction[rank][0].getElementCount(); ++i) {
      double size = std::fabs(inputs[rank][position].getDouble(i));
      direction[rank][0].setDouble(i, direction[rank][0].getDouble(i) *
                                          std::max(size, 0.01 * largest));
    }
}

MaybeFailure comm::runner::checkDifferences(const Derivatives &code,
                                            const RankValues &inputs,
                                            const RankValues &values,
                                            unsigned number, uint64_t seed,
                                            ValueReport &report) {
  unsigned position = code.vjp.wrt[number];
  RankValues direction = makeDirection(code, inputs, number, seed);
  scaleToInputs(direction, inputs, position);
  Result<RankValues> tangents =
      code.runJvp(inputs, makeTangents(code, inputs, number, direction));
  if (!tangents)
    return tangents.getFailure();
  std::vector<ResultDifferences> results;
  for (unsigned i = 0; i < code.vjp.seeded.size(); ++i)
    results.emplace_back(values, code.vjp.seeded[i], *tangents, i);

  for (double step : steps) {
    Result<RankValues> above =
        code.run(shift(inputs, position, direction, step));
    if (!above)
      return above.getFailure();
    Result<RankValues> below =
        code.run(shift(inputs, position, direction, -step));
    if (!below)
      return below.getFailure();
    for (ResultDifferences &result : results)
      result.add(*above, *below);
    if (llvm::all_of(results, [](const ResultDifferences &result) {
          return result.isClear();
        }))
      break;
  }

  std::optional<Finding> &furthest = report.get(CheckKind::Difference);
  for (auto [result, position] : llvm::zip(results, code.vjp.seeded)) {
    std::string name =
        getFlagName(code.getSignature(), ValueKind::Result, position);
    if (report.kink.empty())
      report.kink = result.describeKink(name);
    std::optional<Finding> finding = result.getFinding(name);
    if (finding && (!furthest || finding->getExcess() > furthest->getExcess()))
      furthest = finding;
  }
  if (report.hasStoppedPath && furthest && !furthest->passed()) {
    furthest.reset();
    report.kink = "the argument goes through 'comm.stop_gradient', which "
                  "differences pass and gradients do not: 'difference' cannot "
                  "decide";
    return std::nullopt;
  }
  if (furthest && furthest->passed() && furthest->error > differenceTolerance)
    report.remarks.push_back(
        "the results are so large against their changes that rounding hides "
        "what is smaller than the difference error");
  if (furthest && !furthest->passed() && furthest->worst) {
    std::string factor =
        describeFactor(code.getSignature().mesh, "tangent",
                       furthest->worst->got, furthest->worst->expected);
    if (!factor.empty())
      report.remarks.push_back(factor);
  }
  return std::nullopt;
}
