//===- Roster.h - The ranks of a run meet before it starts ------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_STORE_ROSTER_H
#define COMM_LIB_RUNTIME_STORE_ROSTER_H

#include "Store.h"

#include <cstdint>

namespace mlir::comm::runtime {

/// Where a rank of a run lives, and what it expects of the others.
struct Member {
  /// The host's name, and what tells it from others of this name.
  std::string host, hostId;
  /// The device's number in the process, and what tells it from the others of
  /// the host.
  int64_t device = 0;
  std::string deviceId;
  /// What must be the same on all ranks, such as the mesh: `[tp = 4]`.
  std::string program;
};

/// What tells this host from others, though names may repeat.
Member getHost();

/// All ranks of a run come here before anything else; rank 0 looks at them and
/// says what all then get, such as the unique id of a communicator. Nothing,
/// with `error` set and the same on all ranks, if a rank does not come in time,
/// two ranks share a device, the programs are not the same, or `makeStart`,
/// which rank 0 calls, sets an error.
std::optional<std::string>
meet(Store &store, int64_t rank, int64_t numRanks, const Member &member,
     std::chrono::milliseconds timeout,
     const std::function<std::string(std::string &error)> &makeStart,
     std::string &error);

/// "0.5 s".
std::string formatSeconds(std::chrono::milliseconds time);

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_STORE_ROSTER_H
