//===- Differentiate.h - A program and its gradients ------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_DIFFERENTIATE_H
#define COMM_TOOLS_COMMRUN_DIFFERENTIATE_H

#include "LoadProgram.h"
#include "comm/Runner/Vjp.h"

namespace mlir::comm {
class CommDifferentiator;
}

namespace mlir::comm::runner {

/// Proves the marks of the module's functions, makes their changes of state
/// explicit and turns the derivative ops that they hold into calls. Unless
/// `warn`, results that could be marked are not worth a warning. Returns what
/// made the derivatives, for further ones, or null after an error.
std::unique_ptr<CommDifferentiator> resolveModule(ModuleOp module,
                                                  bool warn = true);
/// The same for the functions that the program needs.
LogicalResult resolveProgram(Program &program, bool warn = true);

/// Adds the vector-Jacobian product that `vjp` describes to the program's
/// module and tells it the name.
LogicalResult addVjp(const Program &program, Vjp &vjp);
/// The same for any function of the differentiator's module.
LogicalResult addVjp(CommDifferentiator &differentiator, func::FuncOp function,
                     Vjp &vjp);

/// Adds the Jacobian-vector product with respect to the arguments of `vjp` to
/// the program's module and returns its signature: arguments, then a tangent
/// for each of those; results, then a tangent for each float result.
FailureOr<FunctionSignature> addJvp(const Program &program, const Vjp &vjp);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_DIFFERENTIATE_H
