//===- MatchSignature.cpp - Whether two functions fit together ------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatchSignature.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

/// As the program writes it: "f32", "tensor<4xf32>".
static std::string formatMlirType(const ValueInfo &info) {
  return info.isScalar ? info.formatType()
                       : "tensor<" + info.formatType() + ">";
}

static MaybeFailure matchValues(const std::string &flag,
                                const FunctionSignature &got,
                                const FunctionSignature &expected,
                                ValueKind kind, const std::string &what) {
  std::string noun = kind == ValueKind::Argument ? "argument" : "result";
  const std::vector<ValueInfo> &theirs = getValues(got, kind);
  const std::vector<ValueInfo> &ours = getValues(expected, kind);
  if (theirs.size() != ours.size())
    return usageFailure(flag + ": '@" + got.name + "' has " +
                        std::to_string(theirs.size()) + " " + noun +
                        (theirs.size() == 1 ? "" : "s") + ", and " + what +
                        " has " + std::to_string(ours.size()));
  for (unsigned i = 0; i < ours.size(); ++i)
    if (formatMlirType(theirs[i]) != formatMlirType(ours[i]))
      return usageFailure(flag + ": " + describeValue(got, kind, i) + " of '@" +
                          got.name + "' is " + formatMlirType(theirs[i]) +
                          ", expected " + formatMlirType(ours[i]) + " as of " +
                          what);
  return std::nullopt;
}

MaybeFailure comm::runner::matchSignature(const std::string &flag,
                                          const FunctionSignature &got,
                                          const FunctionSignature &expected,
                                          const std::string &what) {
  for (ValueKind kind : {ValueKind::Argument, ValueKind::Result})
    if (MaybeFailure failure = matchValues(flag, got, expected, kind, what))
      return failure;
  return std::nullopt;
}
