//===- Inputs.cpp - The values that all ranks start with ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Inputs.h"

#include <algorithm>
#include <cstring>

using namespace mlir::comm;
using namespace mlir::comm::runner;

std::vector<int64_t>
mlir::comm::runner::getPresentRanks(const RankValues &values) {
  std::vector<int64_t> ranks;
  for (size_t rank = 0; rank < values.size(); ++rank)
    if (!values[rank].empty())
      ranks.push_back(rank);
  return ranks;
}

Result<SpecTable> SpecTable::create(const FunctionSignature &signature,
                                    ValueKind kind,
                                    const std::vector<ValueSpec> &specs) {
  SpecTable table;
  table.rows.resize(getValues(signature, kind).size());
  int64_t worldSize = runtime::getNumRanks(signature.mesh);
  for (const ValueSpec &spec : specs) {
    Result<unsigned> position = findValue(signature, kind, spec.name);
    if (!position)
      return usageFailure(spec.flag + ": " + position.getFailure().message);
    if (spec.rank && *spec.rank >= worldSize)
      return usageFailure(spec.flag + ": rank " + std::to_string(*spec.rank) +
                          " is out of range: the mesh has " +
                          std::to_string(worldSize) + " ranks");
    Row &row = table.rows[*position];
    const ValueSpec *previous = nullptr;
    if (!spec.rank && row.general)
      previous = &*row.general;
    else if (spec.rank)
      previous = table.lookupSpecific(*position, *spec.rank);
    if (previous)
      return usageFailure(spec.flag + ": " +
                          describeValue(signature, kind, *position) +
                          " is given already by " + previous->flag);
    if (spec.rank)
      row.specific.emplace_back(*spec.rank, spec);
    else
      row.general = spec;
  }
  return table;
}

const ValueSpec *SpecTable::lookupSpecific(unsigned position,
                                           int64_t rank) const {
  for (const auto &[specRank, spec] : rows[position].specific)
    if (specRank == rank)
      return &spec;
  return nullptr;
}

const ValueSpec *SpecTable::lookup(unsigned position, int64_t rank) const {
  if (const ValueSpec *spec = lookupSpecific(position, rank))
    return spec;
  const Row &row = rows[position];
  return row.general ? &*row.general : nullptr;
}

namespace {

/// Builds one argument's values on all ranks.
class Builder {
public:
  Builder(const FunctionSignature &signature, ValueKind kind, unsigned position,
          const SpecTable &table, const InputOptions &options)
      : mesh(signature.mesh), info(getValues(signature, kind)[position]),
        position(position), table(table), options(options),
        isSeed(kind == ValueKind::Result),
        description((isSeed ? "seed of " : "") +
                    describeValue(signature, kind, position)) {
    missing.flag = "missing " + options.flag + "=" +
                   getFlagName(signature, kind, position);
    missing.value = options.missing;
  }

  /// Appends the value of each rank to `values`.
  MaybeFailure build(RankValues &values) {
    int64_t worldSize = runtime::getNumRanks(mesh);
    // A class's ranks need not be neighbours, but its lowest comes first.
    std::vector<std::vector<int64_t>> classes(worldSize);
    for (int64_t rank = 0; rank < worldSize; ++rank)
      classes[getReplicaClass(mesh, info.replicatedAxes, rank)].push_back(rank);
    std::vector<std::optional<HostTensor>> column(worldSize);
    for (const std::vector<int64_t> &ranks : classes)
      if (!ranks.empty())
        if (MaybeFailure failure = buildClass(ranks, column))
          return failure;
    for (int64_t rank = 1; rank < worldSize; ++rank)
      if (column[rank]->getShape() != column[0]->getShape())
        return usageFailure(
            description + " has shape " + formatIndex(column[0]->getShape()) +
            " on rank 0 and " + formatIndex(column[rank]->getShape()) +
            " on rank " + std::to_string(rank) +
            ": shapes must be the same on all ranks");
    for (int64_t rank = 0; rank < worldSize; ++rank)
      values[rank].push_back(*std::move(column[rank]));
    return std::nullopt;
  }

private:
  MaybeFailure buildClass(const std::vector<int64_t> &ranks,
                          std::vector<std::optional<HostTensor>> &column) {
    bool hasSpecific = false;
    for (int64_t rank : ranks)
      hasSpecific |= table.lookupSpecific(position, rank) != nullptr;
    // The first rank that has a value, which all others then share.
    std::optional<int64_t> first;
    for (int64_t rank : ranks) {
      const ValueSpec *spec = hasSpecific ? table.lookupSpecific(position, rank)
                                          : table.lookup(position, rank);
      if (!spec && (hasSpecific || first))
        continue;
      Result<HostTensor> value = evaluateValueSpec(
          spec ? *spec : missing,
          {info, description, rank,
           getRandomStream(options.randomSeed, position, ranks.front())});
      if (!value)
        return value.getFailure();
      if (!first)
        first = rank;
      else if (!value->isIdenticalTo(*column[*first]))
        return disagreement(*first, *column[*first], rank, *value);
      column[rank] = *std::move(value);
    }
    for (int64_t rank : ranks)
      if (rank != *first)
        column[rank] = HostTensor(*column[*first]);
    return std::nullopt;
  }

  Failure disagreement(int64_t firstRank, const HostTensor &first, int64_t rank,
                       const HostTensor &value) const {
    std::string message =
        description + " is replicated over " +
        runtime::getGroup(mesh, info.replicatedAxes, 0).axisNames +
        (isSeed ? ", as the result is: ranks " : ": ranks ") +
        std::to_string(firstRank) + " and " + std::to_string(rank) +
        " must get one value, and ";
    if (first.getShape() != value.getShape())
      return usageFailure(message + "get " + first.formatType() + " and " +
                          value.formatType());
    int64_t i = 0;
    while (std::memcmp(first.getElement(i), value.getElement(i),
                       getByteSize(info.type)) == 0)
      ++i;
    return usageFailure(
        message + "get " + formatElement(info.type, first.getElement(i)) +
        " and " + formatElement(info.type, value.getElement(i)) + " at index " +
        formatIndex(getIndex(first.getShape(), i)));
  }

  const Mesh &mesh;
  const ValueInfo &info;
  unsigned position;
  const SpecTable &table;
  const InputOptions &options;
  bool isSeed;
  std::string description;
  /// Stands for the flag that is not there.
  ValueSpec missing;
};

} // namespace

Result<RankValues> mlir::comm::runner::buildInputs(
    const FunctionSignature &signature, ValueKind kind,
    const std::vector<unsigned> &positions, const std::vector<ValueSpec> &specs,
    const InputOptions &options) {
  Result<SpecTable> table = SpecTable::create(signature, kind, specs);
  if (!table)
    return table.getFailure();
  for (const ValueSpec &spec : specs) {
    unsigned position = *findValue(signature, kind, spec.name);
    if (std::find(positions.begin(), positions.end(), position) ==
        positions.end())
      return usageFailure(spec.flag + ": " +
                          describeValue(signature, kind, position) +
                          " takes no " + options.flag);
  }
  RankValues values(runtime::getNumRanks(signature.mesh));
  for (unsigned position : positions) {
    Builder builder(signature, kind, position, *table, options);
    if (MaybeFailure failure = builder.build(values))
      return *failure;
  }
  return values;
}

std::vector<int64_t> mlir::comm::runner::getRandomRanks(
    const FunctionSignature &signature, ValueKind kind, unsigned position,
    const SpecTable &table, const InputOptions &options) {
  const ValueInfo &info = getValues(signature, kind)[position];
  std::vector<int64_t> random;
  for (int64_t rank = 0; rank < runtime::getNumRanks(signature.mesh); ++rank) {
    // A flag for one rank of a replica class is for all of it.
    const ValueSpec *spec = nullptr;
    for (int64_t peer :
         runtime::getGroup(signature.mesh, info.replicatedAxes, rank).ranks)
      if (const ValueSpec *specific = table.lookupSpecific(position, peer))
        spec = specific;
    if (!spec)
      spec = table.lookup(position, rank);
    if ((spec ? spec->value : options.missing) == "rand")
      random.push_back(rank);
  }
  return random;
}

Result<RankValues>
mlir::comm::runner::buildInputs(const FunctionSignature &signature,
                                const std::vector<ValueSpec> &specs,
                                const InputOptions &options) {
  std::vector<unsigned> positions;
  for (unsigned i = 0; i < signature.arguments.size(); ++i)
    positions.push_back(i);
  return buildInputs(signature, ValueKind::Argument, positions, specs, options);
}
