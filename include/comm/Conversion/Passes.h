//===- Passes.h - The passes of this folder ---------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CONVERSION_PASSES_H
#define COMM_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::comm {

#define GEN_PASS_DECL
#include "comm/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "comm/Conversion/Passes.h.inc"

} // namespace mlir::comm

#endif // COMM_CONVERSION_PASSES_H
