//===- MatchSignature.h - Whether two functions fit together ----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_CHECKGRADIENT_MATCHSIGNATURE_H
#define COMM_TOOLS_COMMRUN_CHECKGRADIENT_MATCHSIGNATURE_H

#include "comm/Runner/Signature.h"

namespace mlir::comm::runner {

/// Fails where the function that `flag` names does not have the types of
/// `expected`, argument by argument and result by result. `expected` is what
/// `what` ("'@f'", "a derivative of '@f'") has.
MaybeFailure matchSignature(const std::string &flag,
                            const FunctionSignature &got,
                            const FunctionSignature &expected,
                            const std::string &what);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_CHECKGRADIENT_MATCHSIGNATURE_H
