//===- KernelAttr.h - The mark of a kernel ----------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_KERNELATTR_H
#define COMM_IR_KERNELATTR_H

#include "llvm/ADT/StringRef.h"

namespace mlir::comm {

/// On a function, a unit attribute: it is a kernel. It computes on its
/// arguments alone, calls nothing of the runtime and has no context. On a call:
/// of one. Stays on the `llvm.func` that comes out of the lowering.
inline constexpr llvm::StringLiteral kKernelAttrName = "comm.kernel";

} // namespace mlir::comm

#endif // COMM_IR_KERNELATTR_H
