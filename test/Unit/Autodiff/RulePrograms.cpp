//===- RulePrograms.cpp - Runs ops and their adjoint rules ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RulePrograms.h"
#include "FlatMemory.h"
#include "comm/InitAll.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/TargetSelect.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::testing;

static constexpr const char *pipeline =
    "convert-elementwise-to-linalg,one-shot-bufferize,"
    "buffer-deallocation-pipeline,convert-bufferization-to-memref,"
    "convert-linalg-to-loops,expand-strided-metadata,"
    "lower-affine,convert-scf-to-cf,"
    "arith-expand{include-bf16=true},"
    "convert-math-to-llvm,convert-math-to-libm,finalize-memref-to-llvm,"
    "convert-func-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,"
    "convert-cf-to-llvm,reconcile-unrealized-casts";

static size_t getNumElements(TypeRange types) {
  size_t count = 0;
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      count += tensor.getNumElements();
    else
      ++count;
  return count;
}

namespace {

/// The primal values of an op of the forward: those the rule listed, no others.
class ListedPrimals : public Primals {
public:
  ListedPrimals(Operation *op, AdjointOpInterface rule,
                const llvm::BitVector &wanted)
      : op(op), residuals(rule.getResiduals(wanted)), wanted(wanted) {}

  Value getOperand(unsigned index) const override {
    EXPECT_TRUE(lists(Residual::Kind::Operand, index))
        << op->getName().getStringRef().str() << " did not list operand "
        << index;
    return op->getOperand(index);
  }
  Value getResult(unsigned index) const override {
    EXPECT_TRUE(lists(Residual::Kind::Result, index))
        << op->getName().getStringRef().str() << " did not list result "
        << index;
    return op->getResult(index);
  }
  SmallVector<OpFoldResult> getOperandSizes(OpBuilder &builder,
                                            unsigned index) const override {
    EXPECT_TRUE(lists(Residual::Kind::Operand, index) ||
                lists(Residual::Kind::OperandSizes, index))
        << op->getName().getStringRef().str() << " did not list the sizes of "
        << index;
    return tensor::getMixedSizes(builder, op->getLoc(), op->getOperand(index));
  }
  bool isWanted(unsigned operand) const override {
    return wanted.test(operand);
  }

private:
  bool lists(Residual::Kind kind, unsigned index) const {
    return llvm::any_of(residuals, [&](const Residual &residual) {
      return residual.kind == kind && residual.index == index;
    });
  }

  Operation *op;
  SmallVector<Residual> residuals;
  llvm::BitVector wanted;
};

} // namespace

RulePrograms::RulePrograms() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  comm::registerAllDialects(registry);
  registerAllToLLVMIRTranslations(registry);
  static bool passesRegistered = (comm::registerAllPasses(), true);
  (void)passesRegistered;
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  module = ModuleOp::create(UnknownLoc::get(&context));
}

func::FuncOp RulePrograms::getFunction(unsigned program) const {
  return ModuleOp(*sources[program]).lookupSymbol<func::FuncOp>("f");
}

unsigned RulePrograms::add(const std::string &text) {
  OwningOpRef<ModuleOp> source =
      parseSourceString<ModuleOp>(text, ParserConfig(&context));
  EXPECT_TRUE(source) << text;
  sources.push_back(std::move(source));
  return sources.size() - 1;
}

std::string RulePrograms::getName(unsigned program, Kind kind,
                                  std::optional<unsigned> active) {
  std::string name = "f" + std::to_string(program);
  switch (kind) {
  case Kind::Primal:
    break;
  case Kind::Adjoint:
    name += "_adjoint";
    break;
  case Kind::Tangent:
    name += "_tangent";
    break;
  case Kind::TransposedAdjoint:
    name += "_transposed";
    break;
  }
  return active ? name + "_" + std::to_string(*active) : name;
}

/// The block of a new function from flat memory to flat memory.
Block *RulePrograms::addFunction(const std::string &name) {
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto memory = MemRefType::get({ShapedType::kDynamic}, builder.getF64Type());
  auto flat =
      func::FuncOp::create(builder, module->getLoc(), name,
                           builder.getFunctionType({memory, memory}, {}));
  flat->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                builder.getUnitAttr());
  return flat.addEntryBlock();
}

void RulePrograms::emit(unsigned program, Kind kind,
                        std::optional<unsigned> active) {
  func::FuncOp source = getFunction(program);
  Location loc = source.getLoc();
  Block *entry = addFunction(getName(program, kind, active));
  OpBuilder builder = OpBuilder::atBlockBegin(entry);
  FlatMemory input(builder, loc, entry->getArgument(0));
  FlatMemory output(builder, loc, entry->getArgument(1));

  IRMapping mapping;
  llvm::DenseSet<Value> activeValues;
  for (BlockArgument argument : source.getArguments()) {
    Value value = input.read(argument.getType());
    mapping.map(argument, value);
    if (!active || *active == argument.getArgNumber())
      activeValues.insert(value);
  }
  SmallVector<Operation *> ops;
  for (Operation &op : source.getBody().front().without_terminator()) {
    ops.push_back(builder.clone(op, mapping));
    if (llvm::any_of(ops.back()->getOperands(),
                     [&](Value v) { return activeValues.contains(v); }))
      for (Value result : ops.back()->getResults())
        if (isDifferentiable(result.getType()))
          activeValues.insert(result);
  }
  SmallVector<Value> results;
  for (Value result : source.getBody().front().getTerminator()->getOperands())
    results.push_back(mapping.lookup(result));

  if (kind == Kind::Primal) {
    for (Value result : results)
      output.write(result);
    func::ReturnOp::create(builder, loc);
    return;
  }

  llvm::DenseMap<Value, Value> cotangents;
  auto accumulate = [&](Value primal, Value cotangent) {
    EXPECT_EQ(primal.getType(), cotangent.getType());
    Value &sum = cotangents[primal];
    sum = sum ? arith::AddFOp::create(builder, loc, sum, cotangent).getResult()
              : cotangent;
  };
  for (Value result : results)
    accumulate(result, input.read(result.getType()));
  for (Operation *op : llvm::reverse(ops)) {
    SmallVector<Value> incoming;
    for (Value result : op->getResults())
      incoming.push_back(
          activeValues.contains(result) ? cotangents.lookup(result) : Value());
    if (llvm::none_of(incoming, [](Value value) { return bool(value); }))
      continue;
    llvm::BitVector wanted(op->getNumOperands());
    for (OpOperand &operand : op->getOpOperands())
      if (activeValues.contains(operand.get()))
        wanted.set(operand.getOperandNumber());
    auto rule = dyn_cast<AdjointOpInterface>(op);
    if (!rule) {
      ADD_FAILURE() << op->getName().getStringRef().str() << " has no adjoint";
      continue;
    }
    ruled.insert(op->getName().getStringRef());
    EXPECT_TRUE(succeeded(rule.verifyAdjoint(wanted)));
    SmallVector<Value> adjoints =
        rule.emitAdjoint(builder, ListedPrimals(op, rule, wanted), incoming);
    EXPECT_EQ(adjoints.size(), op->getNumOperands())
        << op->getName().getStringRef().str();
    for (auto [index, cotangent] : llvm::enumerate(adjoints))
      if (cotangent && wanted.test(index))
        accumulate(op->getOperand(index), cotangent);
  }
  for (BlockArgument argument : source.getArguments()) {
    Value cotangent = cotangents.lookup(mapping.lookup(argument));
    output.write(cotangent ? cotangent
                           : emitZero(builder, loc, argument.getType()));
  }
  func::ReturnOp::create(builder, loc);
}

void RulePrograms::compile() {
  for (unsigned program = 0; program < sources.size(); ++program) {
    emit(program, Kind::Primal, std::nullopt);
    emit(program, Kind::Adjoint, std::nullopt);
    emitTangent(program, Kind::Tangent, std::nullopt);
    emitTangent(program, Kind::TransposedAdjoint, std::nullopt);
    for (unsigned active = 0; active < getNumArguments(program); ++active) {
      emit(program, Kind::Adjoint, active);
      emitTangent(program, Kind::Tangent, active);
    }
  }
  ASSERT_TRUE(succeeded(verify(*module)));

  // Upstream has no bufferization of tensor.concat.
  RewritePatternSet patterns(&context);
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  ASSERT_TRUE(succeeded(applyPatternsGreedily(*module, std::move(patterns))));
  PassManager passes(&context, ModuleOp::getOperationName(),
                     PassManager::Nesting::Explicit);
  std::string error;
  llvm::raw_string_ostream errors(error);
  ASSERT_TRUE(succeeded(parsePassPipeline(pipeline, passes, errors))) << error;
  ASSERT_TRUE(succeeded(passes.run(*module)));
  ExecutionEngineOptions options;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::None;
  // Strided copies are calls of memrefCopy.
  StringRef libraries[] = {COMM_MLIR_RUNNER_UTILS};
  options.sharedLibPaths = libraries;
  llvm::Expected<std::unique_ptr<ExecutionEngine>> created =
      ExecutionEngine::create(*module, options);
  ASSERT_TRUE(bool(created)) << llvm::toString(created.takeError());
  auto first = (*created)->lookup(getName(0, Kind::Primal, std::nullopt));
  ASSERT_TRUE(bool(first)) << llvm::toString(first.takeError());
  engine = std::move(*created);
}

unsigned RulePrograms::getNumArguments(unsigned program) const {
  return getFunction(program).getNumArguments();
}

std::pair<size_t, size_t> RulePrograms::getArgument(unsigned program,
                                                    unsigned argument) const {
  ArrayRef<Type> types = getFunction(program).getArgumentTypes();
  return {getNumElements(types.take_front(argument)),
          getNumElements(types.take_front(argument + 1))};
}

std::string RulePrograms::getText(unsigned program) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*sources[program])->print(stream);
  return text;
}

size_t RulePrograms::getNumInputs(unsigned program) const {
  return getNumElements(getFunction(program).getArgumentTypes());
}

size_t RulePrograms::getNumOutputs(unsigned program) const {
  return getNumElements(getFunction(program).getResultTypes());
}

Numbers RulePrograms::invoke(const std::string &name, const Numbers &input,
                             size_t numOutputs) {
  Numbers in = input, out(numOutputs);
  auto describe = [](Numbers &numbers) {
    StridedMemRefType<double, 1> memory;
    memory.basePtr = memory.data = numbers.data();
    memory.offset = 0;
    memory.sizes[0] = numbers.size();
    memory.strides[0] = 1;
    return memory;
  };
  StridedMemRefType<double, 1> inMemory = describe(in);
  StridedMemRefType<double, 1> outMemory = describe(out);
  void *inPointer = &inMemory, *outPointer = &outMemory;
  void *arguments[] = {&inPointer, &outPointer};
  if (!engine) {
    ADD_FAILURE() << "the programs did not compile";
    return out;
  }
  llvm::Error error = engine->invokePacked("_mlir_ciface_" + name, arguments);
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  return out;
}

Numbers RulePrograms::run(unsigned program, const Numbers &x) {
  return invoke(getName(program, Kind::Primal, std::nullopt), x,
                getNumOutputs(program));
}

Numbers RulePrograms::runAdjoint(unsigned program, const Numbers &x,
                                 const Numbers &dy,
                                 std::optional<unsigned> argument) {
  Numbers input = x;
  input.insert(input.end(), dy.begin(), dy.end());
  return invoke(getName(program, Kind::Adjoint, argument), input,
                getNumInputs(program));
}
