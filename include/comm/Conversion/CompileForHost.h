//===- CompileForHost.h - From a module to code in memory -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CONVERSION_COMPILEFORHOST_H
#define COMM_CONVERSION_COMPILEFORHOST_H

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::comm {

/// Lowers the module, which is tensors and has been differentiated, by the
/// pipeline `comm-to-host`, and compiles it for this processor, optimised. What
/// a public function @f became is `lookup("_mlir_ciface_f")`; docs/Runtime.md
/// says how it is called. The process has Comm::Runtime linked in. What goes
/// wrong is reported as a diagnostic.
FailureOr<std::unique_ptr<ExecutionEngine>> compileForHost(ModuleOp module);

} // namespace mlir::comm

#endif // COMM_CONVERSION_COMPILEFORHOST_H
