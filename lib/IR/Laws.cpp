//===- Laws.cpp - The laws of every op ------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/IR/Comm.h"

using namespace mlir;

void comm::populateCollectiveLaws(RewritePatternSet &) {}
