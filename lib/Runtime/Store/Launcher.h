//===- Launcher.h - What started this process -------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_STORE_LAUNCHER_H
#define COMM_LIB_RUNTIME_STORE_LAUNCHER_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace mlir::comm::runtime {

/// One process of a run of several, one rank each, as its launcher describes
/// it.
struct Process {
  /// "torchrun", "mpirun", "srun" or "COMM_RANK": for messages.
  std::string launcher;
  /// 0 where the launcher does not say.
  int64_t numRanks = 0;
  int64_t rank = 0;
  /// The number among the processes of this host; -1 where it is not known.
  int64_t localRank = -1;
  /// Where rank 0 listens for the others: a host and a port, or a file that all
  /// processes see, in which it says so.
  std::string address;
  int port = 0;
  std::string file;
  /// Tells this run from others that might listen there. May be empty.
  std::string run;
};

using Variables = std::function<const char *(const char *)>;

/// Reads the environment: COMM_RANK and COMM_RENDEZVOUS, or the variables of
/// torchrun, Open MPI's mpirun or srun, in this order. Nothing where there are
/// none of them, or COMM_LAUNCHER is "none"; with `error` set, where they do
/// not make sense.
std::optional<Process> readLauncher(const Variables &variables,
                                    std::string &error);

/// The first host of a list such as "gpu[03-05,9],login".
std::string getFirstHost(const std::string &list);

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_STORE_LAUNCHER_H
