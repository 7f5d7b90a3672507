//===- EvaluateArith.cpp - Numbers ----------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;

WorldTensor Evaluator::getConstant(Attribute attribute, Type type) {
  SmallVector<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    llvm::append_range(shape, tensor.getShape());
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(type));
  WorldTensor result(world, shape, isFloat);
  auto fill = [&](int64_t position, Attribute number) {
    for (int64_t rank = 0; rank < world.ranks; ++rank) {
      int64_t at = rank * result.size + position;
      if (auto value = dyn_cast<FloatAttr>(number))
        result.setNumber(at, value.getValueAsDouble());
      else if (auto value = dyn_cast<IntegerAttr>(number))
        result.integers[at] = value.getType().isInteger(1)
                                  ? value.getValue().getZExtValue()
                                  : value.getValue().getSExtValue();
    }
  };
  if (auto elements = dyn_cast<DenseElementsAttr>(attribute))
    for (auto [position, number] :
         llvm::enumerate(elements.getValues<Attribute>()))
      fill(position, number);
  else
    fill(0, attribute);
  return result;
}

/// Whether an order that a predicate accepts; NaNs are unordered.
static bool holds(arith::CmpFPredicate predicate, const WorldTensor &x,
                  int64_t i, const WorldTensor &y, int64_t j) {
  using P = arith::CmpFPredicate;
  bool isUnordered = std::isnan(x.doubles[i]) || std::isnan(y.doubles[j]);
  int order = isUnordered ? 0 : compare(x, i, y, j);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return !isUnordered;
  case P::UNO:
    return isUnordered;
  case P::OEQ:
    return !isUnordered && order == 0;
  case P::ONE:
    return !isUnordered && order != 0;
  case P::OGT:
    return !isUnordered && order > 0;
  case P::OGE:
    return !isUnordered && order >= 0;
  case P::OLT:
    return !isUnordered && order < 0;
  case P::OLE:
    return !isUnordered && order <= 0;
  case P::UEQ:
    return isUnordered || order == 0;
  case P::UNE:
    return isUnordered || order != 0;
  case P::UGT:
    return isUnordered || order > 0;
  case P::UGE:
    return isUnordered || order >= 0;
  case P::ULT:
    return isUnordered || order < 0;
  case P::ULE:
    return isUnordered || order <= 0;
  }
  return false;
}

static bool holds(arith::CmpIPredicate predicate, int64_t x, int64_t y) {
  using P = arith::CmpIPredicate;
  uint64_t u = x, v = y;
  switch (predicate) {
  case P::eq:
    return x == y;
  case P::ne:
    return x != y;
  case P::slt:
    return x < y;
  case P::sle:
    return x <= y;
  case P::sgt:
    return x > y;
  case P::sge:
    return x >= y;
  case P::ult:
    return u < v;
  case P::ule:
    return u <= v;
  case P::ugt:
    return u > v;
  case P::uge:
    return u >= v;
  }
  return false;
}

bool Evaluator::runArith(Operation *op) {
  auto binary = [&](Binary kind) {
    set(op->getResult(0),
        apply(kind, get(op->getOperand(0)), get(op->getOperand(1))));
  };
  auto integers = [&](llvm::function_ref<int64_t(int64_t, int64_t)> function) {
    set(op->getResult(0), applyIntegers(get(op->getOperand(0)),
                                        get(op->getOperand(1)), function));
  };
  auto same = [&] { set(op->getResult(0), get(op->getOperand(0))); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::ConstantOp op) {
        set(op, getConstant(op.getValue(), op.getType()));
        return true;
      })
      .Case([&](arith::AddFOp) { return binary(Binary::Add), true; })
      .Case([&](arith::SubFOp) { return binary(Binary::Subtract), true; })
      .Case([&](arith::MulFOp) { return binary(Binary::Multiply), true; })
      .Case([&](arith::DivFOp) { return binary(Binary::Divide), true; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [&](auto) { return binary(Binary::Maximum), true; })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [&](auto) { return binary(Binary::Minimum), true; })
      .Case([&](arith::NegFOp op) {
        set(op, negate(get(op.getOperand())));
        return true;
      })
      .Case([&](math::AbsFOp op) {
        set(op, absolute(get(op.getOperand())));
        return true;
      })
      .Case([&](math::FmaOp op) {
        set(op, apply(Binary::Add,
                      apply(Binary::Multiply, get(op.getA()), get(op.getB())),
                      get(op.getC())));
        return true;
      })
      .Case([&](math::FPowIOp op) {
        // Small constant exponents only.
        const WorldTensor &exponent = get(op.getRhs());
        WorldTensor one = makeFloat({});
        for (int64_t rank = 0; rank < world.ranks; ++rank)
          one.setNumber(rank, 1);
        WorldTensor x = get(op.getLhs());
        WorldTensor power = apply(Binary::Add, makeFloat(x.shape), one);
        for (int64_t i = 0; i < exponent.getCount(); ++i)
          if (exponent.integers[i] != exponent.integers[0])
            fail(op, "the reference wants one exponent for all");
        for (int64_t i = 0; i < std::abs(exponent.integers[0]); ++i)
          power = apply(Binary::Multiply, power, x);
        if (exponent.integers[0] < 0)
          power = apply(Binary::Divide,
                        apply(Binary::Add, makeFloat(x.shape), one), power);
        set(op, std::move(power));
        return true;
      })
      .Case([&](math::CopySignOp op) {
        // Zero counts as positive: so it is in the inputs.
        WorldTensor size = absolute(get(op.getLhs()));
        WorldTensor minus = negate(size), picks = makeIndex(size.shape);
        const WorldTensor &sign = get(op.getRhs());
        for (int64_t i = 0; i < picks.getCount(); ++i)
          picks.integers[i] = !(sign.doubles[i] < 0);
        set(op, select(picks, size, minus));
        return true;
      })
      .Case([&](arith::SelectOp op) {
        set(op, select(get(op.getCondition()), get(op.getTrueValue()),
                       get(op.getFalseValue())));
        return true;
      })
      .Case([&](arith::CmpFOp op) {
        const WorldTensor &x = get(op.getLhs()), &y = get(op.getRhs());
        WorldTensor z(world, x.size == 1 ? y.shape : x.shape, false);
        for (int64_t k = 0; k < z.getCount(); ++k)
          z.integers[k] =
              holds(op.getPredicate(), x, x.size == z.size ? k : k / z.size, y,
                    y.size == z.size ? k : k / z.size);
        set(op, std::move(z));
        return true;
      })
      .Case([&](arith::CmpIOp op) {
        integers([&](int64_t x, int64_t y) {
          return holds(op.getPredicate(), x, y);
        });
        return true;
      })
      .Case([&](arith::AddIOp) {
        integers([](int64_t x, int64_t y) { return x + y; });
        return true;
      })
      .Case([&](arith::SubIOp) {
        integers([](int64_t x, int64_t y) { return x - y; });
        return true;
      })
      .Case([&](arith::MulIOp) {
        integers([](int64_t x, int64_t y) { return x * y; });
        return true;
      })
      .Case<arith::DivUIOp, arith::DivSIOp>([&](auto) {
        integers([](int64_t x, int64_t y) { return y ? x / y : 0; });
        return true;
      })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) {
        integers([](int64_t x, int64_t y) { return y ? x % y : 0; });
        return true;
      })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>([&](auto) {
        integers([](int64_t x, int64_t y) { return y ? (x + y - 1) / y : 0; });
        return true;
      })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) {
        integers([](int64_t x, int64_t y) { return std::max(x, y); });
        return true;
      })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) {
        integers([](int64_t x, int64_t y) { return std::min(x, y); });
        return true;
      })
      .Case([&](arith::AndIOp) {
        integers([](int64_t x, int64_t y) { return x & y; });
        return true;
      })
      .Case([&](arith::OrIOp) {
        integers([](int64_t x, int64_t y) { return x | y; });
        return true;
      })
      .Case([&](arith::XOrIOp) {
        integers([](int64_t x, int64_t y) { return x ^ y; });
        return true;
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp, arith::ExtFOp,
            arith::TruncFOp>([&](auto) { return same(), true; })
      .Case<arith::SIToFPOp, arith::UIToFPOp>([&](auto op) {
        const WorldTensor &x = get(op.getOperand());
        WorldTensor y = makeFloat(x.shape);
        for (int64_t i = 0; i < x.getCount(); ++i)
          y.setNumber(i, x.integers[i]);
        set(op, std::move(y));
        return true;
      })
      .Default([](Operation *) { return false; });
}
