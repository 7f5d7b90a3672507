//===- LoadBackend.h - Backends that are shared objects ---------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_LOADBACKEND_H
#define COMM_LIB_RUNTIME_LOADBACKEND_H

#include "comm/Runtime/Communicator.h"

namespace mlir::comm::runtime {

/// A world of a backend that is not built in: see World::create and Backend.h.
std::unique_ptr<World> loadWorld(Mesh mesh, const std::string &backend,
                                 Options options, std::string &error);

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_LOADBACKEND_H
