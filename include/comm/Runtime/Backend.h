//===- Backend.h - What a backend's shared object exports -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNTIME_BACKEND_H
#define COMM_RUNTIME_BACKEND_H

#include "comm/Runtime/Communicator.h"

/// A backend that is not built in is a shared object with these two symbols:
/// "nccl" is libCommRuntimeNccl.so. World::create loads it when it is named and
/// leaves it loaded.
extern "C" {
/// The COMM_RUNTIME_ABI_VERSION that it was compiled with.
extern const int32_t commBackendAbiVersion;

/// A world of the backend on a mesh that is right. Null, with `error` set, if
/// it cannot start.
mlir::comm::runtime::World *
commCreateWorld(mlir::comm::runtime::Mesh mesh,
                mlir::comm::runtime::Options options, std::string &error);
}

#endif // COMM_RUNTIME_BACKEND_H
