//===- Evaluator.h - Runs a program on all ranks at once --------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written from the table of docs/Semantics.md (data movement only) and from
// upstream's documentation of the local ops. Knows neither states nor adjoints:
// derivatives are those of the arithmetic itself, carried by every number.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_ORACLE_EVALUATOR_H
#define COMM_TEST_ORACLE_EVALUATOR_H

#include "WorldTensor.h"
#include "comm/IR/Comm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <memory>

namespace mlir::comm::oracle {

/// The ranks of the mesh of a module, and the groups among them.
class Ranks {
public:
  explicit Ranks(ModuleOp module);

  int64_t getCount() const { return count; }
  ArrayRef<StringRef> getNames() const { return names; }
  ArrayRef<int64_t> getSizes() const { return sizes; }

  struct Group {
    /// World ranks in the order of the group.
    std::vector<int64_t> members;
  };
  /// The groups over axes: of each rank its group, and its number there.
  struct Groups {
    std::vector<Group> groups;
    std::vector<int64_t> groupOf, numberOf;
    int64_t size;

    /// The world rank of number `number` in the group of `rank`.
    int64_t getMember(int64_t rank, int64_t number) const {
      return groups[groupOf[rank]].members[number];
    }
  };
  Groups getGroups(ArrayRef<StringRef> axes) const;
  Groups getGroups(AxesAttr axes) const;
  /// The axes of a mark; null names none.
  Groups getClasses(Attribute mark) const;

private:
  SmallVector<StringRef> names;
  SmallVector<int64_t> sizes;
  int64_t count = 1;
};

using Values = std::vector<WorldTensor>;

class Evaluator {
public:
  Evaluator(ModuleOp module, World &world)
      : module(module), ranks(module), world(world), active(world.ranks, true) {
  }

  /// Runs a function. Where there is a fault the results mean nothing.
  Values call(func::FuncOp function, Values arguments);

  /// What went wrong: an op that this file does not know, a collective that not
  /// all ranks of a group reach, values that are marked replicated and differ.
  const std::string &getFault() const { return fault; }

  /// Called on every value when it is known.
  std::function<void(Value, const WorldTensor &,
                     const std::vector<bool> &active)>
      observer;

  const Ranks &getRanks() const { return ranks; }

  /// Whether `value` is the same on the active ranks of each group.
  bool isReplicated(const WorldTensor &value,
                    const Ranks::Groups &groups) const;

private:
  using Pointer = std::shared_ptr<const WorldTensor>;

  void fail(Operation *op, const Twine &message);
  bool hasFault() const { return !fault.empty(); }

  const WorldTensor &get(Value value);
  void set(Value value, WorldTensor result);
  WorldTensor makeFloat(ArrayRef<int64_t> shape) {
    return WorldTensor(world, shape, true);
  }
  WorldTensor makeIndex(ArrayRef<int64_t> shape) {
    return WorldTensor(world, shape, false);
  }
  int64_t getFirstActive() const;
  /// A size: the same on all ranks.
  int64_t getIndex(OpFoldResult value);
  int64_t getIndex(OpFoldResult value, int64_t rank);

  /// Runs a block; the operands of its terminator are what it gives.
  Values run(Block &block, Values arguments);
  void run(Operation *op);
  bool runArith(Operation *op);
  bool runTensor(Operation *op);
  bool runComm(Operation *op);
  bool runControl(Operation *op);
  void runStructured(linalg::LinalgOp op);

  void runCall(func::CallOp call);
  void runIf(scf::IfOp op);
  void runFor(scf::ForOp op);
  void runWhile(scf::WhileOp op);
  void runSwitch(scf::IndexSwitchOp op);
  /// The values of ranks whose condition holds from `a`, of others from `b`.
  Values merge(const std::vector<bool> &condition, Values a, Values b);
  /// Runs a region for those of the active ranks whose condition holds.
  Values runFor(const std::vector<bool> &condition, Block &block,
                Values arguments);

  WorldTensor getConstant(Attribute attribute, Type type);
  void slice(Operation *op, Value source, OffsetSizeAndStrideOpInterface mixed,
             std::vector<int64_t> &positions);
  void runReduction(Operation *op, ReductionKind reduction,
                    const Ranks::Groups &groups, const WorldTensor &x,
                    WorldTensor &y);
  Values runBody(Block &body, Values arguments);
  bool runExtrema(linalg::LinalgOp op, ArrayRef<std::vector<int64_t>> positions,
                  const Values &operands);

  ModuleOp module;
  Ranks ranks;
  World &world;
  DenseMap<Value, Pointer> values;
  std::vector<bool> active;
  std::string fault;
  /// In the body of a structured op: the index of each loop at each point.
  SmallVector<std::vector<int64_t>> loopIndices;
  int64_t steps = 0;
};

} // namespace mlir::comm::oracle

#endif // COMM_TEST_ORACLE_EVALUATOR_H
