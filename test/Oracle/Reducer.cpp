//===- Reducer.cpp - Small programs that fail alike -----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;

namespace {
class Search {
public:
  Search(Trial best, const RunTrial &run, int64_t trials)
      : best(std::move(best)), run(run), trials(trials) {}

  Trial reduce() {
    while (trials > 0 && (dropSpans() | lower()))
      ;
    return best;
  }

private:
  /// Shorter, or as long and smaller.
  static bool isSimpler(const Trial &a, const Trial &b) {
    if (a.numbers.size() != b.numbers.size())
      return a.numbers.size() < b.numbers.size();
    return a.numbers < b.numbers;
  }

  bool accept(const std::vector<int64_t> &numbers) {
    if (trials-- <= 0)
      return false;
    Trial trial = run(numbers);
    if (trial.fault != best.fault || !isSimpler(trial, best))
      return false;
    best = std::move(trial);
    return true;
  }

  /// Whole steps, last first.
  bool dropSpans() {
    bool any = false;
    for (size_t i = best.spans.size(); i-- > 0 && trials > 0;) {
      if (i >= best.spans.size())
        continue;
      auto [begin, end] = best.spans[i];
      std::vector<int64_t> numbers = best.numbers;
      numbers.erase(numbers.begin() + begin, numbers.begin() + end);
      any |= accept(numbers);
    }
    return any;
  }

  bool lower() {
    bool any = false;
    for (size_t i = 0; i < best.numbers.size() && trials > 0; ++i) {
      for (int64_t smaller :
           {int64_t(0), best.numbers[i] / 2, best.numbers[i] - 1}) {
        if (i >= best.numbers.size() || smaller < 0 ||
            smaller >= best.numbers[i])
          break;
        std::vector<int64_t> numbers = best.numbers;
        numbers[i] = smaller;
        if (accept(numbers)) {
          any = true;
          break;
        }
      }
    }
    return any;
  }

  Trial best;
  const RunTrial &run;
  int64_t trials;
};
} // namespace

Trial mlir::comm::oracle::reduce(Trial failing, const RunTrial &run,
                                 int64_t maxTrials) {
  return Search(std::move(failing), run, maxTrials).reduce();
}

void mlir::comm::oracle::eraseUnused(ModuleOp module) {
  bool changed = true;
  while (changed) {
    changed = false;
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops)) {
      auto function = dyn_cast<func::FuncOp>(op);
      bool isUnused = function
                          ? function.isPrivate() &&
                                SymbolTable::symbolKnownUseEmpty(op, module)
                          : op->getNumResults() && op->use_empty();
      // What is inside goes with it, so the list has to be made anew.
      if (!isUnused)
        continue;
      op->erase();
      changed = true;
      break;
    }
  }
}
