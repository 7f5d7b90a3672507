//===- ProgramChecker.h - Checks one program --------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_ORACLE_PROGRAMCHECKER_H
#define COMM_TEST_ORACLE_PROGRAMCHECKER_H

#include "Checker.h"
#include "Evaluator.h"

namespace mlir::comm::oracle {

/// A Jacobian of more columns is not built.
inline constexpr int64_t kMaxDirections = 400;

/// A value at the boundary of a function: one vector for each replica class.
struct Boundary {
  Ranks::Groups classes;
  int64_t size;
  /// The number of the first direction.
  int64_t begin;

  int64_t getDirection(int64_t rank, int64_t element) const {
    return begin + classes.groupOf[rank] * size + element;
  }
  /// A rank of each class.
  int64_t getRank(int64_t group) const {
    return classes.groups[group].members[0];
  }
};

/// The arguments or results of a function as one vector of the world.
struct Boundaries {
  std::vector<Boundary> values;
  int64_t directions = 0;

  void add(const Ranks &ranks, Attribute mark, int64_t size) {
    Boundary boundary{ranks.getClasses(mark), size, directions};
    directions += size * boundary.classes.groups.size();
    values.push_back(std::move(boundary));
  }
};

/// Checks one program, once.
class ProgramChecker {
public:
  ProgramChecker(const GeneratedProgram &program, const CheckOptions &options)
      : program(program), options(options), random(options.valueSeed) {}

  Verdict run();

private:
  bool isDecided() const { return verdict.kind != Verdict::Kind::Right; }
  void wrong(const Twine &fault, const Twine &details = "") {
    if (isDecided())
      return;
    verdict.kind = Verdict::Kind::Wrong;
    verdict.fault = fault.str();
    verdict.details = details.str();
  }
  void undefined() {
    if (!isDecided())
      verdict.kind = Verdict::Kind::Undefined;
  }

  World makeWorld(int64_t directions, bool hasSecond) const;
  Boundaries getArguments(func::FuncOp function, const Values &values) const;
  Boundaries getResults(func::FuncOp function, const Values &values) const;
  Values moveTo(World &world, const Values &values) const;
  WorldTensor makeRandom(World &world, ArrayRef<int64_t> shape,
                         const Ranks::Groups &classes);
  /// Random cotangents for results.
  Values makeSeeds(World &world, const Boundaries &boundaries,
                   const Values &results);
  void setBasis(Values &values, const Boundaries &boundaries, int64_t first);
  std::optional<Values> evaluate(ModuleOp module, func::FuncOp function,
                                 World &world, Values arguments,
                                 StringRef what);
  void observeStates(Evaluator &evaluator, ModuleOp module);
  void expectSame(const Values &expected, const Values &got, StringRef what);
  void expectTransposed(const Boundaries &from, const Boundaries &to,
                        const Values &results, const Values &seeds,
                        const Values &gradients, StringRef what);
  void checkVjp(ModuleOp reference, ModuleOp generated, StringRef name,
                const Values &arguments);
  void checkHalves(ModuleOp generated, StringRef name, World &world,
                   const Values &arguments, const Values &seeds,
                   const Values &expected);
  void checkJvp(ModuleOp reference, ModuleOp generated, StringRef name,
                const Values &arguments);
  void checkLaws(const Values &arguments);
  void checkSecond(ModuleOp generated, const Values &arguments);

  const GeneratedProgram &program;
  CheckOptions options;
  std::mt19937_64 random;
  Verdict verdict;
  std::optional<Ranks> ranks;
  std::string errors;
};

} // namespace mlir::comm::oracle

#endif // COMM_TEST_ORACLE_PROGRAMCHECKER_H
