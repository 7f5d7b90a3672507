//===- TensorAdjoints.cpp - Adjoints of the tensor ops --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "comm/Autodiff/ExternalModels.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::comm;

static SmallVector<OpFoldResult> repeat(OpBuilder &builder, int64_t value,
                                        int64_t count) {
  return SmallVector<OpFoldResult>(count, builder.getIndexAttr(value));
}

/// Residuals of the operands from `begin` on: offsets, sizes, indices.
static SmallVector<Residual> readOperandsFrom(Operation *op, unsigned begin) {
  SmallVector<Residual> residuals;
  for (unsigned index = begin; index < op->getNumOperands(); ++index)
    residuals.push_back(Residual::operand(index));
  return residuals;
}

static SmallVector<Value> getOperandsFrom(Operation *op, const Primals &primals,
                                          unsigned begin) {
  SmallVector<Value> values;
  for (unsigned index = begin; index < op->getNumOperands(); ++index)
    values.push_back(primals.getOperand(index));
  return values;
}

/// The constants of `statics`, and in the place of its dynamic ones the
/// operands from `next` on, which is moved past them.
static SmallVector<OpFoldResult> getMixed(OpBuilder &builder,
                                          const Primals &primals,
                                          ArrayRef<int64_t> statics,
                                          unsigned &next) {
  SmallVector<OpFoldResult> mixed;
  for (int64_t value : statics)
    if (ShapedType::isDynamic(value))
      mixed.push_back(primals.getOperand(next++));
    else
      mixed.push_back(builder.getIndexAttr(value));
  return mixed;
}

/// No cotangent is needed for what has no elements, and upstream refuses a
/// slice of none: its offsets are out of bounds.
static bool isEmpty(Type type) {
  return llvm::is_contained(cast<RankedTensorType>(type).getShape(), 0);
}

static OpFoldResult emitSum(OpBuilder &builder, Location loc, OpFoldResult lhs,
                            OpFoldResult rhs) {
  std::optional<int64_t> left = getConstantIntValue(lhs);
  std::optional<int64_t> right = getConstantIntValue(rhs);
  if (left && right)
    return builder.getIndexAttr(*left + *right);
  return arith::AddIOp::create(
             builder, loc, getValueOrCreateConstantIndexOp(builder, loc, lhs),
             getValueOrCreateConstantIndexOp(builder, loc, rhs))
      .getResult();
}

/// The sum of all elements, as a scalar. Types narrower than f32 are summed in
/// f32: 4096 ones add up to 2048 in f16 and to 256 in bf16.
static Value emitSumOfElements(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto element = cast<FloatType>(type.getElementType());
  bool narrow = element.getWidth() < 32;
  FloatType wide = narrow ? builder.getF32Type() : element;
  if (type.getRank() == 0)
    return tensor::ExtractOp::create(builder, loc, tensor, ValueRange());
  if (narrow)
    tensor = arith::ExtFOp::create(builder, loc, type.clone(wide), tensor);
  Value zero = emitZero(builder, loc, RankedTensorType::get({}, wide));
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  Value sum =
      linalg::ReduceOp::create(
          builder, loc, tensor, zero, dims,
          [](OpBuilder &nested, Location nestedLoc, ValueRange elements) {
            Value added = arith::AddFOp::create(nested, nestedLoc, elements[0],
                                                elements[1]);
            linalg::YieldOp::create(nested, nestedLoc, added);
          })
          .getResult(0);
  sum = tensor::ExtractOp::create(builder, loc, sum, ValueRange());
  if (narrow)
    sum = arith::TruncFOp::create(builder, loc, element, sum);
  return sum;
}

namespace {

// y = x in another shape or with other static sizes  =>  x̄ = ȳ in x's
struct Cast : LinearModel<Cast, tensor::CastOp> {
  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &, ValueRange cotangents) const {
    return {tensor::CastOp::create(builder, op->getLoc(),
                                   op->getOperand(0).getType(), cotangents[0])};
  }
};

// y = expand x  =>  x̄ = collapse ȳ
struct ExpandShape : LinearModel<ExpandShape, tensor::ExpandShapeOp> {
  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &, ValueRange cotangents) const {
    auto expand = cast<tensor::ExpandShapeOp>(op);
    SmallVector<Value> adjoints(op->getNumOperands());
    adjoints[0] = tensor::CollapseShapeOp::create(
        builder, op->getLoc(), expand.getSrcType(), cotangents[0],
        expand.getReassociationIndices());
    return adjoints;
  }
};

// y = collapse x  =>  x̄ = expand ȳ
struct CollapseShape : LinearModel<CollapseShape, tensor::CollapseShapeOp> {
  SmallVector<Residual> getResiduals(Operation *,
                                     const llvm::BitVector &) const {
    return {Residual::operandSizes(0)};
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    return {tensor::ExpandShapeOp::create(builder, op->getLoc(),
                                          collapse.getSrcType(), cotangents[0],
                                          collapse.getReassociationIndices(),
                                          primals.getOperandSizes(builder, 0))};
  }
};

// y = reshape x  =>  x̄ = reshape ȳ to the sizes of x
struct Reshape : LinearModel<Reshape, tensor::ReshapeOp> {
  SmallVector<Residual> getResiduals(Operation *,
                                     const llvm::BitVector &) const {
    return {Residual::operandSizes(0)};
  }

  LogicalResult verifyAdjoint(Operation *op, const llvm::BitVector &) const {
    if (isa<RankedTensorType>(op->getOperand(0).getType()))
      return success();
    return op->emitOpError("of an unranked tensor has no adjoint");
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    auto shapeType =
        RankedTensorType::get({type.getRank()}, builder.getIndexType());
    Value shape;
    if (type.hasStaticShape()) {
      shape = arith::ConstantOp::create(
          builder, loc, DenseIntElementsAttr::get(shapeType, type.getShape()));
    } else {
      shape = tensor::FromElementsOp::create(
          builder, loc, shapeType,
          getValueOrCreateConstantIndexOp(builder, loc,
                                          primals.getOperandSizes(builder, 0)));
    }
    return {tensor::ReshapeOp::create(builder, loc, type, cotangents[0], shape),
            Value()};
  }
};

// y = x[slice]  =>  x̄ = ȳ inserted into zeros
struct ExtractSlice : LinearModel<ExtractSlice, tensor::ExtractSliceOp> {
  SmallVector<Residual> getResiduals(Operation *op,
                                     const llvm::BitVector &) const {
    SmallVector<Residual> residuals = readOperandsFrom(op, 1);
    residuals.push_back(Residual::operandSizes(0));
    return residuals;
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    Location loc = op->getLoc();
    unsigned next = 1;
    auto offsets = getMixed(builder, primals, slice.getStaticOffsets(), next);
    auto sizes = getMixed(builder, primals, slice.getStaticSizes(), next);
    auto strides = getMixed(builder, primals, slice.getStaticStrides(), next);
    Value zeros = emitZero(builder, loc, slice.getSourceType(),
                           primals.getOperandSizes(builder, 0));
    SmallVector<Value> adjoints(op->getNumOperands());
    adjoints[0] = tensor::InsertSliceOp::create(builder, loc, cotangents[0],
                                                zeros, offsets, sizes, strides);
    return adjoints;
  }
};

// z = y with x at [slice]  =>  x̄ = z̄[slice], ȳ = z̄ with zeros at [slice]
struct InsertSlice : LinearModel<InsertSlice, tensor::InsertSliceOp> {
  SmallVector<Residual> getResiduals(Operation *op,
                                     const llvm::BitVector &wanted) const {
    SmallVector<Residual> residuals = readOperandsFrom(op, 2);
    if (wanted.test(1))
      residuals.push_back(Residual::operandSizes(0));
    return residuals;
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    auto slice = cast<tensor::InsertSliceOp>(op);
    Location loc = op->getLoc();
    unsigned next = 2;
    auto offsets = getMixed(builder, primals, slice.getStaticOffsets(), next);
    auto sizes = getMixed(builder, primals, slice.getStaticSizes(), next);
    auto strides = getMixed(builder, primals, slice.getStaticStrides(), next);
    SmallVector<Value> adjoints(op->getNumOperands());
    if (primals.isWanted(0))
      adjoints[0] = tensor::ExtractSliceOp::create(
          builder, loc, slice.getSourceType(), cotangents[0], offsets, sizes,
          strides);
    if (primals.isWanted(1)) {
      Value zeros = emitZero(builder, loc, slice.getSourceType(),
                             primals.getOperandSizes(builder, 0));
      adjoints[1] = tensor::InsertSliceOp::create(
          builder, loc, zeros, cotangents[0], offsets, sizes, strides);
    }
    return adjoints;
  }
};

// y = x within a border  =>  x̄ = ȳ without its border
struct Pad : LinearModel<Pad, tensor::PadOp> {
  SmallVector<Residual> getResiduals(Operation *op,
                                     const llvm::BitVector &) const {
    SmallVector<Residual> residuals = readOperandsFrom(op, 1);
    residuals.push_back(Residual::operandSizes(0));
    return residuals;
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    auto pad = cast<tensor::PadOp>(op);
    unsigned next = 1;
    SmallVector<Value> adjoints(op->getNumOperands());
    if (isEmpty(pad.getSourceType()))
      return adjoints;
    adjoints[0] = tensor::ExtractSliceOp::create(
        builder, op->getLoc(), pad.getSourceType(), cotangents[0],
        getMixed(builder, primals, pad.getStaticLow(), next),
        primals.getOperandSizes(builder, 0),
        repeat(builder, 1, pad.getSourceType().getRank()));
    return adjoints;
  }

  // ẏ = ẋ within a border of zeros
  std::optional<SmallVector<Value>> emitTangent(Operation *op,
                                                OpBuilder &builder,
                                                const Primals &primals,
                                                ValueRange tangents) const {
    Value padded = emitLinearTangent(builder, op, primals, tangents)[0];
    Operation *yield =
        padded.getDefiningOp<tensor::PadOp>().getBody()->getTerminator();
    OpBuilder nested(yield);
    yield->setOperand(
        0, emitZero(nested, op->getLoc(), yield->getOperand(0).getType()));
    return SmallVector<Value>{padded};
  }
};

// y = [x_1, x_2, ...]  =>  x̄_i = the i-th part of ȳ
struct Concat : LinearModel<Concat, tensor::ConcatOp> {
  SmallVector<Residual> getResiduals(Operation *op,
                                     const llvm::BitVector &) const {
    SmallVector<Residual> residuals;
    for (unsigned index = 0; index < op->getNumOperands(); ++index)
      residuals.push_back(Residual::operandSizes(index));
    return residuals;
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    auto concat = cast<tensor::ConcatOp>(op);
    Location loc = op->getLoc();
    int64_t rank = concat.getRank();
    SmallVector<OpFoldResult> offsets = repeat(builder, 0, rank);
    SmallVector<OpFoldResult> strides = repeat(builder, 1, rank);
    SmallVector<Value> adjoints(op->getNumOperands());
    for (auto [index, input] : llvm::enumerate(concat.getInputs())) {
      SmallVector<OpFoldResult> sizes = primals.getOperandSizes(builder, index);
      if (primals.isWanted(index) && !isEmpty(input.getType()))
        adjoints[index] = tensor::ExtractSliceOp::create(
            builder, loc, cast<RankedTensorType>(input.getType()),
            cotangents[0], offsets, sizes, strides);
      OpFoldResult &offset = offsets[concat.getDim()];
      offset = emitSum(builder, loc, offset, sizes[concat.getDim()]);
    }
    return adjoints;
  }
};

// y_i = s for all i  =>  s̄ = sum_i ȳ_i
struct Splat : LinearModel<Splat, tensor::SplatOp> {
  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &, ValueRange cotangents) const {
    SmallVector<Value> adjoints(op->getNumOperands());
    adjoints[0] = emitSumOfElements(builder, op->getLoc(), cotangents[0]);
    return adjoints;
  }
};

// s = x[i]  =>  x̄ = s̄ at i, zeros elsewhere
struct Extract : LinearModel<Extract, tensor::ExtractOp> {
  SmallVector<Residual> getResiduals(Operation *op,
                                     const llvm::BitVector &) const {
    SmallVector<Residual> residuals = readOperandsFrom(op, 1);
    residuals.push_back(Residual::operandSizes(0));
    return residuals;
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    Location loc = op->getLoc();
    Value zeros = emitZero(builder, loc, op->getOperand(0).getType(),
                           primals.getOperandSizes(builder, 0));
    SmallVector<Value> adjoints(op->getNumOperands());
    adjoints[0] = tensor::InsertOp::create(builder, loc, cotangents[0], zeros,
                                           getOperandsFrom(op, primals, 1));
    return adjoints;
  }
};

// y = x with s at i  =>  s̄ = ȳ[i], x̄ = ȳ with 0 at i
struct Insert : LinearModel<Insert, tensor::InsertOp> {
  SmallVector<Residual> getResiduals(Operation *op,
                                     const llvm::BitVector &) const {
    return readOperandsFrom(op, 2);
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    Location loc = op->getLoc();
    SmallVector<Value> indices = getOperandsFrom(op, primals, 2);
    SmallVector<Value> adjoints(op->getNumOperands());
    if (primals.isWanted(0))
      adjoints[0] =
          tensor::ExtractOp::create(builder, loc, cotangents[0], indices);
    if (primals.isWanted(1)) {
      Value zero = emitZero(builder, loc, op->getOperand(0).getType());
      adjoints[1] =
          tensor::InsertOp::create(builder, loc, zero, cotangents[0], indices);
    }
    return adjoints;
  }
};

// y = [s_1, s_2, ...]  =>  s̄_i = ȳ[i]
struct FromElements : LinearModel<FromElements, tensor::FromElementsOp> {
  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    Location loc = op->getLoc();
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(op->getResult(0).getType()).getShape();
    SmallVector<Value> adjoints(op->getNumOperands());
    for (unsigned element = 0; element < op->getNumOperands(); ++element) {
      if (!primals.isWanted(element))
        continue;
      SmallVector<Value> indices(shape.size());
      int64_t rest = element;
      for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
        indices[dim] =
            arith::ConstantIndexOp::create(builder, loc, rest % shape[dim]);
        rest /= shape[dim];
      }
      adjoints[element] =
          tensor::ExtractOp::create(builder, loc, cotangents[0], indices);
    }
    return adjoints;
  }
};

} // namespace

void comm::registerTensorAdjointModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    context->loadDialect<arith::ArithDialect, linalg::LinalgDialect>();
    attachAdjointModels<Cast, ExpandShape, CollapseShape, Reshape, ExtractSlice,
                        InsertSlice, Pad, Concat, Splat, Extract, Insert,
                        FromElements>(context);
  });
}
