//===- RuleTangents.cpp - Tangents of straight-line functions -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlatMemory.h"
#include "RulePrograms.h"
#include "comm/Autodiff/ForwardMode.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::testing;

namespace {
class OpPrimals : public Primals {
public:
  OpPrimals(Operation *op, ArrayRef<Value> tangents)
      : op(op), tangents(tangents) {}

  Value getOperand(unsigned index) const override {
    return op->getOperand(index);
  }
  Value getResult(unsigned index) const override {
    return op->getResult(index);
  }
  SmallVector<OpFoldResult> getOperandSizes(OpBuilder &builder,
                                            unsigned index) const override {
    if (!isa<RankedTensorType>(op->getOperand(index).getType()))
      return {};
    return tensor::getMixedSizes(builder, op->getLoc(), op->getOperand(index));
  }
  bool isWanted(unsigned operand) const override {
    return bool(tangents[operand]);
  }

private:
  Operation *op;
  ArrayRef<Value> tangents;
};
} // namespace

void RulePrograms::emitTangent(unsigned program, Kind kind,
                               std::optional<unsigned> active) {
  func::FuncOp source = getFunction(program);
  Location loc = source.getLoc();
  Block *entry = addFunction(getName(program, kind, active));
  OpBuilder builder = OpBuilder::atBlockBegin(entry);
  FlatMemory input(builder, loc, entry->getArgument(0));
  FlatMemory output(builder, loc, entry->getArgument(1));
  IRMapping mapping;
  llvm::DenseMap<Value, Value> tangents;
  for (BlockArgument argument : source.getArguments())
    mapping.map(argument, input.read(argument.getType()));
  for (BlockArgument argument : source.getArguments()) {
    Value tangent = input.read(argument.getType());
    if (!active || *active == argument.getArgNumber())
      tangents[argument] = tangent;
  }
  Block &block = source.getBody().front();
  for (Operation &op : block.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    SmallVector<Value> given;
    for (Value operand : op.getOperands())
      given.push_back(tangents.lookup(operand));
    if (llvm::none_of(given, [](Value tangent) { return bool(tangent); }))
      continue;
    auto rule = dyn_cast<AdjointOpInterface>(copy);
    if (!rule) {
      // A comparison carries none.
      if (llvm::any_of(op.getResultTypes(), isDifferentiable))
        ADD_FAILURE() << op.getName().getStringRef().str() << " has no adjoint";
      continue;
    }
    OpPrimals primals(copy, given);
    FailureOr<SmallVector<Value>> results =
        kind == Kind::TransposedAdjoint
            ? comm::emitTransposedAdjoint(builder, rule, primals, given)
            : comm::emitTangent(builder, rule, primals, given);
    ASSERT_TRUE(succeeded(results)) << op.getName().getStringRef().str();
    ASSERT_EQ(results->size(), op.getNumResults());
    for (auto [result, tangent] : llvm::zip(op.getResults(), *results)) {
      if (!tangent)
        continue;
      EXPECT_EQ(result.getType(), tangent.getType());
      tangents[result] = tangent;
    }
  }
  for (Value result : block.getTerminator()->getOperands()) {
    Value tangent = tangents.lookup(result);
    output.write(tangent ? tangent : emitZero(builder, loc, result.getType()));
  }
  func::ReturnOp::create(builder, loc);
}

Numbers RulePrograms::runTangent(unsigned program, const Numbers &x,
                                 const Numbers &dx, bool transposed,
                                 std::optional<unsigned> argument) {
  Numbers input = x;
  input.insert(input.end(), dx.begin(), dx.end());
  Kind kind = transposed ? Kind::TransposedAdjoint : Kind::Tangent;
  return invoke(getName(program, kind, argument), input,
                getNumOutputs(program));
}

void RulePrograms::expectTangents(unsigned program, const Numbers &x,
                                  const Numbers &dx, const Numbers &dy,
                                  const Numbers &adjoint) {
  auto expect = [&](size_t begin, size_t end, std::optional<unsigned> active) {
    for (bool transposed : {false, true}) {
      if (transposed && active)
        continue;
      Numbers tangent = runTangent(program, x, dx, transposed, active);
      double left = 0, right = 0, scale = 1;
      for (size_t i = 0; i < dy.size(); ++i) {
        left += tangent[i] * dy[i];
        scale += std::abs(tangent[i] * dy[i]);
      }
      for (size_t i = begin; i < end; ++i)
        right += dx[i] * adjoint[i];
      EXPECT_NEAR(left, right, 1e-13 * scale)
          << (transposed ? "the transposed adjoint of " : "")
          << getText(program);
    }
  };
  expect(0, dx.size(), std::nullopt);
  for (unsigned argument = 0; argument < getNumArguments(program); ++argument) {
    auto [begin, end] = getArgument(program, argument);
    expect(begin, end, argument);
  }
}
