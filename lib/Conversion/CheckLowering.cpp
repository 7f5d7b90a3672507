//===- CheckLowering.cpp - Says what cannot be lowered, all at once -------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "comm/Conversion/Passes.h"
#include "comm/IR/Comm.h"
#include "comm/IR/DerivativeOps.h"
#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::comm {
#define GEN_PASS_DEF_CHECKLOWERED
#define GEN_PASS_DEF_CHECKLOWERING
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

/// Symbols that lowered code calls: a function of the user with such a name
/// would be called in their place.
static bool isReserved(StringRef name) {
  static const llvm::StringSet<> libraries = {
      "malloc", "free",      "aligned_alloc", "calloc",    "realloc",
      "memcpy", "memmove",   "memset",        "abort",     "acos",
      "acosf",  "acosh",     "acoshf",        "asin",      "asinf",
      "asinh",  "asinhf",    "atan",          "atanf",     "atan2",
      "atan2f", "atanh",     "atanhf",        "cbrt",      "cbrtf",
      "ceil",   "ceilf",     "cos",           "cosf",      "cosh",
      "coshf",  "erf",       "erff",          "erfc",      "erfcf",
      "exp",    "expf",      "exp2",          "exp2f",     "expm1",
      "expm1f", "floor",     "floorf",        "fma",       "fmaf",
      "fmod",   "fmodf",     "log",           "logf",      "log10",
      "log10f", "log1p",     "log1pf",        "log2",      "log2f",
      "pow",    "powf",      "rint",          "rintf",     "round",
      "roundf", "roundeven", "roundevenf",    "sin",       "sinf",
      "sinh",   "sinhf",     "sqrt",          "sqrtf",     "tan",
      "tanf",   "tanh",      "tanhf",         "trunc",     "truncf",
      "sincos", "sincosf",   "fmin",          "fmax",      "dealloc_helper",
      "fminf",  "fmaxf",     "bzero",         "memrefCopy"};
  return libraries.contains(name) || isRuntimeFunction(name);
}

static bool isSupportedElement(Type type) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type, IndexType>(type))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isSignless() && integer.getWidth() <= 64;
}

/// Whether the static sizes of a shape make more bytes than can be counted.
static bool overflows(ShapedType type) {
  int64_t bytes = sizeof(int64_t);
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size) && size != 0 &&
        llvm::MulOverflow(bytes, size, bytes))
      return true;
  return false;
}

/// Why a value of this type cannot be lowered; empty where it can.
static StringRef findMistake(Type type) {
  StringRef unsupported = "which has no lowering";
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return isa<MessageType>(type) || isSupportedElement(type) ? ""
                                                              : unsupported;
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto memref = dyn_cast<MemRefType>(type);
  if ((!tensor && !memref) || !isSupportedElement(shaped.getElementType()) ||
      (tensor && tensor.getEncoding()) || (memref && memref.getMemorySpace()))
    return unsupported;
  return overflows(shaped) ? "whose size in bytes overflows" : "";
}

/// Adds an error if the op has no lowering.
static LogicalResult checkOp(Operation *op) {
  if (isDerivativeOp(op))
    return op->emitOpError(
        "is not differentiated yet: run 'comm-differentiate' first");
  static const llvm::StringSet<> dialects = {
      "affine", "arith", "builtin", "comm", "func",   "index",
      "linalg", "math",  "memref",  "scf",  "tensor", "ub"};
  // Bodies run in kernels, which have no status to give.
  if (isa<cf::AssertOp>(op) && !op->getParentOfType<linalg::LinalgOp>())
    return success();
  if (!op->getDialect() ||
      !dialects.contains(op->getDialect()->getNamespace()) ||
      isa<scf::ForallOp, tensor::GatherOp, tensor::ScatterOp, linalg::PackOp,
          linalg::UnPackOp, linalg::WinogradFilterTransformOp,
          linalg::WinogradInputTransformOp, linalg::WinogradOutputTransformOp,
          memref::ReallocOp>(op))
    return op->emitOpError("has no lowering");
  if (isa<func::ConstantOp, func::CallIndirectOp>(op))
    return op->emitOpError("has no lowering: call a function by "
                           "its name");
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
    if (StringRef mistake = findMistake(value.getType()); !mistake.empty())
      return op->emitOpError("has a value of type ")
             << value.getType() << ", " << mistake;
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return success();
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, call.getCalleeAttr());
  if (!callee.isExternal())
    return success();
  return (call->emitError()
          << "'@" << call.getCallee() << "' is called but has no body")
             .attachNote(callee.getLoc())
         << "it is declared here";
}

static LogicalResult checkFunction(func::FuncOp function) {
  if (function.isExternal())
    return success();
  if (isReserved(function.getName()))
    return function.emitError()
           << "'@" << function.getName()
           << "' is the name of a function that lowered code calls: rename it";
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "'@" << function.getName()
           << "' has unstructured control flow, which has no lowering";
  LogicalResult result = success();
  for (BlockArgument argument : function.getArguments()) {
    StringRef mistake = isa<MessageType>(argument.getType())
                            ? "which has no lowering"
                            : findMistake(argument.getType());
    if (!mistake.empty())
      result = emitError(argument.getLoc())
               << "argument " << argument.getArgNumber() << " of '@"
               << function.getName() << "' is a " << argument.getType() << ", "
               << mistake;
  }
  return result;
}

/// Adds an error for each cycle of calls. Nothing bounds the stack that they
/// need, least of all after a failure, when the condition that should end them
/// may hold anything.
static LogicalResult checkCallCycles(ModuleOp module) {
  LogicalResult result = success();
  const CallGraph graph(module);
  for (auto cycle = llvm::scc_begin(&graph); !cycle.isAtEnd(); ++cycle) {
    if (!cycle.hasCycle())
      continue;
    SmallVector<Operation *> members;
    for (const CallGraphNode *node : *cycle)
      members.push_back(node->getCallableRegion()->getParentOp());
    llvm::sort(members, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    llvm::SmallDenseSet<StringRef> names;
    for (Operation *member : members)
      names.insert(SymbolTable::getSymbolName(member).getValue());
    InFlightDiagnostic error =
        members.front()->emitError()
        << "'@" << SymbolTable::getSymbolName(members.front()).getValue()
        << "' calls itself, which has no lowering";
    for (Operation *member : members)
      member->walk([&](func::CallOp call) {
        if (names.contains(call.getCallee()))
          error.attachNote(call.getLoc())
              << "'@" << call.getCallee() << "' is called here";
      });
    result = error;
  }
  return result;
}

namespace {
struct CheckLowering : comm::impl::CheckLoweringBase<CheckLowering> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool isGood = true;
    module.walk([&](Operation *op) {
      if (op == module)
        return;
      if (auto function = dyn_cast<func::FuncOp>(op))
        isGood &= succeeded(checkFunction(function));
      else
        isGood &= succeeded(checkOp(op));
    });
    isGood &= succeeded(checkCallCycles(module));
    if (!isGood)
      return signalPassFailure();
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function.isExternal())
        function.erase();
  }
};

struct CheckLowered : comm::impl::CheckLoweredBase<CheckLowered> {
  void runOnOperation() override {
    bool isGood = true;
    Operation *root = getOperation();
    bool isDevice = isa<gpu::GPUModuleOp>(root);
    root->walk([&](Operation *op) {
      if (op == root || isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(
                            op->getDialect()))
        return;
      op->emitOpError("has no lowering to the ") << (isDevice ? "GPU" : "host");
      isGood = false;
    });
    if (!isGood)
      signalPassFailure();
  }
};

} // namespace
