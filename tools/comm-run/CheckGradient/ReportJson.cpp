//===- ReportJson.cpp - A gradient check for programs ---------------------===//
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
namespace json = llvm::json;

/// JSON has no NaN and no infinity.
static json::Value toJson(double number) {
  if (std::isfinite(number))
    return number;
  return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

static json::Value nameOrNull(const std::string &name) {
  return name.empty() ? json::Value(nullptr) : json::Value(name);
}

static json::Value toJson(const std::optional<Element> &element) {
  if (!element)
    return nullptr;
  return json::Object{{"result", nameOrNull(element->result)},
                      {"rank", element->rank},
                      {"index", json::Array(element->index)},
                      {"got", toJson(element->got)},
                      {"expected", toJson(element->expected)}};
}

static json::Value toJson(const Finding &finding) {
  return json::Object{{"passed", finding.passed()},
                      {"error", toJson(finding.error)},
                      {"allowed", toJson(finding.allowed)},
                      {"worst", toJson(finding.worst)}};
}

static const char *getName(Verdict verdict) {
  switch (verdict) {
  case Verdict::Right:
    return "right";
  case Verdict::Wrong:
    return "wrong";
  case Verdict::Undecided:
    return "undecided";
  }
  return "";
}

static json::Value toJson(const Mesh &mesh, const ValueReport &value) {
  json::Array replicated;
  for (int64_t axis : value.info.replicatedAxes)
    replicated.push_back(mesh[axis].name);
  json::Object checks;
  for (unsigned i = 0; i < numCheckKinds; ++i)
    if (value.findings[i])
      checks[comm::runner::getName(static_cast<CheckKind>(i))] =
          toJson(*value.findings[i]);
  json::Object object{
      {"name", value.name},
      {"type", value.info.formatType()},
      {"replicated", std::move(replicated)},
      {"verdict", getName(value.getVerdict())},
      {"checks", std::move(checks)},
      {"worst", nullptr},
      {"kink", nameOrNull(value.kink)},
      {"remarks", json::Array(value.remarks)},
  };
  if (std::optional<CheckKind> worst = value.getWorst())
    object["worst"] = comm::runner::getName(*worst);
  if (value.info.gradientOf) {
    object["argument"] = int64_t(*value.info.gradientOf);
    object["zero"] = value.isZero;
    object["tangent_side"] = toJson(value.tangentSide);
    object["cotangent_side"] = toJson(value.cotangentSide);
  }
  return object;
}

json::Value comm::runner::toJson(const CheckReport &report) {
  json::Array mesh, values;
  for (const runtime::MeshAxis &axis : report.signature.mesh)
    mesh.push_back(json::Object{{"axis", axis.name}, {"size", axis.size}});
  for (const ValueReport &value : report.values)
    values.push_back(::toJson(report.signature.mesh, value));
  return json::Object{{"version", 1},
                      {"function", report.signature.name},
                      {"mesh", std::move(mesh)},
                      {"random_seed", report.randomSeed},
                      {"reference", nameOrNull(report.reference)},
                      {"vjp", nameOrNull(report.vjp)},
                      {"passed", report.passed()},
                      {"values", std::move(values)}};
}
