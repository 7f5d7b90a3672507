//===- DerivativeOps.h - comm.vjp and its like ------------------*- C++ -*-===//
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

/// Whether `op` asks for a derivative: comm.vjp, comm.jvp, comm.value_and_grad.
bool isDerivativeOp(Operation *op);

/// The function that such an op names, which has been verified.
FunctionOpInterface lookupCallee(Operation *op);

} // namespace mlir::comm

#endif // COMM_IR_DERIVATIVEOPS_H
