//===- NonTemporalStores.cpp - Stores past the caches ---------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NonTemporalStores.h"

#include "comm/IR/StreamedArguments.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using mlir::comm::kStreamedArgumentsName;
using mlir::comm::runner::NonTemporalStoresPass;

/// The arguments that the attribute names.
static SmallPtrSet<const Value *, 4> getStreamed(Function &function) {
  SmallPtrSet<const Value *, 4> arguments;
  SmallVector<StringRef> numbers;
  function.getFnAttribute(kStreamedArgumentsName)
      .getValueAsString()
      .split(numbers, ',');
  for (StringRef text : numbers) {
    unsigned number;
    if (!text.getAsInteger(10, number) && number < function.arg_size())
      arguments.insert(function.getArg(number));
  }
  return arguments;
}

namespace {

/// Looks for the stores of one function.
class StoreMarker {
public:
  StoreMarker(Function &function, FunctionAnalysisManager &analyses)
      : function(function), layout(function.getDataLayout()),
        target(analyses.getResult<TargetIRAnalysis>(function)),
        assumptions(analyses.getResult<AssumptionAnalysis>(function)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)) {}

  /// Makes them non-temporal; says whether there was one.
  bool run();

private:
  /// Stores to one argument with nothing between them that takes long.
  struct Group {
    SmallVector<StoreInst *> stores;
    uint64_t bytes = 0;
  };

  std::optional<Align> getUsefulAlignment(StoreInst &store) const;
  void markGroups();

  Function &function;
  const DataLayout &layout;
  const TargetTransformInfo &target;
  AssumptionCache &assumptions;
  DominatorTree &dominators;
  SmallMapVector<const Value *, Group, 4> groups;
  bool changed = false;
};

} // namespace

/// The alignment of a store that becomes whole vectors, each of them aligned;
/// nothing of any other.
std::optional<Align> StoreMarker::getUsefulAlignment(StoreInst &store) const {
  constexpr uint64_t minVectorBytes = 16;
  Type *type = store.getValueOperand()->getType();
  if (!store.isSimple() || !isa<FixedVectorType>(type) ||
      !layout.typeSizeEqualsStoreSize(type))
    return std::nullopt;
  uint64_t bytes = layout.getTypeStoreSize(type).getFixedValue();
  uint64_t registerBytes =
      target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
          .getFixedValue() /
      8;
  Align align = std::max(store.getAlign(),
                         getKnownAlignment(store.getPointerOperand(), layout,
                                           &store, &assumptions, &dominators));
  if (bytes < minVectorBytes || align < std::min(bytes, registerBytes))
    return std::nullopt;
  return align;
}

/// A line that is written in parts, with time between them, goes to memory in
/// parts, which takes longer than to read it first. So a group writes a line.
void StoreMarker::markGroups() {
  constexpr uint64_t lineBytes = 64;
  LLVMContext &context = function.getContext();
  MDNode *mark = MDNode::get(context, ConstantAsMetadata::get(ConstantInt::get(
                                          Type::getInt32Ty(context), 1)));
  for (auto &[argument, group] : groups) {
    if (group.bytes < lineBytes)
      continue;
    for (StoreInst *store : group.stores) {
      store->setAlignment(*getUsefulAlignment(*store));
      store->setMetadata(LLVMContext::MD_nontemporal, mark);
    }
    changed = true;
  }
  groups.clear();
}

bool StoreMarker::run() {
  SmallPtrSet<const Value *, 4> streamed = getStreamed(function);
  for (BasicBlock &block : function) {
    for (Instruction &instruction : block) {
      if (isa<CallBase>(instruction))
        markGroups();
      auto *store = dyn_cast<StoreInst>(&instruction);
      const Value *argument =
          store ? getUnderlyingObject(store->getPointerOperand(),
                                      /*MaxLookup=*/0)
                : nullptr;
      if (!streamed.contains(argument) || !getUsefulAlignment(*store))
        continue;
      Group &group = groups[argument];
      group.stores.push_back(store);
      group.bytes +=
          layout.getTypeStoreSize(store->getValueOperand()->getType());
    }
    markGroups();
  }
  return changed;
}

llvm::PreservedAnalyses
NonTemporalStoresPass::run(llvm::Function &function,
                           llvm::FunctionAnalysisManager &analyses) {
  if (!function.getParent()->getTargetTriple().isX86() ||
      !function.hasFnAttribute(kStreamedArgumentsName) ||
      !StoreMarker(function, analyses).run())
    return llvm::PreservedAnalyses::all();
  for (llvm::BasicBlock &block : function)
    if (auto *end = dyn_cast<llvm::ReturnInst>(block.getTerminator()))
      IRBuilder<>(end).CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {});
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}
