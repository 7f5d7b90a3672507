//===- ReplicationAnalysis.h - The state of every value ---------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_REPLICATIONANALYSIS_H
#define COMM_ANALYSIS_REPLICATIONANALYSIS_H

#include "comm/Analysis/ModuleFacts.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::comm {

/// The mark `comm.replicated` of an argument or result, null where unmarked.
AxesAttrInterface getArgumentMark(FunctionOpInterface function,
                                  unsigned number);
AxesAttrInterface getResultMark(FunctionOpInterface function, unsigned number);

/// Why a value varies over some axes.
struct VariationCause {
  /// The axes that this cause explains.
  ReplicationState axes;
  /// The value that varies over them and made this one vary; null where the op,
  /// or the unmarked argument, is where it begins.
  Value from;
  /// The op through which; null for a function argument.
  Operation *op;
  /// Whether `from` decides if the code runs, rather than being an operand.
  bool isControl = false;
};

/// The replication state of every value of a function (docs/Semantics.md), by
/// a structured walk that is repeated while a loop's values still change.
class ReplicationAnalysis {
public:
  /// Fails, after an error, only for a function that the walk cannot follow
  /// (unstructured control flow). What else is wrong is `verify`'s to say.
  /// `facts` are those of the function's module and outlive the analysis.
  static FailureOr<ReplicationAnalysis> run(FunctionOpInterface function,
                                            ModuleFacts &facts);

  /// The axes over which a value varies.
  ReplicationState getState(Value value) const;

  /// The state to which each float operand of an op has to be brought where it
  /// is used, so that the adjoint of the op is decided by the op alone: the
  /// union of what a local op uses, what a collective wants, what a mark says.
  SmallVector<ReplicationState> getRequiredStates(Operation *op) const;

  /// The axes that decide whether `op` runs.
  ReplicationState getControl(Operation *op) const;

  /// Reports everything in the function that the states forbid: collectives
  /// that not all ranks of a group reach, operands that have to be one value
  /// and are not, sizes that vary, and claims (marked results) that do not
  /// hold. Each error shows the chain of ops that made a value vary. Asked
  /// before the function is changed.
  LogicalResult verify() const;

  ModuleFacts &getFacts() const { return *facts; }
  const MeshAxes &getMeshAxes() const { return facts->getMeshAxes(); }
  FunctionOpInterface getFunction() const { return function; }

private:
  class Walk;
  class Verifier;

  /// Why values vary and regions are controlled: only errors ask for it.
  struct Causes {
    DenseMap<Value, SmallVector<VariationCause, 1>> values;
    DenseMap<Region *, SmallVector<VariationCause, 1>> regions;
  };

  ReplicationAnalysis(FunctionOpInterface function, ModuleFacts &facts)
      : function(function), facts(&facts) {}

  /// Walks the function again, which has not changed, to find them.
  Causes findCauses() const;

  /// What a value varies over by itself, before what controls its block.
  ReplicationState getData(Value value) const { return data.lookup(value); }

  /// What controls a region, the regions around it included.
  ReplicationState getControl(Region *region) const {
    return control.lookup(region);
  }

  /// The states that `op` hands to its regions' or its parent's successors.
  void addSuccessorStates(Operation *op,
                          MutableArrayRef<ReplicationState> states) const;

  FunctionOpInterface function;
  ModuleFacts *facts;
  DenseMap<Value, ReplicationState> data;
  /// Inside a region everything varies over these axes, constants included.
  DenseMap<Region *, ReplicationState> control;
};

/// Whether `op` is structured control flow that the analysis looks into.
bool isStructuredControlFlow(Operation *op);

/// The operands that give sizes of a result's dynamic dimensions.
SmallVector<Value> getSizeOperands(Operation *op);

} // namespace mlir::comm

#endif // COMM_ANALYSIS_REPLICATIONANALYSIS_H
