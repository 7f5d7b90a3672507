//===- LinalgContractions.cpp - Adjoints of contractions ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// y = sum_k a·b  =>  ā = sum over what a lacks of ȳ·b, and b̄ likewise. Written
// with permuted indexing maps: nothing is transposed in memory.

#include "LinalgAdjoints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::linalg;

Value comm::emitFilledWithZero(OpBuilder &builder, Location loc, Value empty) {
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(getElementTypeOrSelf(empty.getType())));
  return FillOp::create(builder, loc, zero, empty).getResult(0);
}

/// Whether the body is out + a·b with no more than casts around: the upstream
/// predicate lets any unary op through.
static bool isMultiplyAdd(Block &body) {
  unsigned products = 0, sums = 0;
  for (Operation &op : body.without_terminator()) {
    if (isa<arith::MulFOp>(op))
      ++products;
    else if (isa<arith::AddFOp>(op))
      ++sums;
    else if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      return false;
  }
  return products == 1 && sums == 1;
}

static llvm::BitVector getLoops(AffineMap map) {
  llvm::BitVector loops(map.getNumDims());
  for (AffineExpr result : map.getResults())
    loops.set(cast<AffineDimExpr>(result).getPosition());
  return loops;
}

bool comm::isContraction(LinalgOp op) {
  return op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1 &&
         isMultiplyAdd(*op.getBlock()) && isaContractionOpInterface(op) &&
         llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

bool comm::hasContractionAdjoint(LinalgOp op, unsigned input) {
  if (input > 1 || !isContraction(op))
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  llvm::BitVector result = getLoops(maps[input]);
  llvm::BitVector other = getLoops(maps[1 - input]);
  llvm::BitVector cotangent = getLoops(maps[2]);
  // Each loop of the result is one of an input; the others, at least one, are
  // loops of both inputs.
  llvm::BitVector given = other, summed = other, either = other;
  given |= cotangent;
  either ^= cotangent;
  summed.flip();
  summed |= result;
  summed.flip();
  llvm::BitVector lacking = result;
  lacking.reset(given);
  either.reset(result);
  return lacking.none() && either.none() && summed.any();
}

namespace {
/// A tensor and the loops that index its dimensions.
struct Operand {
  Value tensor;
  SmallVector<unsigned> loops;

  bool has(unsigned loop) const { return llvm::is_contained(loops, loop); }
};
} // namespace

static Operand getOperand(Value tensor, AffineMap map) {
  SmallVector<unsigned> loops;
  for (AffineExpr result : map.getResults())
    loops.push_back(cast<AffineDimExpr>(result).getPosition());
  return {tensor, std::move(loops)};
}

/// The maps of three operands once their loops are called 0, 1, 2, ... in the
/// given order.
static ArrayAttr getRenamedMaps(OpBuilder &builder,
                                ArrayRef<const Operand *> operands,
                                ArrayRef<unsigned> order) {
  SmallVector<AffineMap> maps;
  for (const Operand *operand : operands) {
    SmallVector<AffineExpr> results;
    for (unsigned loop : operand->loops)
      results.push_back(builder.getAffineDimExpr(
          std::distance(order.begin(), llvm::find(order, loop))));
    maps.push_back(
        AffineMap::get(order.size(), 0, results, builder.getContext()));
  }
  return builder.getAffineMapArrayAttr(maps);
}

/// The loops of `operand` that satisfy a predicate.
template <typename Predicate>
static SmallVector<unsigned> filter(const Operand &operand, Predicate keep) {
  return llvm::to_vector(llvm::make_filter_range(operand.loops, keep));
}

/// Emits out += sum lhs·rhs in the most particular op that can say it.
static Value emitContraction(OpBuilder &builder, Location loc, Operand lhs,
                             Operand rhs, const Operand &out) {
  Type type = out.tensor.getType();
  SmallVector<unsigned> batch = filter(
      out, [&](unsigned loop) { return lhs.has(loop) && rhs.has(loop); });
  SmallVector<unsigned> summed =
      filter(lhs, [&](unsigned loop) { return !out.has(loop); });
  SmallVector<unsigned> order(out.loops);
  llvm::append_range(order, summed);

  // Matrix times vector, where no map can be written.
  if (batch.empty() && summed.size() == 1 && out.loops.size() <= 1) {
    if (out.loops.empty())
      return DotOp::create(builder, loc, type, {lhs.tensor, rhs.tensor},
                           out.tensor)
          .getResult(0);
    if (lhs.loops.size() < rhs.loops.size())
      std::swap(lhs, rhs);
    if (lhs.loops.back() == summed[0])
      return MatvecOp::create(builder, loc, type, {lhs.tensor, rhs.tensor},
                              out.tensor)
          .getResult(0);
    return VecmatOp::create(builder, loc, type, {rhs.tensor, lhs.tensor},
                            out.tensor)
        .getResult(0);
  }

  bool isMatmul = summed.size() == 1 && out.loops.size() == batch.size() + 2 &&
                  lhs.loops.size() == batch.size() + 2 &&
                  rhs.loops.size() == batch.size() + 2;
  // The first operand of a product of matrices has the rows of the result.
  if (isMatmul && !lhs.has(out.loops[batch.size()]))
    std::swap(lhs, rhs);
  ArrayAttr maps = getRenamedMaps(builder, {&lhs, &rhs, &out}, order);
  NamedAttribute mapsAttr = builder.getNamedAttr("indexing_maps", maps);
  if (isMatmul && batch.empty())
    return MatmulOp::create(builder, loc, type, {lhs.tensor, rhs.tensor},
                            out.tensor, mapsAttr)
        .getResult(0);
  if (isMatmul && batch.size() == 1 && lhs.loops[0] == batch[0] &&
      rhs.loops[0] == batch[0] && out.loops[0] == batch[0])
    return BatchMatmulOp::create(builder, loc, type, {lhs.tensor, rhs.tensor},
                                 out.tensor, mapsAttr)
        .getResult(0);
  return ContractOp::create(builder, loc, type, {lhs.tensor, rhs.tensor},
                            out.tensor, maps)
      .getResult(0);
}

Value comm::emitContractionAdjoint(OpBuilder &builder, LinalgOp op,
                                   unsigned input, Value other,
                                   Value cotangent) {
  Location loc = op.getLoc();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Operand lhs = getOperand(cotangent, maps[2]);
  Operand rhs = getOperand(other, maps[1 - input]);
  Operand out = getOperand(Value(), maps[input]);

  auto type = cast<RankedTensorType>(op->getOperand(input).getType());
  SmallVector<Value> sizes;
  for (auto [dim, loop] : llvm::enumerate(out.loops)) {
    if (!type.isDynamicDim(dim))
      continue;
    const Operand &source = lhs.has(loop) ? lhs : rhs;
    sizes.push_back(tensor::DimOp::create(
        builder, loc, source.tensor,
        std::distance(source.loops.begin(), llvm::find(source.loops, loop))));
  }
  // The sum is taken in the wider of the two types, as the primal's is.
  Type narrow = type.getElementType();
  Type wide = getElementTypeOrSelf(cotangent.getType());
  if (narrow.getIntOrFloatBitWidth() >= wide.getIntOrFloatBitWidth())
    wide = narrow;
  Value empty = tensor::EmptyOp::create(
      builder, loc, RankedTensorType::get(type.getShape(), wide), sizes);
  out.tensor = emitFilledWithZero(builder, loc, empty);
  Value result = emitContraction(builder, loc, lhs, rhs, out);
  if (wide == narrow)
    return result;
  return arith::TruncFOp::create(builder, loc, type, result);
}
