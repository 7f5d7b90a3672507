//===- Launcher.cpp - The environment of torchrun, mpirun and srun --------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

#include <cstdlib>

using namespace mlir::comm::runtime;

namespace {

/// The variables, read with what is wrong with them.
class Reader {
public:
  Reader(const Variables &variables, std::string &error)
      : variables(variables), error(error) {}

  std::string get(const char *name) const {
    const char *value = variables(name);
    return value ? value : "";
  }
  bool has(const char *name) const { return !get(name).empty(); }

  /// A number from `least` to `most`; `missing` where the variable is not set.
  int64_t getNumber(const char *name, int64_t least, int64_t most,
                    int64_t missing) {
    std::string text = get(name);
    if (text.empty())
      return missing;
    char *end;
    int64_t value = std::strtoll(text.c_str(), &end, 10);
    if (*end || value < least || value > most)
      fail(std::string(name) + " is '" + text + "', expected a number from " +
           std::to_string(least) + " to " + std::to_string(most));
    return value;
  }

  int64_t getRequired(const char *name, int64_t least, const char *because) {
    if (!has(name))
      fail(std::string(because) + " is set and " + name + " is not");
    return getNumber(name, least, most, 0);
  }

  void fail(const std::string &message) {
    if (error.empty())
      error = message;
  }

  static constexpr int64_t most = 1 << 20;

private:
  const Variables &variables;
  std::string &error;
};

} // namespace

/// A port that every process of a run finds alike, below those that systems
/// hand out.
static int derivePort(const std::string &run) {
  uint32_t hash = 2166136261u;
  for (unsigned char byte : run)
    hash = (hash ^ byte) * 16777619u;
  return 20000 + hash % 10000;
}

std::string mlir::comm::runtime::getFirstHost(const std::string &list) {
  std::string host = list.substr(0, list.find_first_of(",["));
  if (host.size() == list.size() || list[host.size()] == ',')
    return host;
  // The first number of a bracket, and what follows the bracket.
  size_t begin = host.size() + 1;
  size_t end = list.find_first_of("-,]", begin);
  size_t close = list.find(']', begin);
  if (end == std::string::npos || close == std::string::npos)
    return "";
  std::string rest = list.substr(close + 1);
  return getFirstHost(host + list.substr(begin, end - begin) +
                      rest.substr(0, rest.find(',')));
}

/// COMM_RANK: started by hand, or by something that is not known here.
static Process readOwn(Reader &reader) {
  Process process;
  process.launcher = "COMM_RANK";
  process.rank = reader.getRequired("COMM_RANK", 0, "COMM_RENDEZVOUS");
  process.numRanks = reader.getNumber("COMM_NUM_RANKS", 1, Reader::most, 0);
  process.localRank = reader.getNumber("COMM_LOCAL_RANK", 0, Reader::most, -1);
  return process;
}

static Process readTorchrun(Reader &reader) {
  Process process;
  process.launcher = "torchrun";
  process.rank = reader.getRequired("RANK", 0, "WORLD_SIZE");
  process.numRanks = reader.getRequired("WORLD_SIZE", 1, "RANK");
  process.localRank = reader.getNumber("LOCAL_RANK", 0, Reader::most, -1);
  process.run = reader.get("TORCHELASTIC_RUN_ID");
  return process;
}

static Process readMpirun(Reader &reader) {
  Process process;
  process.launcher = "mpirun";
  process.rank =
      reader.getRequired("OMPI_COMM_WORLD_RANK", 0, "OMPI_COMM_WORLD_SIZE");
  process.numRanks =
      reader.getRequired("OMPI_COMM_WORLD_SIZE", 1, "OMPI_COMM_WORLD_RANK");
  process.localRank =
      reader.getNumber("OMPI_COMM_WORLD_LOCAL_RANK", 0, Reader::most, -1);
  for (const char *name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"})
    if (process.run.empty())
      process.run = reader.get(name);
  // All on one host: no need to be told which.
  if (reader.get("OMPI_COMM_WORLD_LOCAL_SIZE") ==
      reader.get("OMPI_COMM_WORLD_SIZE")) {
    process.address = "127.0.0.1";
    process.port = derivePort(process.run);
  }
  return process;
}

static Process readSrun(Reader &reader) {
  Process process;
  process.launcher = "srun";
  process.rank = reader.getNumber("SLURM_PROCID", 0, Reader::most, 0);
  const char *size = reader.has("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS"
                                                        : "SLURM_NTASKS";
  process.numRanks = reader.getRequired(size, 1, "SLURM_PROCID");
  process.localRank = reader.getNumber("SLURM_LOCALID", 0, Reader::most, -1);
  process.run = reader.get("SLURM_JOB_ID") + "." + reader.get("SLURM_STEP_ID");
  const char *hosts = reader.has("SLURM_STEP_NODELIST") ? "SLURM_STEP_NODELIST"
                                                        : "SLURM_JOB_NODELIST";
  process.address = getFirstHost(reader.get(hosts));
  process.port = derivePort(process.run);
  return process;
}

/// Where rank 0 listens. The port after MASTER_PORT, which torchrun uses
/// itself.
static void readPlace(Reader &reader, Process &process) {
  process.file = reader.get("COMM_RENDEZVOUS");
  if (!process.file.empty())
    return;
  constexpr int64_t mostPort = 65535;
  if (reader.has("MASTER_ADDR"))
    process.address = reader.get("MASTER_ADDR");
  if (int64_t port = reader.getNumber("MASTER_PORT", 1, mostPort, 0))
    process.port = static_cast<int>(port == mostPort ? port - 1 : port + 1);
  process.port = static_cast<int>(
      reader.getNumber("COMM_PORT", 1, mostPort, process.port));
  if (process.address.empty() || process.port == 0)
    reader.fail(
        process.launcher + " started rank " + std::to_string(process.rank) +
        " of several, and nothing says where they meet: set MASTER_ADDR and "
        "MASTER_PORT, or COMM_RENDEZVOUS to a file that all of them see");
}

std::optional<Process>
mlir::comm::runtime::readLauncher(const Variables &variables,
                                  std::string &error) {
  error.clear();
  Reader reader(variables, error);
  std::string launcher = reader.get("COMM_LAUNCHER");
  if (launcher == "none")
    return std::nullopt;
  if (!launcher.empty())
    reader.fail("COMM_LAUNCHER is '" + launcher + "', expected 'none'");

  Process process;
  if (reader.has("COMM_RANK"))
    process = readOwn(reader);
  else if (reader.has("WORLD_SIZE") || reader.has("RANK"))
    process = readTorchrun(reader);
  else if (reader.has("OMPI_COMM_WORLD_SIZE") ||
           reader.has("OMPI_COMM_WORLD_RANK"))
    process = readMpirun(reader);
  // The first two stand in the environment of a batch script too.
  else if (reader.has("SLURM_PROCID") && reader.has("SLURM_STEP_ID"))
    process = readSrun(reader);
  else if (reader.has("COMM_RENDEZVOUS"))
    process = readOwn(reader);
  else
    return std::nullopt;

  if (process.numRanks && process.rank >= process.numRanks)
    reader.fail(process.launcher + " says that this is rank " +
                std::to_string(process.rank) + " of " +
                std::to_string(process.numRanks));
  readPlace(reader, process);
  if (!error.empty())
    return std::nullopt;
  return process;
}
