//===- Vjp.cpp - A function and its gradients -----------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Vjp.h"

#include <algorithm>

using namespace mlir::comm::runner;

Result<Vjp>
mlir::comm::runner::describeVjp(const FunctionSignature &signature,
                                const std::vector<std::string> &wrt) {
  Vjp vjp;
  vjp.signature = signature;
  for (const std::string &name : wrt) {
    Result<unsigned> position = findValue(signature, ValueKind::Argument, name);
    if (!position)
      return usageFailure("--wrt=" + name + ": " +
                          position.getFailure().message);
    const ValueInfo &info = signature.arguments[*position];
    if (!isFloat(info.type))
      return usageFailure(
          "--wrt=" + name + ": " +
          describeValue(signature, ValueKind::Argument, *position) + " is " +
          info.formatType() + ", which has no gradient");
    vjp.wrt.push_back(*position);
  }
  std::sort(vjp.wrt.begin(), vjp.wrt.end());
  vjp.wrt.erase(std::unique(vjp.wrt.begin(), vjp.wrt.end()), vjp.wrt.end());

  for (unsigned i = 0; i < signature.arguments.size() && wrt.empty(); ++i)
    if (isFloat(signature.arguments[i].type))
      vjp.wrt.push_back(i);
  for (unsigned i = 0; i < signature.results.size(); ++i)
    if (isFloat(signature.results[i].type))
      vjp.seeded.push_back(i);
  if (vjp.wrt.empty() || vjp.seeded.empty())
    return usageFailure(
        "nothing to differentiate: '@" + signature.name + "' has no " +
        (vjp.wrt.empty() ? "argument" : "result") + " of floats");

  for (unsigned position : vjp.seeded)
    vjp.signature.arguments.push_back(signature.results[position]);
  for (unsigned position : vjp.wrt) {
    ValueInfo gradient = signature.arguments[position];
    gradient.gradientOf = position;
    vjp.signature.results.push_back(gradient);
  }
  return vjp;
}

RankValues mlir::comm::runner::joinValues(RankValues inputs,
                                          const RankValues &seeds) {
  for (size_t rank = 0; rank < inputs.size(); ++rank)
    inputs[rank].insert(inputs[rank].end(), seeds[rank].begin(),
                        seeds[rank].end());
  return inputs;
}
