//===- MaterializeReplication.h - State changes made explicit ---*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_MATERIALIZEREPLICATION_H
#define COMM_TRANSFORMS_MATERIALIZEREPLICATION_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::comm {

class ModuleFacts;
class ReplicationAnalysis;

/// Reports everything that the replication states of `function` forbid, claims
/// that do not hold included, and messages that deadlock. Changes nothing.
/// `facts` are those of the module of the function.
LogicalResult checkReplication(FunctionOpInterface function,
                               ModuleFacts &facts);

/// Checks `function` as above, then makes every change of state of a float
/// value that depends on a float argument an explicit `comm.vary`: at most one
/// for each value and set of axes, right after the value's definition. Messages
/// are put in an order that the backward can keep. A second run changes
/// nothing. With `warn`, reports results that are counted several times:
/// unmarked ones that are proved replicated, and all_reduces of a value that is
/// replicated already.
LogicalResult materializeReplication(FunctionOpInterface function,
                                     ModuleFacts &facts, bool warn = true);

/// Reports messages that block each other (every send blocks until its receive,
/// every collective until its group is there) and receives out of the order of
/// their sends (recv_c3). The function may have changed since the analysis.
LogicalResult verifyMessageOrder(const ReplicationAnalysis &analysis);

/// Changes of state move nothing, but their adjoints do, and one that stands
/// between the ends of a message may block it in the backward. Where that is so
/// in a function that has been verified, takes every message right after it is
/// sent: then none can be blocked.
void orderMessagesForAdjoint(const ReplicationAnalysis &analysis);

} // namespace mlir::comm

#endif // COMM_TRANSFORMS_MATERIALIZEREPLICATION_H
