//===- ReplicationOpInterface.cpp - What the state analysis asks ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Interfaces/ReplicationOpInterface.h"

using namespace mlir;
using namespace mlir::comm;

#include "comm/Interfaces/AxesAttrInterface.cpp.inc"

#include "comm/Interfaces/ReplicationOpInterface.cpp.inc"
