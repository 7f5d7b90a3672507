//===- ChooseFunction.cpp - The function that a user means ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/ChooseFunction.h"

#include <algorithm>

using namespace mlir::comm::runner;

static bool hasFunction(const std::vector<NamedFunction> &functions,
                        const std::string &name) {
  return std::any_of(
      functions.begin(), functions.end(),
      [&](const NamedFunction &function) { return function.name == name; });
}

bool mlir::comm::runner::isDerivativeName(
    const std::string &name, const std::vector<NamedFunction> &functions) {
  for (const char *suffix : {"_fwd", "_bwd", "_vjp", "_jvp"}) {
    size_t at = name.rfind(suffix);
    if (at == std::string::npos)
      continue;
    std::string rest = name.substr(at + 4);
    bool isWhole = rest.empty() || rest.rfind("_wrt_", 0) == 0 ||
                   rest.rfind("_of_", 0) == 0;
    if (isWhole && hasFunction(functions, name.substr(0, at)))
      return true;
  }
  return false;
}

Result<std::string>
mlir::comm::runner::chooseFunction(const std::vector<NamedFunction> &functions,
                                   const std::string &name,
                                   const std::string &program) {
  std::vector<std::string> candidates;
  std::string list;
  for (const NamedFunction &function : functions) {
    if (!function.isPublic || isDerivativeName(function.name, functions))
      continue;
    list += (candidates.empty() ? "'@" : ", '@") + function.name + "'";
    candidates.push_back(function.name);
  }
  if (!name.empty()) {
    if (hasFunction(functions, name))
      return name;
    return usageFailure("no function '@" + name + "'" +
                        (list.empty() ? "" : ": " + program + " has " + list));
  }
  if (hasFunction(functions, "main"))
    return std::string("main");
  if (candidates.empty())
    return usageFailure(program + " has no public function to run");
  if (candidates.size() > 1)
    return usageFailure("choose one of " + list + " by --function");
  return candidates[0];
}
