//===- SizeChecks.cpp - Sizes that only the run knows ---------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeChecks.h"

#include "RuntimeCalls.h"

using namespace mlir;
using namespace mlir::comm;

static func::FuncOp getDeclaration(Operation *from, StringRef name,
                                   FunctionType type) {
  auto module = from->getParentOfType<ModuleOp>();
  if (auto found = module.lookupSymbol<func::FuncOp>(name))
    return found;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto declaration = func::FuncOp::create(builder, module.getLoc(), name, type);
  declaration.setPrivate();
  return declaration;
}

static func::CallOp createCheck(OpBuilder &builder, CollectiveOpInterface op,
                                StringRef name, ValueRange operands,
                                TypeRange results, int64_t dim) {
  func::FuncOp declaration = getDeclaration(
      op, name, builder.getFunctionType(TypeRange(operands), results));
  auto call = func::CallOp::create(builder, op.getLoc(), declaration, operands);
  call->setAttr("axes", op.getGroup());
  call->setAttr("dim", builder.getI64IntegerAttr(dim));
  call->setAttr("of", op->getName().getIdentifier());
  call->setAttr(kDetailAttrName, builder.getStringAttr(getSiteDetail(op)));
  return call;
}

void comm::checkDivisible(OpBuilder &builder, CollectiveOpInterface op,
                          Value size, int64_t dim) {
  createCheck(builder, op, kCheckDivisible, size, {}, dim);
}

OpFoldResult comm::divideByGroup(OpBuilder &builder, CollectiveOpInterface op,
                                 OpFoldResult size, int64_t dim) {
  int64_t ranks = comm::getGroupSize(op, op.getGroup());
  // The verifier has checked a static size.
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return builder.getIndexAttr(*known / ranks);
  Value dynamic = cast<Value>(size);
  checkDivisible(builder, op, dynamic, dim);
  Value divisor = arith::ConstantIndexOp::create(builder, op.getLoc(), ranks);
  return arith::DivUIOp::create(builder, op.getLoc(), dynamic, divisor)
      .getResult();
}

Value comm::castChecked(OpBuilder &builder, CollectiveOpInterface op,
                        Value value, RankedTensorType type) {
  Location loc = op.getLoc();
  auto from = cast<RankedTensorType>(value.getType());
  if (from == type)
    return value;
  Value allAsExpected;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!from.isDynamicDim(dim) || type.isDynamicDim(dim))
      continue;
    Value got = tensor::DimOp::create(builder, loc, value, dim);
    Value expected =
        arith::ConstantIndexOp::create(builder, loc, type.getDimSize(dim));
    Value asExpected = createCheck(builder, op, kCheckSize, {got, expected},
                                   builder.getI1Type(), dim)
                           .getResult(0);
    allAsExpected =
        allAsExpected
            ? arith::AndIOp::create(builder, loc, allAsExpected, asExpected)
            : asExpected;
  }
  if (!allAsExpected)
    return tensor::CastOp::create(builder, loc, type, value);
  // A cast alone would let the ops behind it read past the end.
  auto guarded = scf::IfOp::create(
      builder, loc, allAsExpected,
      [&](OpBuilder &then, Location loc) {
        Value cast = tensor::CastOp::create(then, loc, type, value);
        scf::YieldOp::create(then, loc, cast);
      },
      [&](OpBuilder &otherwise, Location loc) {
        SmallVector<Value> sizes;
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          if (type.isDynamicDim(dim))
            sizes.push_back(tensor::DimOp::create(otherwise, loc, value, dim));
        Value empty = tensor::EmptyOp::create(otherwise, loc, type, sizes);
        scf::YieldOp::create(otherwise, loc, empty);
      });
  return guarded.getResult(0);
}
