//===- Toy.cpp - Rules for the ops of a dialect outside of comm -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Toy.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::comm;

#include "ToyDialect.cpp.inc"
#define GET_OP_CLASSES
#include "ToyOps.cpp.inc"

void toy::ToyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ToyOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// toy.cube
//===----------------------------------------------------------------------===//

SmallVector<Residual> toy::CubeOp::getResiduals(const llvm::BitVector &) {
  return {Residual::operand(0)};
}

// y = x^3  =>  x̄ = 3 x^2 ȳ
SmallVector<Value> toy::CubeOp::emitAdjoint(OpBuilder &builder,
                                            const Primals &primals,
                                            ValueRange cotangents) {
  Location loc = getLoc();
  Value x = primals.getOperand(0);
  Value three = emitConstant(builder, loc, x.getType(), 3.0,
                             primals.getOperandSizes(builder, 0));
  Value square = arith::MulFOp::create(builder, loc, x, x);
  Value slope = arith::MulFOp::create(builder, loc, three, square);
  return {arith::MulFOp::create(builder, loc, cotangents[0], slope)};
}

//===----------------------------------------------------------------------===//
// toy.ranked_mean
//===----------------------------------------------------------------------===//

/// The factor of this rank, i/n, in every element of a tensor of static shape.
static Value emitShare(OpBuilder &builder, toy::RankedMeanOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  Value index = AxisIndexOp::create(builder, loc, op.getAxes());
  Value integer =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
  Value i = arith::SIToFPOp::create(builder, loc, element, integer);
  Value n = emitConstant(builder, loc, element, getGroupSize(op, op.getAxes()));
  Value share = arith::DivFOp::create(builder, loc, i, n);
  return tensor::SplatOp::create(builder, loc, type, share);
}

// y = sum_j (j/n) x_j  =>  x̄_i = (i/n) vary ȳ
SmallVector<Value> toy::RankedMeanOp::emitAdjoint(OpBuilder &builder,
                                                  const Primals &,
                                                  ValueRange cotangents) {
  Value own = VaryOp::create(builder, getLoc(), cotangents[0], getAxes());
  return {
      arith::MulFOp::create(builder, getLoc(), own, emitShare(builder, *this))};
}

AxesAttrInterface toy::RankedMeanOp::getGroupAxes() {
  return cast<AxesAttrInterface>(Attribute(getAxes()));
}

// var -> rep
WantedState toy::RankedMeanOp::getWantedState() { return WantedState::Varying; }

ReplicationState toy::RankedMeanOp::inferState(ReplicationState operands,
                                               ReplicationState group) {
  return operands - group;
}

// Not pure: no pass may move it into a branch that not all ranks take.
void toy::RankedMeanOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), RanksResource::get());
}

LogicalResult toy::RankedMeanOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyAxes(*this, getAxes(), "the group");
}

//===----------------------------------------------------------------------===//
// lower-toy
//===----------------------------------------------------------------------===//

namespace {
struct LowerToy : PassWrapper<LowerToy, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToy)

  StringRef getArgument() const final { return "lower-toy"; }
  StringRef getDescription() const final {
    return "Writes the ops of the toy dialect in arith and comm";
  }
  void runOnOperation() override {
    getOperation().walk([](toy::CubeOp op) {
      OpBuilder builder(op);
      Value x = op.getX();
      Value square = arith::MulFOp::create(builder, op.getLoc(), x, x);
      op.replaceAllUsesWith(
          arith::MulFOp::create(builder, op.getLoc(), square, x).getResult());
      op.erase();
    });
    getOperation().walk([](toy::RankedMeanOp op) {
      OpBuilder builder(op);
      Value own = arith::MulFOp::create(builder, op.getLoc(), op.getX(),
                                        emitShare(builder, op));
      op.replaceAllUsesWith(AllReduceOp::create(builder, op.getLoc(), own,
                                                ReductionKind::Sum,
                                                op.getAxes())
                                .getResult());
      op.erase();
    });
  }
};
} // namespace

void toy::registerLowerToy() { PassRegistration<LowerToy>(); }
