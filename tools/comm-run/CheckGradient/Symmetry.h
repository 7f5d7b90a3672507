//===- Symmetry.h - Data that would hide a wrong gradient -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_CHECKGRADIENT_SYMMETRY_H
#define COMM_TOOLS_COMMRUN_CHECKGRADIENT_SYMMETRY_H

#include "../CommandLine.h"

namespace mlir::comm::runner {

/// Refuses values that vary over a mesh axis of several ranks and are the same
/// on all of them: a gradient that mixes up the ranks, or is off by their
/// number in a way that another error makes up for, can look right there.
/// Values of floats alone are looked at, and only where they have elements.
/// `values[rank][i]` belongs to `positions[i]`; `flag` ("--input") is named in
/// the message.
MaybeFailure refuseSymmetricData(const FunctionSignature &signature,
                                 ValueKind kind,
                                 const std::vector<unsigned> &positions,
                                 const RankValues &values,
                                 const std::string &flag);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_CHECKGRADIENT_SYMMETRY_H
