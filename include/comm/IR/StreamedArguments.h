//===- StreamedArguments.h - What kernels write past caches -----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_STREAMEDARGUMENTS_H
#define COMM_IR_STREAMEDARGUMENTS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::comm {

/// On a kernel, an attribute of LLVM IR, which is in `passthrough` of an
/// `llvm.func`: the numbers of the arguments that it only writes to, every
/// element once and in the order of the addresses, and that are too large for
/// the caches. Commas stand between them.
inline constexpr llvm::StringLiteral kStreamedArgumentsName = "comm-streamed";

} // namespace mlir::comm

#endif // COMM_IR_STREAMEDARGUMENTS_H
