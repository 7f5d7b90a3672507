//===- OutlineKernels.cpp - Local ops become functions of their own -------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outliner.h"
#include "comm/Conversion/Passes.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <unordered_map>

namespace mlir::comm {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;
using linalg::LinalgOp;

namespace {
struct OutlineKernels : comm::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbolTable(module);
    symbols = &symbolTable;
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (!function.isExternal() && !isKernel(function))
        outlineFunction(function);
    kernels.clear();
  }

  void outlineFunction(func::FuncOp function) {
    eraseDead(function);
    function.walk<WalkOrder::PreOrder>([&](Block *block) {
      // Bodies of linalg ops hold no tensors to compute.
      if (isa<LinalgOp>(block->getParentOp()))
        return WalkResult::skip();
      outlineBlock(*block);
      return WalkResult::advance();
    });
    // Free ops that kernels alone used.
    eraseDead(function);
  }

  static void eraseDead(func::FuncOp function) {
    function.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  }

  void outlineBlock(Block &block) {
    for (KernelGroup &group : groupLocalOps(block))
      outline(group);
    for (Operation &op : llvm::make_early_inc_range(block))
      fillWhereUsed(&op);
  }

  /// Steps of the schedule want memory: what they use of a free op is filled
  /// right before them, for each use anew.
  void fillWhereUsed(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *from = operand.get().getDefiningOp();
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type || !from || !isFree(from) || isFree(op) ||
          isa<tensor::EmptyOp>(from) || isZeroOfGemm(operand))
        continue;
      OpBuilder builder(op);
      Location loc = op->getLoc();
      Value number, dest;
      if (auto fill = dyn_cast<linalg::FillOp>(from)) {
        number = fill.getInputs()[0];
        dest = fill.getOutputs()[0];
      } else {
        number = arith::ConstantOp::create(
            builder, loc,
            cast<SplatElementsAttr>(cast<arith::ConstantOp>(from).getValue())
                .getSplatValue<TypedAttr>());
        dest = tensor::EmptyOp::create(builder, loc, type, ValueRange());
      }
      auto fill = linalg::FillOp::create(builder, loc, number, dest);
      operand.set(fill.getResult(0));
      KernelGroup group{{fill}};
      outline(group);
    }
  }

  /// gemm writes without reading: nothing need be filled.
  static bool isZeroOfGemm(OpOperand &operand) {
    auto op = dyn_cast<LinalgOp>(operand.getOwner());
    return op && isGemm(op) && op.isDpsInit(&operand) &&
           isZeroFill(operand.get());
  }

  void outline(KernelGroup &group) {
    Outliner outliner(group);
    func::FuncOp &kernel = kernels[outliner.getKey()];
    if (!kernel) {
      kernel = outliner.createKernel("comm_kernel");
      symbols->insert(kernel);
    }
    outliner.replaceByCall(kernel);
  }

  SymbolTable *symbols;
  std::unordered_map<KernelKey, func::FuncOp, KernelKeyHash> kernels;
};
} // namespace
