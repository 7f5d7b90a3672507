//===- NonTemporalStores.h - Stores past the caches -------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_NONTEMPORALSTORES_H
#define COMM_TOOLS_COMMRUN_NONTEMPORALSTORES_H

#include "llvm/IR/PassManager.h"

namespace mlir::comm::runner {

/// In a function with the attribute kStreamedArgumentsName, makes the stores of
/// whole vectors into those arguments non-temporal where they are known to be
/// aligned and together write a line of the cache, and ends the function with a
/// fence: who is told of the result afterwards, on whatever thread, finds it. A
/// non-temporal store does not read the memory that it writes to, and leaves
/// the caches to others.
///
/// Comes after the vectoriser, which leaves loops alone that have such stores
/// of single numbers. x86 only: elsewhere nobody has measured it.
class NonTemporalStoresPass
    : public llvm::PassInfoMixin<NonTemporalStoresPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_NONTEMPORALSTORES_H
