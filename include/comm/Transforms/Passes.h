//===- Passes.h - The passes of this folder ---------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_PASSES_H
#define COMM_TRANSFORMS_PASSES_H

#include "comm/IR/Comm.h"
#include "comm/Transforms/DifferentiatePass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::comm {

#define GEN_PASS_DECL
#include "comm/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "comm/Transforms/Passes.h.inc"

} // namespace mlir::comm

#endif // COMM_TRANSFORMS_PASSES_H
