//===- ChooseFunction.h - The function that a user means --------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_CHOOSEFUNCTION_H
#define COMM_RUNNER_CHOOSEFUNCTION_H

#include "comm/Runner/Result.h"

#include <vector>

namespace mlir::comm::runner {

/// A function that can be run.
struct NamedFunction {
  /// Without the at sign.
  std::string name;
  /// Whether it can be meant without being named.
  bool isPublic = true;
};

/// Whether `name` is what the differentiator calls a derivative of one of the
/// functions: @f_vjp, @f_bwd_wrt_0.
bool isDerivativeName(const std::string &name,
                      const std::vector<NamedFunction> &functions);

/// The function called `name`, or where that is empty @main, or else the only
/// public one that is no derivative. `program` is what the message of a failure
/// calls the place of the functions, such as "the module".
Result<std::string> chooseFunction(const std::vector<NamedFunction> &functions,
                                   const std::string &name,
                                   const std::string &program);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_CHOOSEFUNCTION_H
