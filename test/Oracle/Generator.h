//===- Generator.h - Random well-typed programs -----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_ORACLE_GENERATOR_H
#define COMM_TEST_ORACLE_GENERATOR_H

#include "Choices.h"
#include "comm/IR/Comm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::comm::oracle {

struct GeneratorOptions {
  /// scf.for, scf.while, scf.if and scf.index_switch, and ops that are marked
  /// `comm.recompute`.
  bool hasControlFlow = false;
  /// Marks on results that do not hold.
  bool hasWrongClaims = false;
  int64_t maxSteps = 14;
};

/// A module with a function @f to differentiate.
struct GeneratedProgram {
  OwningOpRef<ModuleOp> module;
  /// The sizes of @f's arguments, whatever of them the types say.
  SmallVector<SmallVector<int64_t>> shapes;
  /// Whether a mark of @f cannot be proved.
  bool hasWrongClaim = false;
};

/// A set of mesh axes, bit i for axis i.
using AxisSet = uint64_t;

/// Writes one program. The states of docs/Semantics.md are tracked here too,
/// independently of the analysis, but may be larger: what is marked here is
/// provable.
class Generator {
public:
  Generator(MLIRContext *context, Choices &choices, GeneratorOptions options)
      : choices(choices), options(options), builder(context),
        loc(builder.getUnknownLoc()) {}

  GeneratedProgram generate();

private:
  /// A float tensor at hand. Its type may leave sizes open that are known here.
  struct Entry {
    Value value;
    SmallVector<int64_t> shape;
    AxisSet varying = 0;
  };
  struct Function {
    func::FuncOp op;
    SmallVector<SmallVector<int64_t>> argumentShapes, resultShapes;
    SmallVector<AxisSet> argumentMarks, resultMarks;
    bool hasWrongClaim;
  };

  // Frame (Generator.cpp).
  void makeMesh();
  Function makeFunction(StringRef name, ArrayRef<SmallVector<int64_t>> shapes,
                        ArrayRef<AxisSet> marks, int64_t steps, bool isMain);
  void step(int64_t depth);
  SmallVector<int64_t> chooseShape();
  AxisSet chooseSubset(AxisSet axes);
  /// A non-empty list of axes out of a set, in any order; empty if there is no
  /// axis.
  SmallVector<int64_t> chooseAxes(AxisSet from);
  int64_t getGroupSize(ArrayRef<int64_t> axes) const;
  AxisSet getSet(ArrayRef<int64_t> axes) const;
  AxesAttr getAttr(ArrayRef<int64_t> axes);
  AxesAttr getMark(AxisSet axes);

  // What is at hand.
  void add(Value value, ArrayRef<int64_t> shape, AxisSet varying);
  /// Adds a result of local ops on entries.
  void addLocal(Value value, ArrayRef<int64_t> shape, ArrayRef<Entry> from);
  Entry pick();
  std::optional<Entry>
  pickWhere(llvm::function_ref<bool(const Entry &)> isGood);
  RankedTensorType getType(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, element);
  }
  /// The value with its full type, or with the type of another.
  Value getStatic(const Entry &entry);
  Value getLike(const Entry &entry, Value other);
  Value makeConstant(ArrayRef<int64_t> shape);
  Value makeScalarConstant(double number);
  Value makeIndex(int64_t number);
  double chooseNumber();

  // Collectives (GenerateCollectives.cpp).
  void stepCollective();
  void stepMessages();
  Value makeAxisIndex(ArrayRef<int64_t> axes);

  // Local ops (GenerateLocal.cpp, GenerateLinalg.cpp).
  void stepBinary();
  void stepUnary();
  void stepTensor();
  void stepLinalg();
  void stepGeneric();
  void stepReduce();
  void stepContraction();

  // Calls and control flow (GenerateControl.cpp).
  void stepCall();
  void stepIf(int64_t depth);
  void stepFor(int64_t depth);
  void stepSwitch(int64_t depth);
  void stepWhile(int64_t depth);
  /// Fills the regions of scf.if or scf.index_switch, which yield a value of
  /// the model's shape.
  void writeBranches(Operation *branch, const Entry &model, AxisSet varying,
                     int64_t depth);
  void markRecomputed(func::FuncOp function);
  /// A condition, and the axes it varies over.
  std::pair<Value, AxisSet> makeCondition();
  std::pair<Value, AxisSet> makeCondition(const Entry &x, bool isUniform);
  /// All axes of more than one rank.
  AxisSet getAllAxes() const;
  /// Steps in a region whose block has the insertion point.
  void stepsInside(int64_t depth, AxisSet control);

  static constexpr int64_t kMaxElements = 24;

  Choices &choices;
  GeneratorOptions options;
  OpBuilder builder;
  Location loc;
  FloatType element;
  ModuleOp module;
  SmallVector<int64_t> axisSizes;
  std::vector<Entry> pool;
  /// The induction variable of the innermost `scf.for`, null outside.
  Value runNumber;
  /// The axes that control the region that is being written.
  AxisSet control = 0;
  std::vector<Function> helpers;
  int64_t callDepth = 0;
  bool hasDynamicSizes = false;
};

} // namespace mlir::comm::oracle

#endif // COMM_TEST_ORACLE_GENERATOR_H
