//===- Signature.cpp - What is to be run, free of MLIR --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Signature.h"

#include <algorithm>
#include <charconv>

using namespace mlir::comm;
using namespace mlir::comm::runner;

int64_t mlir::comm::runner::getReplicaClass(const Mesh &mesh,
                                            const std::vector<int64_t> &axes,
                                            int64_t rank) {
  std::vector<int64_t> ranks = runtime::getGroup(mesh, axes, rank).ranks;
  return *std::min_element(ranks.begin(), ranks.end());
}

MaybeFailure
mlir::comm::runner::checkNumRanks(const FunctionSignature &signature) {
  constexpr int64_t maxRanks = 4096;
  int64_t ranks = runtime::getNumRanks(signature.mesh);
  if (ranks <= maxRanks)
    return std::nullopt;
  return usageFailure("the mesh has " + std::to_string(ranks) +
                      " ranks: at most " + std::to_string(maxRanks) +
                      " can be run");
}

bool ValueInfo::isDynamic() const {
  return std::find(shape.begin(), shape.end(), kDynamic) != shape.end();
}

bool ValueInfo::acceptsShape(const Shape &candidate) const {
  return std::equal(shape.begin(), shape.end(), candidate.begin(),
                    candidate.end(), [](int64_t size, int64_t other) {
                      return size == kDynamic || size == other;
                    });
}

const std::vector<ValueInfo> &
mlir::comm::runner::getValues(const FunctionSignature &signature,
                              ValueKind kind) {
  return kind == ValueKind::Argument ? signature.arguments : signature.results;
}

std::string mlir::comm::runner::getFlagName(const FunctionSignature &signature,
                                            ValueKind kind, unsigned position) {
  const ValueInfo &value = getValues(signature, kind)[position];
  if (value.gradientOf)
    return "grad." +
           getFlagName(signature, ValueKind::Argument, *value.gradientOf);
  return value.name.empty() ? std::to_string(position) : value.name;
}

std::string
mlir::comm::runner::describeValue(const FunctionSignature &signature,
                                  ValueKind kind, unsigned position) {
  const ValueInfo &value = getValues(signature, kind)[position];
  std::string noun = kind == ValueKind::Argument ? "argument" : "result";
  std::string name = getFlagName(signature, kind, position);
  if (value.name.empty() && !value.gradientOf)
    return noun + " " + name;
  return noun + " '" + name + "'";
}

static std::optional<unsigned> readPosition(const std::string &text) {
  unsigned position;
  const char *end = text.data() + text.size();
  auto result = std::from_chars(text.data(), end, position);
  if (result.ec != std::errc() || result.ptr != end)
    return std::nullopt;
  return position;
}

Result<unsigned>
mlir::comm::runner::findValue(const FunctionSignature &signature,
                              ValueKind kind, const std::string &name) {
  const std::vector<ValueInfo> &values = getValues(signature, kind);
  std::string noun = kind == ValueKind::Argument ? "argument" : "result";
  std::string problem = "no " + noun + " '" + name + "'";
  if (kind == ValueKind::Result && name.rfind("grad.", 0) == 0) {
    Result<unsigned> argument =
        findValue(signature, ValueKind::Argument, name.substr(5));
    if (!argument)
      return argument;
    for (unsigned position = 0; position < values.size(); ++position)
      if (values[position].gradientOf == *argument)
        return position;
    problem = "no gradient of " +
              describeValue(signature, ValueKind::Argument, *argument);
  } else if (std::optional<unsigned> position = readPosition(name)) {
    if (*position < values.size())
      return *position;
    problem = noun + " position " + name + " is out of range";
  } else {
    std::string plain = name.substr(name[0] == '%');
    for (unsigned position = 0; position < values.size(); ++position)
      if (!plain.empty() && values[position].name == plain)
        return position;
  }
  std::string list;
  for (unsigned position = 0; position < values.size(); ++position)
    list += (position ? ", " : "") + getFlagName(signature, kind, position) +
            " (" + values[position].formatType() + ")";
  return usageFailure(problem + ": the " + noun + "s of '@" + signature.name +
                      "' are " + (list.empty() ? "none" : list));
}
