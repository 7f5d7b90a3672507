//===- ReportTable.cpp - A gradient check for a person --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

namespace {

constexpr unsigned numColumns = 3 + numCheckKinds + 2;
using Row = std::array<std::string, numColumns>;

} // namespace

static std::string format(const char *pattern, double number) {
  // Of a NaN the sign says nothing.
  if (std::isnan(number))
    return "nan";
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), pattern, number);
  return buffer;
}

static std::string formatError(const std::optional<Finding> &finding,
                               CheckKind kind) {
  if (!finding)
    return "-";
  if (kind == CheckKind::Replicas)
    return finding->passed() ? "equal" : "DIFFER";
  return format("%.1e", finding->error);
}

static std::string formatVerdict(const ValueReport &value) {
  switch (value.getVerdict()) {
  case Verdict::Right:
    return value.isZero ? "right, zero" : "right";
  case Verdict::Wrong:
    return "WRONG";
  case Verdict::Undecided:
    return "UNDECIDED";
  }
  return "";
}

/// The place of the worst element, and what it should be where it is wrong.
static std::string formatWorst(const ValueReport &value) {
  std::optional<CheckKind> kind = value.getWorst();
  if (!kind)
    return "";
  const Finding &finding = *value.get(*kind);
  std::string text = formatPlace(*finding.worst);
  if (!finding.passed())
    text += ": got " + format("%.9g", finding.worst->got) + ", expected " +
            format("%.9g", finding.worst->expected);
  return text;
}

static Row makeRow(const Mesh &mesh, const ValueReport &value) {
  Row row;
  row[0] = value.name;
  row[1] = value.info.formatType();
  row[2] = formatState(mesh, value.info);
  for (unsigned i = 0; i < numCheckKinds; ++i)
    row[3 + i] = formatError(value.findings[i], static_cast<CheckKind>(i));
  row[3 + numCheckKinds] = formatVerdict(value);
  row[4 + numCheckKinds] = formatWorst(value);
  return row;
}

static std::string formatRows(const std::vector<Row> &rows) {
  std::array<size_t, numColumns> widths = {};
  for (const Row &row : rows)
    for (unsigned i = 0; i < numColumns; ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row &row : rows) {
    std::string line;
    for (unsigned i = 0; i < numColumns; ++i)
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

static std::string formatHeadline(const CheckReport &report) {
  int64_t ranks = runtime::getNumRanks(report.signature.mesh);
  std::string text = "gradient check of '@" + report.signature.name + "'";
  if (!report.vjp.empty())
    text += " by '@" + report.vjp + "'";
  text += " on " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
  if (!report.reference.empty())
    text += ", reference '@" + report.reference + "'";
  return text + ", random seed " + std::to_string(report.randomSeed) + "\n";
}

std::string comm::runner::formatTable(const CheckReport &report) {
  Row titles = {"value", "type", "state"};
  for (unsigned i = 0; i < numCheckKinds; ++i)
    titles[3 + i] = getName(static_cast<CheckKind>(i));
  titles[3 + numCheckKinds] = "verdict";
  titles[4 + numCheckKinds] = "worst";
  std::vector<Row> rows = {titles};
  for (const ValueReport &value : report.values)
    rows.push_back(makeRow(report.signature.mesh, value));
  std::string text = formatHeadline(report) + formatRows(rows);
  unsigned wrong = 0, undecided = 0;
  for (const ValueReport &value : report.values) {
    if (!value.kink.empty())
      text += value.name + ": " + value.kink + "\n";
    for (const std::string &remark : value.remarks)
      text += value.name + ": " + remark + "\n";
    wrong += value.getVerdict() == Verdict::Wrong;
    undecided += value.getVerdict() == Verdict::Undecided;
  }
  if (report.passed())
    return text + "gradient check passed\n";
  text += "gradient check failed: ";
  if (wrong)
    text += std::to_string(wrong) + " wrong";
  if (wrong && undecided)
    text += ", ";
  if (undecided)
    text += std::to_string(undecided) + " undecided";
  return text + "\n";
}
