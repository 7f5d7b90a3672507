//===- Passes.td - Passes from tensors to runtime calls ----*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CONVERSION_PASSES
#define COMM_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

#endif // COMM_CONVERSION_PASSES
