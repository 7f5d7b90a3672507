//===- Outputs.cpp - Results as files -------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Outputs.h"

#include "comm/Runner/Npy.h"
#include "comm/Runner/Print.h"

#include <filesystem>
#include <map>
#include <numeric>

using namespace mlir::comm;
using namespace mlir::comm::runner;

static bool hasFilePerRank(const OutputSpec &spec) {
  return expandRank(spec.path, 0) != spec.path;
}

/// The ranks whose values the flag names.
static std::vector<int64_t> getRanks(const OutputSpec &spec,
                                     int64_t worldSize) {
  if (spec.rank)
    return {*spec.rank};
  std::vector<int64_t> ranks(worldSize);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// The files that the flag names.
static std::vector<std::string> getFiles(const OutputSpec &spec,
                                         int64_t worldSize) {
  std::vector<std::string> files;
  for (int64_t rank : getRanks(spec, worldSize))
    if (files.empty() || hasFilePerRank(spec))
      files.push_back(expandRank(spec.path, rank));
  return files;
}

/// One name for each file, whatever way it is written.
static std::string getCanonicalPath(const std::string &path) {
  std::error_code error;
  std::filesystem::path canonical =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
  return error ? path : canonical.string();
}

MaybeFailure
mlir::comm::runner::checkOutputs(const FunctionSignature &signature,
                                 const std::vector<OutputSpec> &specs) {
  int64_t worldSize = runtime::getNumRanks(signature.mesh);
  std::map<std::string, const OutputSpec *> writers;
  for (const OutputSpec &spec : specs) {
    Result<unsigned> position =
        findValue(signature, ValueKind::Result, spec.name);
    if (!position)
      return usageFailure(spec.flag + ": " + position.getFailure().message);
    if (spec.rank && *spec.rank >= worldSize)
      return usageFailure(spec.flag + ": rank " + std::to_string(*spec.rank) +
                          " is out of range: the mesh has " +
                          std::to_string(worldSize) + " ranks");
    for (const std::string &file : getFiles(spec, worldSize)) {
      auto [writer, isNew] = writers.emplace(getCanonicalPath(file), &spec);
      if (!isNew)
        return usageFailure(spec.flag + ": '" + file +
                            "' is written already by " + writer->second->flag +
                            ": give each value a file of its own ({rank} in a "
                            "name stands for the rank)");
      if (MaybeFailure failure = checkWritable(file))
        return usageFailure(spec.flag + ": " + failure->message);
    }
  }
  return std::nullopt;
}

Result<std::vector<std::string>>
mlir::comm::runner::writeOutputs(const FunctionSignature &signature,
                                 const RankValues &results,
                                 const std::vector<OutputSpec> &specs) {
  std::vector<std::string> lines;
  for (const OutputSpec &spec : specs) {
    unsigned position = *findValue(signature, ValueKind::Result, spec.name);
    std::vector<int64_t> ranks;
    for (int64_t rank : getRanks(spec, results.size()))
      // Others are written where they are; one file for several ranks, where
      // the first of them is.
      if (!results[rank].empty())
        ranks.push_back(rank);
      else if (!hasFilePerRank(spec) && ranks.empty())
        break;
    if (ranks.empty())
      continue;
    const HostTensor &first = results[ranks.front()][position];
    for (int64_t rank : ranks)
      if (!hasFilePerRank(spec) &&
          !results[rank][position].isIdenticalTo(first))
        return usageFailure(
            spec.flag + ": ranks " + std::to_string(ranks.front()) + " and " +
            std::to_string(rank) +
            " have different values: write {rank} into the name of the file, "
            "or name a rank");
    for (int64_t rank : ranks) {
      if (MaybeFailure failure =
              writeNpy(expandRank(spec.path, rank), results[rank][position]))
        return Failure{failure->code, spec.flag + ": " + failure->message};
      if (!hasFilePerRank(spec))
        break;
    }
    lines.push_back("wrote " +
                    describeValue(signature, ValueKind::Result, position) +
                    " of " + formatRanks(ranks) + " to " + spec.path);
  }
  return lines;
}
