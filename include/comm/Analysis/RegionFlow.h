//===- RegionFlow.h - How values flow through region ops --------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_REGIONFLOW_H
#define COMM_ANALYSIS_REGIONFLOW_H

#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace mlir::comm {

/// Calls `callback` on every edge of a region op along which values are handed
/// over: the operands `from`, of the op itself or of the terminator of
/// `source`, become the block arguments or results `to`, one to one. `source`
/// is null where the op is entered. Entries come first, then the regions in
/// order.
void forEachRegionEdge(RegionBranchOpInterface op,
                       llvm::function_ref<void(OperandRange from, ValueRange to,
                                               Region *source, Region *target)>
                           callback);

} // namespace mlir::comm

#endif // COMM_ANALYSIS_REGIONFLOW_H
