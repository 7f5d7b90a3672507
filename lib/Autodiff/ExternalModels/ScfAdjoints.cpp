//===- ScfAdjoints.cpp - What the adjoints of scf share -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScfAdjoints.h"
#include "comm/Autodiff/ExternalModels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// KeptSizes
//===----------------------------------------------------------------------===//

void KeptSizes::add(OpBuilder &builder, Value value, KeptValues &kept) {
  auto [entry, isNew] = sizes.try_emplace(value);
  if (!isNew || !isa<RankedTensorType>(value.getType()))
    return;
  entry->second = tensor::getMixedSizes(builder, value.getLoc(), value);
  for (OpFoldResult size : entry->second)
    if (auto dynamic = dyn_cast<Value>(size))
      kept.add(dynamic);
}

Value KeptSizes::emitZero(OpBuilder &builder, const IRMapping &kept,
                          Value value) const {
  SmallVector<OpFoldResult> mapped;
  for (OpFoldResult size : sizes.lookup(value)) {
    auto dynamic = dyn_cast<Value>(size);
    mapped.push_back(dynamic ? OpFoldResult(kept.lookup(dynamic)) : size);
  }
  return comm::emitZero(builder, value.getLoc(), value.getType(), mapped);
}

//===----------------------------------------------------------------------===//
// JointCaptures
//===----------------------------------------------------------------------===//

JointCaptures::JointCaptures(ArrayRef<const BlockAdjoint *> blocks) {
  for (const BlockAdjoint *block : blocks)
    captures.insert_range(block->getCaptures());
}

SmallVector<Value> JointCaptures::select(const BlockAdjoint &block,
                                         ValueRange all) const {
  return llvm::map_to_vector(block.getCaptures(), [&](Value capture) -> Value {
    return all[llvm::find(captures, capture) - captures.begin()];
  });
}

void JointCaptures::scatter(const BlockAdjoint &block, ValueRange values,
                            SmallVectorImpl<Value> &all) const {
  for (auto [capture, value] : llvm::zip_equal(block.getCaptures(), values))
    all[llvm::find(captures, capture) - captures.begin()] = value;
}

void comm::dropUnchangedSums(scf::ForOp loop, unsigned numCarried,
                             MutableArrayRef<Value> results) {
  ValueRange yielded = loop.getYieldedValues();
  for (unsigned i = numCarried; i < results.size(); ++i)
    if (yielded[i] == loop.getRegionIterArg(i))
      results[i] = Value();
}

void comm::registerScfAdjointModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    context->loadDialect<arith::ArithDialect, tensor::TensorDialect>();
    registerScfForAdjointModel(*context);
    registerScfBranchAdjointModels(*context);
    registerScfWhileAdjointModel(*context);
  });
}
