//===- SplitKernels.h - A lowered module in parts ---------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_SPLITKERNELS_H
#define COMM_TOOLS_COMMRUN_SPLITKERNELS_H

#include "comm/IR/KernelAttr.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"

#include <vector>

namespace mlir::comm::runner {

/// What the symbol of a kernel, and the identifier of the module that holds it,
/// begin with. The rest is a hash of all that its machine code depends on.
inline constexpr llvm::StringLiteral kKernelPrefix = "comm_kernel_";

/// LLVM modules that make up a program.
struct SplitModule {
  /// All but the kernels, which it declares.
  llvm::orc::ThreadSafeModule schedule;
  /// Each with one kernel and copies of what that needs, in a context of its
  /// own; no two are the same.
  std::vector<llvm::orc::ThreadSafeModule> kernels;
};

/// Takes the kernels, which have the attribute kKernelAttrName, out of a module
/// of the LLVM dialect and translates the parts to LLVM IR. A kernel's symbol
/// becomes its hash, which covers `salt` too: what of the compiler's options
/// and of the processor its code depends on. Fails after an error. The time is
/// linear in the size of `module` and of what each kernel needs.
FailureOr<SplitModule> splitKernels(ModuleOp module, StringRef salt);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_SPLITKERNELS_H
