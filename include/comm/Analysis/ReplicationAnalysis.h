//===- ReplicationAnalysis.h - The state of every value ---------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_REPLICATIONANALYSIS_H
#define COMM_ANALYSIS_REPLICATIONANALYSIS_H

#include "comm/Interfaces/ReplicationOpInterface.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::comm {

/// The axes of a module's mesh as sets. A module without a mesh has one rank:
/// no axes.
class MeshAxes {
public:
  /// The axes of the mesh of the module that holds `op`.
  explicit MeshAxes(Operation *op);

  /// The mesh; null where the module has none.
  MeshOpInterface getMesh() const { return mesh; }
  /// Every axis larger than 1.
  ReplicationState getAll() const { return all; }
  /// The axes larger than 1 that `axes` names; none where it is null.
  ReplicationState getSet(AxesAttrInterface axes) const;
  /// The names of the axes of a set, in the order of the mesh.
  SmallVector<StringRef> getNames(ReplicationState axes) const;
  /// The number of ranks that differ only in these axes.
  int64_t getNumRanks(ReplicationState axes) const;
  /// A set as diagnostics print it: `["dp", "tp"]`.
  std::string format(ReplicationState axes) const;

private:
  MeshOpInterface mesh;
  ReplicationState all;
};

/// The mark `comm.replicated` of an argument or result, null where unmarked.
AxesAttrInterface getArgumentMark(FunctionOpInterface function,
                                  unsigned number);
AxesAttrInterface getResultMark(FunctionOpInterface function, unsigned number);

/// The function that an op calls or stands for a call of; null for other ops
/// and for indirect calls.
FunctionOpInterface getCalledFunction(Operation *op);

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

/// The groups over which the ops of a function, and of those that it calls,
/// synchronize ranks.
struct HeldGroups {
  /// The union of the groups' axes.
  ReplicationState axes;
  /// One such op, to point at; null where there is none.
  Operation *op = nullptr;
};

/// The replication state of every value of a function (docs/Semantics.md), by
/// a structured walk that is repeated while a loop's values still change.
class ReplicationAnalysis {
public:
  /// Fails, after an error, only for a function that the walk cannot follow
  /// (unstructured control flow). What else is wrong is `verify`'s to say.
  static FailureOr<ReplicationAnalysis> run(FunctionOpInterface function);

  /// The axes over which a value varies.
  ReplicationState getState(Value value) const;

  /// The state to which a float operand has to be brought where it is used, so
  /// that the adjoint of the user is decided by the user alone: the union of
  /// what a local op uses, what a collective wants, what a mark says.
  ReplicationState getRequiredState(OpOperand &operand) const;

  /// The axes that decide whether `op` runs.
  ReplicationState getControl(Operation *op) const;

  /// Reports everything in the function that the states forbid: collectives
  /// that not all ranks of a group reach, operands that have to be one value
  /// and are not, sizes that vary, and claims (marked results) that do not
  /// hold. Each error shows the chain of ops that made a value vary.
  LogicalResult verify() const;

  /// Attaches the ops that made `value` vary over `axes`, from it back to where
  /// it begins, as notes.
  void attachChain(Diagnostic &diagnostic, Value value,
                   ReplicationState axes) const;

  /// The groups of a function, calls included.
  HeldGroups getHeldGroups(FunctionOpInterface callee) const;

  const MeshAxes &getMeshAxes() const { return meshAxes; }
  FunctionOpInterface getFunction() const { return function; }

private:
  class Walk;
  class Verifier;

  explicit ReplicationAnalysis(FunctionOpInterface function)
      : function(function), meshAxes(function) {}

  /// What a value varies over by itself, before what controls its block.
  ReplicationState getData(Value value) const { return data.lookup(value); }

  ReplicationState getControl(Region *region) const;

  /// The note at the op by which a value begins to vary.
  void attachOrigin(Diagnostic &diagnostic, Value value, Operation *op,
                    ReplicationState axes) const;

  FunctionOpInterface function;
  MeshAxes meshAxes;
  DenseMap<Value, ReplicationState> data;
  DenseMap<Value, SmallVector<VariationCause, 1>> causes;
  /// Inside a region everything varies over these axes, constants included.
  DenseMap<Region *, ReplicationState> control;
  DenseMap<Region *, SmallVector<VariationCause, 1>> controlCauses;
  mutable DenseMap<Operation *, HeldGroups> heldGroups;
};

/// Whether `op` is structured control flow that the analysis looks into.
bool isStructuredControlFlow(Operation *op);

/// The operands that give sizes of a result's dynamic dimensions.
SmallVector<Value> getSizeOperands(Operation *op);

} // namespace mlir::comm

#endif // COMM_ANALYSIS_REPLICATIONANALYSIS_H
