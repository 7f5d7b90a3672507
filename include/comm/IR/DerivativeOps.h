//===- DerivativeOps.h - comm.vjp, comm.value_and_grad ----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_DERIVATIVEOPS_H
#define COMM_IR_DERIVATIVEOPS_H

#include "comm/IR/Comm.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::comm {

/// The function that a `comm.vjp` or `comm.value_and_grad` names, which has
/// been verified.
FunctionOpInterface lookupCallee(Operation *op);

} // namespace mlir::comm

#endif // COMM_IR_DERIVATIVEOPS_H
