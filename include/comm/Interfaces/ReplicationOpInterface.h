//===- ReplicationOpInterface.h - What the state analysis asks --*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERFACES_REPLICATIONOPINTERFACE_H
#define COMM_INTERFACES_REPLICATIONOPINTERFACE_H

#include "comm/Interfaces/ReplicationState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::comm {
/// The attribute by which an argument or result is marked replicated; its
/// value implements AxesAttrInterface.
inline constexpr llvm::StringLiteral kReplicatedAttrName = "comm.replicated";
} // namespace mlir::comm

#include "comm/Interfaces/AxesAttrInterface.h.inc"

#include "comm/Interfaces/ReplicationOpInterface.h.inc"

#endif // COMM_INTERFACES_REPLICATIONOPINTERFACE_H
