//===- RulePrograms.h - Runs ops and their adjoint rules --------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_UNIT_AUTODIFF_RULEPROGRAMS_H
#define COMM_TEST_UNIT_AUTODIFF_RULEPROGRAMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace mlir::comm::testing {

using Numbers = std::vector<double>;

/// Straight-line functions of f64 scalars and static f64 tensors, given as
/// text, with the adjoint and the tangent that their ops' rules give: compiled
/// once, all together, and run on flat vectors of numbers (the arguments one
/// after the other).
///
/// The differentiator here is the test's own, a few lines long, so that a rule
/// is tested by itself. It lends a rule only the primal values that the rule
/// listed; anything else is a test failure.
class RulePrograms {
public:
  RulePrograms();

  MLIRContext &getContext() { return context; }

  /// Adds the function `@f` of the text; gives its number.
  unsigned add(const std::string &text);
  /// Compiles all functions.
  void compile();

  unsigned getNumArguments(unsigned program) const;
  /// The positions in the flat vector that belong to an argument.
  std::pair<size_t, size_t> getArgument(unsigned program,
                                        unsigned argument) const;
  std::string getText(unsigned program) const;
  size_t getNumInputs(unsigned program) const;
  size_t getNumOutputs(unsigned program) const;

  Numbers run(unsigned program, const Numbers &x);
  /// The tangents of the results, where only `argument` is active or all are:
  /// by the ops' own rules, or by their adjoints, transposed (all active).
  Numbers runTangent(unsigned program, const Numbers &x, const Numbers &dx,
                     bool transposed,
                     std::optional<unsigned> argument = std::nullopt);
  /// Expects <J ẋ, ȳ> = <ẋ, x̄> for the adjoint x̄ of ȳ, to rounding, in both
  /// ways, and with one argument active at a time.
  void expectTangents(unsigned program, const Numbers &x, const Numbers &dx,
                      const Numbers &dy, const Numbers &adjoint);
  /// The cotangents of the arguments, where only `argument` is active or all
  /// are. Inactive ones are 0.
  Numbers runAdjoint(unsigned program, const Numbers &x, const Numbers &dy,
                     std::optional<unsigned> argument = std::nullopt);

  /// The ops in which a rule has been called.
  const llvm::StringSet<> &getDifferentiatedOps() const { return ruled; }

private:
  enum class Kind { Primal, Adjoint, Tangent, TransposedAdjoint };

  static std::string getName(unsigned program, Kind kind,
                             std::optional<unsigned> active);
  func::FuncOp getFunction(unsigned program) const;
  Block *addFunction(const std::string &name);
  void emit(unsigned program, Kind kind, std::optional<unsigned> active);
  void emitTangent(unsigned program, Kind kind, std::optional<unsigned> active);
  Numbers invoke(const std::string &name, const Numbers &input,
                 size_t numOutputs);

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::vector<OwningOpRef<ModuleOp>> sources;
  std::unique_ptr<ExecutionEngine> engine;
  llvm::StringSet<> ruled;
};

/// Expects <J ẋ, ȳ> = <ẋ, J^T ȳ> at `x` for random ẋ and ȳ, where J ẋ is a
/// central difference; and the same cotangents with one argument active at a
/// time.
void checkTransposed(RulePrograms &programs, unsigned program, const Numbers &x,
                     std::mt19937 &random);

/// Functions `@f` of ops of arith, math and tensor, for numbers in [0.5, 1.5].
extern const std::vector<const char *> ruleTexts;

} // namespace mlir::comm::testing

#endif // COMM_TEST_UNIT_AUTODIFF_RULEPROGRAMS_H
