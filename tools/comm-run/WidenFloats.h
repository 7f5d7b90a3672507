//===- WidenFloats.h - A program in double precision ------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_WIDENFLOATS_H
#define COMM_TOOLS_COMMRUN_WIDENFLOATS_H

#include "comm/Runner/Inputs.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::comm::runner {

/// Turns every f16, bf16 and f32 of the module into an f64: types, constants
/// and attributes; what converts between them goes. The numbers of constants
/// stay what they are.
LogicalResult widenFloats(ModuleOp module);

/// The same for a signature and for values.
FunctionSignature widenFloats(FunctionSignature signature);
RankValues widenFloats(const RankValues &values);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_WIDENFLOATS_H
