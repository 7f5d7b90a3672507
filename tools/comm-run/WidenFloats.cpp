//===- WidenFloats.cpp - A program in double precision --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WidenFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::comm::runner;

static bool isNarrow(Type type) {
  return type.isF16() || type.isBF16() || type.isF32();
}

static APFloat widen(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

/// Replaces types and the constants of them. A constant's value is converted
/// before its type is, so none is left to the replacer's own recursion.
static void addReplacements(AttrTypeReplacer &replacer) {
  using AttrResult = std::optional<std::pair<Attribute, WalkResult>>;
  replacer.addReplacement([](FloatType type) -> std::optional<Type> {
    if (!isNarrow(type))
      return std::nullopt;
    return Float64Type::get(type.getContext());
  });
  replacer.addReplacement([](FloatAttr attr) -> AttrResult {
    if (!isNarrow(attr.getType()))
      return std::nullopt;
    return {{FloatAttr::get(Float64Type::get(attr.getContext()),
                            widen(attr.getValue())),
             WalkResult::skip()}};
  });
  replacer.addReplacement([](DenseFPElementsAttr attr) -> AttrResult {
    if (!isNarrow(attr.getElementType()))
      return std::nullopt;
    return {{attr.mapValues(Float64Type::get(attr.getContext()),
                            [](const APFloat &value) {
                              return widen(value).bitcastToAPInt();
                            }),
             WalkResult::skip()}};
  });
}

LogicalResult comm::runner::widenFloats(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    bool isBitPattern = isa<arith::BitcastOp>(op);
    for (NamedAttribute attribute : op->getAttrs())
      if (auto blob = dyn_cast<DenseResourceElementsAttr>(attribute.getValue()))
        isBitPattern |= isNarrow(blob.getElementType());
    if (!isBitPattern)
      return WalkResult::advance();
    op->emitError("cannot be widened to f64, which --check-grad compares with");
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();

  AttrTypeReplacer replacer;
  addReplacements(replacer);
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  module.walk([](Operation *op) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op) ||
        op->getOperand(0).getType() != op->getResult(0).getType())
      return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  });
  return verify(module);
}

FunctionSignature comm::runner::widenFloats(FunctionSignature signature) {
  for (auto *values : {&signature.arguments, &signature.results})
    for (ValueInfo &value : *values)
      if (isFloat(value.type))
        value.type = COMM_F64;
  return signature;
}

RankValues comm::runner::widenFloats(const RankValues &values) {
  RankValues wide = values;
  for (std::vector<HostTensor> &ofRank : wide)
    for (HostTensor &value : ofRank) {
      if (!isFloat(value.getType()))
        continue;
      HostTensor converted(COMM_F64, value.getShape());
      for (int64_t i = 0; i < value.getElementCount(); ++i)
        converted.setDouble(i, value.getDouble(i));
      value = std::move(converted);
    }
  return wide;
}
