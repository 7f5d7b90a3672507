//===- Header.h - Prototypes of compiled functions --------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMCOMPILE_HEADER_H
#define COMM_TOOLS_COMMCOMPILE_HEADER_H

#include "comm/Runner/Artifact.h"

namespace mlir::comm::runner {

/// A header of C, good for C++, with the calling convention of docs/Runtime.md
/// for each function of the artifact. `name` is the header's own, such as
/// "layer.h": the macros LAYER_MESH and LAYER_BACKEND are called after it.
std::string formatHeader(const ArtifactDescription &description,
                         const std::string &name);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMCOMPILE_HEADER_H
