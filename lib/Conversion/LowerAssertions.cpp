//===- LowerAssertions.cpp - What does not hold ends the function ---------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "comm/Conversion/Passes.h"
#include "comm/Runtime/CommRuntime.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace mlir::comm {
#define GEN_PASS_DEF_LOWERASSERTIONS
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

/// Whether the function takes a context and gives a status.
static bool hasStatus(func::FuncOp function) {
  return function && !function.isExternal() &&
         function.getNumArguments() != 0 &&
         isa<LLVM::LLVMPointerType>(function.getArgumentTypes()[0]);
}

/// Whether the op asks the runtime about sizes: what comes after it in the
/// function counts on them.
static bool isSizeCheck(Operation *op) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  return call && (call.getCallee() == "commCheckDivisible" ||
                  call.getCallee() == "commCheckSize");
}

namespace {

/// Lowers the assertions of one function.
class AssertionLowering {
public:
  AssertionLowering(func::FuncOp function, SymbolTable &symbols,
                    RuntimeCalls &runtime, const LLVMTypeConverter &types)
      : function(function), symbols(symbols), runtime(runtime), types(types),
        builder(function.getContext()) {}

  void run();

private:
  Block *getExit();
  void lower(cf::AssertOp op);
  void leaveAfter(Operation *op);

  func::FuncOp function;
  SymbolTable &symbols;
  RuntimeCalls &runtime;
  const LLVMTypeConverter &types;
  OpBuilder builder;
  Block *exit = nullptr;
};

} // namespace

/// Returns the runtime's status, and nothing for each result: null buffers, to
/// be freed like others.
Block *AssertionLowering::getExit() {
  if (exit)
    return exit;
  OpBuilder::InsertionGuard guard(builder);
  Location loc = function.getLoc();
  exit = builder.createBlock(&function.getBody(), function.getBody().end());
  Value status =
      runtime.call(builder, loc, "commStatus", function.getArgument(0));
  SmallVector<Value> results;
  for (Type type : function.getResultTypes()) {
    Type lowered = types.convertType(type);
    Value zero = LLVM::ZeroOp::create(builder, loc, lowered);
    if (isa<LLVM::LLVMStructType>(type))
      zero = LLVM::InsertValueOp::create(builder, loc, zero, status,
                                         ArrayRef<int64_t>{0});
    else if (results.empty())
      zero = status;
    if (lowered != type)
      zero = UnrealizedConversionCastOp::create(builder, loc, type, zero)
                 .getResult(0);
    results.push_back(zero);
  }
  func::ReturnOp::create(builder, loc, results);
  return exit;
}

void AssertionLowering::lower(cf::AssertOp op) {
  Location loc = op.getLoc();
  Block *block = op->getBlock();
  Block *rest = block->splitBlock(std::next(op->getIterator()));
  Block *failed = builder.createBlock(rest);
  // "linalg.matmul: dimension ...", or what the user wrote.
  auto [name, text] = op.getMsg().split(": ");
  bool isNamed = !text.empty() && !name.contains(' ') && name.contains('.');
  op->setAttr(kDetailAttrName,
              builder.getStringAttr(isNamed ? text : op.getMsg()));
  Value site = runtime.getSite(builder, op,
                               isNamed ? name : op->getName().getStringRef());
  runtime.call(builder, loc, "commFail", {function.getArgument(0), site});
  cf::BranchOp::create(builder, loc, getExit());
  builder.setInsertionPointToEnd(block);
  cf::CondBranchOp::create(builder, loc, op.getArg(), rest, ValueRange(),
                           failed, ValueRange());
  op->erase();
}

/// What a callee that has failed gives is not looked at.
void AssertionLowering::leaveAfter(Operation *op) {
  Location loc = op->getLoc();
  Block *block = op->getBlock();
  Block *rest = block->splitBlock(std::next(op->getIterator()));
  builder.setInsertionPointToEnd(block);
  Value status = op->getResult(0);
  if (isa<LLVM::LLVMStructType>(status.getType()))
    status = LLVM::ExtractValueOp::create(builder, loc, status,
                                          ArrayRef<int64_t>{0});
  Value succeeded =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, status,
                            runtime.getI32(builder, loc, COMM_SUCCESS));
  cf::CondBranchOp::create(builder, loc, succeeded, rest, ValueRange(),
                           getExit(), ValueRange());
}

void AssertionLowering::run() {
  SmallVector<Operation *> ops;
  for (Block &block : function.getBody())
    for (Operation &op : block)
      if (isa<cf::AssertOp, func::CallOp>(op) || isSizeCheck(&op))
        ops.push_back(&op);
  // From the back, so that each op moves to another block once.
  for (Operation *op : llvm::reverse(ops)) {
    if (auto assertion = dyn_cast<cf::AssertOp>(op))
      lower(assertion);
    else if (auto call = dyn_cast<func::CallOp>(op);
             !call || hasStatus(symbols.lookup<func::FuncOp>(call.getCallee())))
      leaveAfter(op);
  }
}

namespace {
struct LowerAssertions : comm::impl::LowerAssertionsBase<LowerAssertions> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool mayLeave = module
                        .walk([](Operation *op) {
                          return isa<cf::AssertOp>(op) || isSizeCheck(op)
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
    if (!mayLeave)
      return;
    SymbolTable symbols(module);
    RuntimeCalls runtime(module);
    LLVMTypeConverter types(&getContext());
    for (auto function : module.getOps<func::FuncOp>())
      if (hasStatus(function))
        AssertionLowering(function, symbols, runtime, types).run();
  }
};
} // namespace
