//===- Comm.h - The comm dialect --------------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_COMM_H
#define COMM_IR_COMM_H

#include "comm/Interfaces/AdjointOpInterface.h"
#include "comm/Interfaces/ReplicationOpInterface.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "comm/IR/CommDialect.h.inc"

#include "comm/IR/CommEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "comm/IR/CommAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "comm/IR/CommTypes.h.inc"

namespace mlir::comm {

/// What `comm-annotate-replication` prints: the axes over which the result of
/// an op, an argument or a result of a function varies (a list of lists for an
/// op with several results), and the same for the block arguments of an op's
/// regions. Nothing reads them.
inline constexpr llvm::StringLiteral kStateAttrName = "comm.state";
inline constexpr llvm::StringLiteral kArgumentStatesAttrName =
    "comm.argument_states";

/// What `comm-annotate-activity` prints on ops and function arguments.
inline constexpr llvm::StringLiteral kActiveAttrName = "comm.active";

class CollectiveOpInterface;
class SendOp;

/// The resource `comm.ranks`: what collectives read and what orders ranks
/// writes.
struct RanksResource : public SideEffects::Resource::Base<RanksResource> {
  StringRef getName() override { return "comm.ranks"; }
};

/// The effects of an op over a group (docs/Semantics.md, Effects).
void getGroupOpEffects(Operation *op,
                       SmallVectorImpl<MemoryEffects::EffectInstance> &effects);

/// Verifies that the mesh and the axes exist as seen from `from` (axes_c3); an
/// error at `from` begins with `where`, such as "the group".
LogicalResult verifyAxes(Operation *from, AxesAttr axes, const Twine &where);

/// Verifies the axes of a group op, then what depends on the number of ranks.
LogicalResult verifyGroupSymbol(Operation *op, SymbolTableCollection &symbols);

} // namespace mlir::comm

#include "comm/IR/CollectiveOpInterface.h.inc"

#define GET_OP_CLASSES
#include "comm/IR/CommOps.h.inc"

namespace mlir::comm {

/// The mesh that `axes` names, as seen from `from`; null where there is none.
MeshOp lookupMesh(Operation *from, AxesAttr axes);

/// The number of ranks of a group over `axes`, as seen from `from`, which has
/// been verified.
int64_t getGroupSize(Operation *from, AxesAttr axes);

/// Whether two lists name the same set of axes.
bool haveSameAxes(AxesAttr a, AxesAttr b);

/// Adds the laws of every op (CommOps.td, Laws), each in the direction of fewer
/// bytes, then fewer ops.
void populateCollectiveLaws(RewritePatternSet &patterns);

} // namespace mlir::comm

#endif // COMM_IR_COMM_H
