//===- Compare.cpp - Results against what they should be ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Compare.h"

#include <cmath>
#include <cstring>
#include <map>

using namespace mlir::comm;
using namespace mlir::comm::runner;

Tolerance mlir::comm::runner::getDefaultTolerance(CommDataType type) {
  switch (type) {
  case COMM_F64:
    return {1e-9, 1e-9};
  case COMM_F32:
    return {1e-5, 1e-5};
  case COMM_F16:
    return {2e-3, 2e-3};
  case COMM_BF16:
    return {2e-2, 2e-2};
  default:
    return {0, 0};
  }
}

Tolerance ToleranceOptions::get(CommDataType type) const {
  Tolerance tolerance = getDefaultTolerance(type);
  return {absolute.value_or(tolerance.absolute),
          relative.value_or(tolerance.relative)};
}

/// The difference of two floats in units of what is allowed.
static double getExcess(double got, double expected, Tolerance tolerance) {
  if (std::isnan(got) || std::isnan(expected))
    return INFINITY;
  if (got == expected)
    return 0;
  if (std::isinf(got) || std::isinf(expected))
    return INFINITY;
  double allowed =
      tolerance.absolute + tolerance.relative * std::fabs(expected);
  return std::fabs(got - expected) / allowed;
}

Difference mlir::comm::runner::compareTensors(const HostTensor &got,
                                              const HostTensor &expected,
                                              Tolerance tolerance) {
  Difference worst;
  for (int64_t i = 0; i < got.getElementCount(); ++i) {
    double excess;
    if (isFloat(got.getType()))
      excess = getExcess(got.getDouble(i), expected.getDouble(i), tolerance);
    else
      excess = got.getInt64(i) == expected.getInt64(i) ? 0 : INFINITY;
    worst.mismatches += excess > 1;
    if (excess > worst.excess) {
      worst.excess = excess;
      worst.position = i;
    }
  }
  return worst;
}

static std::string formatNumber(double number) {
  char buffer[32];
  snprintf(buffer, sizeof(buffer), "%.3g", number);
  return buffer;
}

/// Where an element stands: "rank 2, index [0, 1]"; a scalar has no index.
static std::string formatPlace(int64_t rank, const HostTensor &tensor,
                               int64_t position) {
  std::string text = "rank " + std::to_string(rank);
  if (!tensor.getShape().empty())
    text += ", index " + formatIndex(getIndex(tensor.getShape(), position));
  return text;
}

static std::string formatElementAt(const HostTensor &tensor, int64_t position) {
  return formatElement(tensor.getType(), tensor.getElement(position));
}

namespace {

/// Holds one result of all ranks against its flags.
class ResultChecker {
public:
  ResultChecker(const FunctionSignature &signature, const RankValues &results,
                unsigned position, const SpecTable &table, Tolerance tolerance)
      : info(signature.results[position]), results(results), position(position),
        table(table), tolerance(tolerance),
        description(describeValue(signature, ValueKind::Result, position)) {}

  MaybeFailure check(ComparisonReport &report) {
    for (int64_t rank : present)
      if (const ValueSpec *spec = table.lookup(position, rank))
        if (MaybeFailure failure = checkRank(rank, *spec, report))
          return failure;
    if (!anySpec)
      return std::nullopt;
    if (worst.mismatches == 0 && shapesAgree) {
      report.lines.push_back(description + ": as expected");
      return std::nullopt;
    }
    report.passed = false;
    if (worst.mismatches)
      report.lines.push_back(describeWorst());
    return std::nullopt;
  }

private:
  MaybeFailure checkRank(int64_t rank, const ValueSpec &spec,
                         ComparisonReport &report) {
    anySpec = true;
    if (spec.value == "rand")
      return usageFailure(spec.flag +
                          ": a random value cannot be expected of a result");
    // A flag that does not tell a size takes it from the result.
    const HostTensor &got = results[rank][position];
    ValueInfo expectedInfo = info;
    bool tellsShape =
        spec.type || spec.value.find_first_of("[,@") != std::string::npos;
    if (!tellsShape)
      expectedInfo.shape = got.getShape();
    Result<HostTensor> expected =
        evaluateValueSpec(spec, {expectedInfo, description, rank, 0});
    if (!expected)
      return expected.getFailure();
    if (expected->getShape() != got.getShape()) {
      shapesAgree = false;
      report.lines.push_back(description + ": rank " + std::to_string(rank) +
                             ": got shape " + formatIndex(got.getShape()) +
                             ", expected " + formatIndex(expected->getShape()));
      return std::nullopt;
    }
    Difference difference = compareTensors(got, *expected, tolerance);
    elements += got.getElementCount();
    ranksWithMismatches += difference.mismatches > 0;
    int64_t mismatches = worst.mismatches + difference.mismatches;
    if (difference.excess > worst.excess) {
      worst = difference;
      worst.rank = rank;
      expectedOfWorst = *std::move(expected);
    }
    worst.mismatches = mismatches;
    return std::nullopt;
  }

  std::string describeWorst() const {
    const HostTensor &got = results[worst.rank][position];
    std::string text = description + ": " +
                       formatPlace(worst.rank, got, worst.position) + ": got " +
                       formatElementAt(got, worst.position) + ", expected " +
                       formatElementAt(expectedOfWorst, worst.position);
    if (elements > 1)
      text += "; " + std::to_string(worst.mismatches) + " of " +
              std::to_string(elements) + " elements differ, on " +
              std::to_string(ranksWithMismatches) + " of " +
              std::to_string(present.size()) + " ranks";
    if (isFloat(got.getType()))
      text += "; tolerance " + formatNumber(tolerance.absolute) + " + " +
              formatNumber(tolerance.relative) + " * |expected|";
    return text;
  }

  const ValueInfo &info;
  const RankValues &results;
  const std::vector<int64_t> present = getPresentRanks(results);
  unsigned position;
  const SpecTable &table;
  Tolerance tolerance;
  std::string description;

  Difference worst;
  HostTensor expectedOfWorst;
  bool anySpec = false;
  bool shapesAgree = true;
  int64_t elements = 0;
  int64_t ranksWithMismatches = 0;
};

} // namespace

Result<ComparisonReport> mlir::comm::runner::checkExpected(
    const FunctionSignature &signature, const RankValues &results,
    const std::vector<ValueSpec> &specs, const ToleranceOptions &tolerance) {
  Result<SpecTable> table =
      SpecTable::create(signature, ValueKind::Result, specs);
  if (!table)
    return table.getFailure();
  ComparisonReport report;
  for (unsigned position = 0; position < signature.results.size(); ++position) {
    ResultChecker checker(signature, results, position, *table,
                          tolerance.get(signature.results[position].type));
    if (MaybeFailure failure = checker.check(report))
      return *failure;
  }
  return report;
}

ComparisonReport
mlir::comm::runner::checkReplicated(const FunctionSignature &signature,
                                    const RankValues &results) {
  ComparisonReport report;
  std::vector<int64_t> present = getPresentRanks(results);
  for (unsigned position = 0; position < signature.results.size(); ++position) {
    const ValueInfo &info = signature.results[position];
    // Of each replica class, the first rank that is here.
    std::map<int64_t, int64_t> firstRanks;
    for (int64_t rank : present) {
      int64_t firstRank =
          firstRanks
              .emplace(
                  getReplicaClass(signature.mesh, info.replicatedAxes, rank),
                  rank)
              .first->second;
      const HostTensor &first = results[firstRank][position];
      const HostTensor &value = results[rank][position];
      if (value.isIdenticalTo(first))
        continue;
      std::string line =
          describeValue(signature, ValueKind::Result, position) +
          " is replicated over " +
          runtime::getGroup(signature.mesh, info.replicatedAxes, 0).axisNames +
          ", but ";
      if (first.getShape() != value.getShape()) {
        line += "rank " + std::to_string(firstRank) + " has " +
                first.formatType() + " and rank " + std::to_string(rank) +
                " has " + value.formatType();
      } else {
        int64_t i = 0;
        while (std::memcmp(first.getElement(i), value.getElement(i),
                           getByteSize(info.type)) == 0)
          ++i;
        line += formatPlace(rank, value, i) + " has " +
                formatElementAt(value, i) + " and rank " +
                std::to_string(firstRank) + " has " + formatElementAt(first, i);
      }
      report.lines.push_back(line);
      report.passed = false;
      break;
    }
  }
  return report;
}
