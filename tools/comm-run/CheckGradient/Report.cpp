//===- Report.cpp - What a gradient check found ---------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <cmath>

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

double Finding::getExcess() const {
  if (std::isnan(error))
    return INFINITY;
  if (error == 0)
    return 0;
  return error / allowed;
}

const char *comm::runner::getName(CheckKind kind) {
  switch (kind) {
  case CheckKind::Adjoint:
    return "adjoint";
  case CheckKind::Difference:
    return "difference";
  case CheckKind::Precision:
    return "precision";
  case CheckKind::Replicas:
    return "replicas";
  case CheckKind::Reference:
    return "reference";
  }
  return "";
}

Verdict ValueReport::getVerdict() const {
  for (const std::optional<Finding> &finding : findings)
    if (finding && !finding->passed())
      return Verdict::Wrong;
  return kink.empty() ? Verdict::Right : Verdict::Undecided;
}

std::optional<CheckKind> ValueReport::getWorst() const {
  std::optional<CheckKind> worst;
  for (unsigned i = 0; i < numCheckKinds; ++i)
    if (findings[i] && findings[i]->worst &&
        (!worst || findings[i]->getExcess() > get(*worst)->getExcess()))
      worst = static_cast<CheckKind>(i);
  return worst;
}

bool CheckReport::passed() const {
  return llvm::all_of(values, [](const ValueReport &value) {
    return value.getVerdict() == Verdict::Right;
  });
}

std::string comm::runner::formatState(const Mesh &mesh, const ValueInfo &info) {
  if (runtime::getNumRanks(mesh) == 1)
    return "one rank";
  std::string axes;
  for (int64_t axis : info.replicatedAxes)
    if (mesh[axis].size > 1)
      axes += (axes.empty() ? "" : ", ") + mesh[axis].name;
  return axes.empty() ? "varying" : "replicated over " + axes;
}

std::string comm::runner::formatPlace(const Element &element) {
  std::string text = element.result.empty() ? "" : element.result + " at ";
  text += "rank " + std::to_string(element.rank);
  if (!element.index.empty())
    text += ", " + formatIndex(element.index);
  return text;
}
