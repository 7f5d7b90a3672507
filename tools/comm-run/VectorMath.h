//===- VectorMath.h - Functions of vectors of numbers -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_VECTORMATH_H
#define COMM_TOOLS_COMMRUN_VECTORMATH_H

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::comm::runner {

/// The C library's functions of one or two numbers, such as tanhf, that this
/// process has for vectors too and `machine` can call. They are glibc's, in
/// libmvec, which is loaded here: exact to 4 units in the last place, specials
/// included. LLVM's own list of them has only those of glibc 2.22.
std::vector<llvm::VecDesc>
getVectorFunctions(const llvm::TargetMachine &machine);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_VECTORMATH_H
