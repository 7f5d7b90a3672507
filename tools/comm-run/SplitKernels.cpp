//===- SplitKernels.cpp - One LLVM module for each distinct kernel --------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitKernels.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/BLAKE3.h"

using namespace mlir;
using namespace mlir::comm::runner;

/// A kernel's name while it is hashed: what the program calls it makes no
/// difference.
static constexpr llvm::StringLiteral placeholder = "comm_kernel";

static std::string computeHash(const llvm::Module &module, StringRef salt) {
  SmallString<0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  llvm::BLAKE3 hasher;
  hasher.update(salt);
  hasher.update(bitcode);
  return llvm::toHex(hasher.final<16>(), /*LowerCase=*/true);
}

namespace {

/// Moves kernels out of one module.
class Splitter {
public:
  Splitter(ModuleOp module, StringRef salt)
      : module(module), salt(salt), symbols(module) {}

  FailureOr<SplitModule> split();

private:
  OwningOpRef<ModuleOp> extract(LLVM::LLVMFuncOp kernel);
  void copySymbols(Operation *user, ModuleOp to, DenseSet<StringAttr> &copied);
  LogicalResult add(LLVM::LLVMFuncOp kernel);

  ModuleOp module;
  StringRef salt;
  SymbolTable symbols;
  SplitModule parts;
  /// The final name of each kernel, by the name that the program has for it.
  std::vector<std::pair<std::string, std::string>> names;
  llvm::StringSet<> hashes;
};

} // namespace

/// Copies what `user` refers to: declarations as they are, definitions as the
/// copy's own.
void Splitter::copySymbols(Operation *user, ModuleOp to,
                           DenseSet<StringAttr> &copied) {
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(user);
  if (!uses)
    return;
  for (const SymbolTable::SymbolUse &use : *uses) {
    StringAttr name = use.getSymbolRef().getRootReference();
    if (!copied.insert(name).second)
      continue;
    Operation *symbol = symbols.lookup(name);
    if (!symbol)
      continue;
    Operation *copy = OpBuilder::atBlockEnd(to.getBody()).clone(*symbol);
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(copy);
        function && !function.isExternal())
      function.setLinkage(LLVM::Linkage::Internal);
    auto global = dyn_cast<LLVM::GlobalOp>(copy);
    // What can be written is shared: there is one of it.
    if (global && !global.getConstant()) {
      global.setValueAttr(Attribute());
      global.getInitializerRegion().getBlocks().clear();
      global.setLinkage(LLVM::Linkage::External);
      continue;
    }
    if (global)
      global.setLinkage(LLVM::Linkage::Internal);
    copySymbols(symbol, to, copied);
  }
}

/// The kernel, alone with what it needs; a declaration stays.
OwningOpRef<ModuleOp> Splitter::extract(LLVM::LLVMFuncOp kernel) {
  OwningOpRef<ModuleOp> result = ModuleOp::create(module.getLoc());
  (*result)->setAttrs(module->getAttrDictionary());
  OpBuilder builder(kernel);
  auto declaration = cast<LLVM::LLVMFuncOp>(
      builder.cloneWithoutRegions(*kernel.getOperation()));
  declaration->removeAttr(comm::kKernelAttrName);
  declaration.setLinkage(LLVM::Linkage::External);

  kernel->remove();
  result->push_back(kernel);
  DenseSet<StringAttr> copied = {kernel.getSymNameAttr()};
  copySymbols(kernel, *result, copied);
  kernel->removeAttr(comm::kKernelAttrName);
  kernel.setLinkage(LLVM::Linkage::External);
  kernel.setSymName(placeholder);
  return result;
}

LogicalResult Splitter::add(LLVM::LLVMFuncOp kernel) {
  std::string name = kernel.getSymName().str();
  OwningOpRef<ModuleOp> alone = extract(kernel);
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(*alone, *context);
  if (!translated)
    return failure();
  std::string hash = computeHash(*translated, salt);
  std::string symbol = (kKernelPrefix + hash).str();
  names.emplace_back(std::move(name), symbol);
  if (!hashes.insert(hash).second)
    return success();
  translated->getFunction(placeholder)->setName(symbol);
  translated->setModuleIdentifier(symbol);
  parts.kernels.emplace_back(std::move(translated), std::move(context));
  return success();
}

FailureOr<SplitModule> Splitter::split() {
  for (auto function :
       llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>()))
    if (function->hasAttr(comm::kKernelAttrName) && !function.isExternal())
      if (failed(add(function)))
        return failure();

  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> schedule =
      translateModuleToLLVMIR(module, *context);
  if (!schedule)
    return failure();
  for (const auto &[name, symbol] : names) {
    llvm::Function *function = schedule->getFunction(name);
    if (llvm::Function *same = schedule->getFunction(symbol)) {
      function->replaceAllUsesWith(same);
      function->eraseFromParent();
    } else {
      function->setName(symbol);
    }
  }
  parts.schedule =
      llvm::orc::ThreadSafeModule(std::move(schedule), std::move(context));
  return std::move(parts);
}

FailureOr<SplitModule> comm::runner::splitKernels(ModuleOp module,
                                                  StringRef salt) {
  return Splitter(module, salt).split();
}
