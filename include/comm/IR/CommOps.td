//===- CommOps.td - All ops --------------------------------*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_COMMOPS
#define COMM_IR_COMMOPS

include "comm/IR/MeshOps.td"
include "comm/IR/StateOps.td"
include "comm/IR/ReplicatingOps.td"
include "comm/IR/ExchangingOps.td"
include "comm/IR/MessageOps.td"
include "comm/IR/DerivativeOps.td"

#endif // COMM_IR_COMMOPS
