//===- ModuleFacts.h - What analyses ask of a whole module ------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_MODULEFACTS_H
#define COMM_ANALYSIS_MODULEFACTS_H

#include "comm/Analysis/MeshAxes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::comm {

/// The groups over which the ops of a function, and of those that it calls,
/// synchronize ranks.
struct HeldGroups {
  /// The union of the groups' axes.
  ReplicationState axes;
  /// One such op, to point at; null where there is none.
  Operation *op = nullptr;
};

/// The mesh, the functions by name and what they hold, each found out once for
/// all functions of a module. While it is in use, functions are added and
/// erased through its symbol table only.
class ModuleFacts {
public:
  explicit ModuleFacts(Operation *module) : module(module), meshAxes(module) {}

  const MeshAxes &getMeshAxes() const { return meshAxes; }

  /// The symbols of the module.
  SymbolTable &getSymbols() { return symbols.getSymbolTable(module); }

  /// The function that an op calls or stands for a call of; null for other ops
  /// and for indirect calls.
  FunctionOpInterface getCalledFunction(Operation *op);

  /// The groups of a function, calls included. It is asked of functions only
  /// that have taken their final form, comm.vjp and its like apart.
  HeldGroups getHeldGroups(FunctionOpInterface function);

private:
  Operation *module;
  MeshAxes meshAxes;
  SymbolTableCollection symbols;
  DenseMap<Operation *, HeldGroups> heldGroups;
};

} // namespace mlir::comm

#endif // COMM_ANALYSIS_MODULEFACTS_H
