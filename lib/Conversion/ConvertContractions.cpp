//===- ConvertContractions.cpp - Contractions become gemm calls -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "RuntimeCalls.h"
#include "comm/Conversion/Passes.h"

namespace mlir::comm {
#define GEN_PASS_DEF_CONVERTCONTRACTIONS
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;
using linalg::LinalgOp;

namespace {

/// A loop of the contraction, or several that step through memory as one.
struct Dim {
  OpFoldResult size;
  /// Elements from one iteration to the next in A, B and C; null where the
  /// operand does not depend on the loop.
  std::array<OpFoldResult, 3> strides;
};

/// The loops of a contraction, by what they index: batch A, B and C; m A and C;
/// n B and C; k A and B. Each list from the outermost loop to the innermost.
struct Loops {
  SmallVector<Dim> batch, m, n, k;
};

/// A matrix as gemm sees it.
struct Matrix {
  bool transposed;
  OpFoldResult leading;
};

class ContractionConverter {
public:
  ContractionConverter(LinalgOp op, RuntimeCalls &runtime)
      : op(op), runtime(runtime), builder(op), loc(op.getLoc()) {}

  /// Leaves the op alone if BLAS cannot express it.
  void convert();

private:
  bool isOfOneFloat();
  void readOperands();
  FailureOr<Loops> getLoops();
  Dim getDim(unsigned loop);
  SmallVector<Dim> merge(ArrayRef<unsigned> loops);
  bool areAdjacent(const Dim &outer, const Dim &inner, unsigned outerLoop,
                   unsigned innerLoop);
  bool takeZeroFill();
  void call(const Dim &batch, const Dim &m, const Dim &n, const Dim &k,
            ArrayRef<Dim> outer, const Matrix &a, const Matrix &b,
            const Matrix &c);
  OpFoldResult multiply(OpFoldResult a, OpFoldResult b);
  Value toI64(OpFoldResult value);
  bool hasContext();
  Value getPointer(Value memref);

  LinalgOp op;
  RuntimeCalls &runtime;
  OpBuilder builder;
  Location loc;
  std::array<Value, 3> operands;
  std::array<SmallVector<OpFoldResult>, 3> sizes, strides;
  std::array<AffineMap, 3> maps;
};

} // namespace

static bool isOne(OpFoldResult value) { return isConstantIntValue(value, 1); }

/// A dimension that an operand does not have: one iteration.
static Dim getNoDim(Builder &builder) {
  return {builder.getIndexAttr(1),
          {OpFoldResult(), OpFoldResult(), OpFoldResult()}};
}

/// How gemm sees operand `position` as rows times columns, if it can.
static std::optional<Matrix> getMatrix(Builder &builder, const Dim &rows,
                                       const Dim &columns, unsigned position) {
  OpFoldResult rowStride = rows.strides[position];
  OpFoldResult columnStride = columns.strides[position];
  // One row or column can step as it likes.
  bool oneRow = !rowStride || isOne(rows.size);
  bool oneColumn = !columnStride || isOne(columns.size);
  auto leading = [&](bool isFree, OpFoldResult stride) {
    return isFree ? OpFoldResult(builder.getIndexAttr(1)) : stride;
  };
  if (oneColumn || isOne(columnStride))
    return Matrix{false, leading(oneRow, rowStride)};
  if (oneRow || isOne(rowStride))
    return Matrix{true, leading(oneColumn, columnStride)};
  return std::nullopt;
}

bool ContractionConverter::isOfOneFloat() {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || !linalg::isaContractionOpInterface(op))
    return false;
  Type element = getElementTypeOrSelf(op.getDpsInitOperand(0)->get());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element) &&
         llvm::all_of(op.getDpsInputs(), [&](Value input) {
           // A number in place of a matrix is left to loops.
           return isa<MemRefType>(input.getType()) &&
                  getElementTypeOrSelf(input) == element;
         });
}

void ContractionConverter::readOperands() {
  for (unsigned i = 0; i < 3; ++i) {
    operands[i] = op->getOperand(i);
    maps[i] = op.getMatchingIndexingMap(&op->getOpOperand(i));
    auto type = cast<MemRefType>(operands[i].getType());
    auto [staticStrides, offset] = type.getStridesAndOffset();
    memref::ExtractStridedMetadataOp metadata;
    auto dynamic = [&]() {
      if (!metadata)
        metadata =
            memref::ExtractStridedMetadataOp::create(builder, loc, operands[i]);
      return metadata;
    };
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      sizes[i].push_back(type.isDynamicDim(dim)
                             ? OpFoldResult(memref::DimOp::create(
                                                builder, loc, operands[i], dim)
                                                .getResult())
                             : builder.getIndexAttr(type.getDimSize(dim)));
      strides[i].push_back(ShapedType::isDynamic(staticStrides[dim])
                               ? OpFoldResult(dynamic().getStrides()[dim])
                               : builder.getIndexAttr(staticStrides[dim]));
    }
  }
}

/// The dimension of an operand that a loop indexes.
static std::optional<unsigned> getPosition(AffineMap map, unsigned loop) {
  return map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
}

Dim ContractionConverter::getDim(unsigned loop) {
  Dim dim;
  for (unsigned i = 0; i < 3; ++i) {
    std::optional<unsigned> position = getPosition(maps[i], loop);
    if (!position)
      continue;
    dim.strides[i] = strides[i][*position];
    // A static size where any operand knows it.
    if (!dim.size || !getConstantIntValue(dim.size))
      dim.size = sizes[i][*position];
  }
  return dim;
}

/// Whether one step of `outer` is a whole run of `inner` in every operand.
bool ContractionConverter::areAdjacent(const Dim &outer, const Dim &inner,
                                       unsigned outerLoop, unsigned innerLoop) {
  for (unsigned i = 0; i < 3; ++i) {
    if (!outer.strides[i])
      continue;
    std::optional<int64_t> outerStride = getConstantIntValue(outer.strides[i]);
    std::optional<int64_t> innerStride = getConstantIntValue(inner.strides[i]);
    std::optional<int64_t> innerSize = getConstantIntValue(inner.size);
    if (outerStride && innerStride && innerSize) {
      if (*outerStride != *innerStride * *innerSize)
        return false;
      continue;
    }
    // Dynamic sizes: by construction, in row-major memory.
    auto type = cast<MemRefType>(operands[i].getType());
    if (!type.getLayout().isIdentity() ||
        *getPosition(maps[i], outerLoop) + 1 !=
            *getPosition(maps[i], innerLoop))
      return false;
  }
  return true;
}

OpFoldResult ContractionConverter::multiply(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> staticA = getConstantIntValue(a);
  std::optional<int64_t> staticB = getConstantIntValue(b);
  if (staticA && staticB)
    return builder.getIndexAttr(*staticA * *staticB);
  return arith::MulIOp::create(builder, loc,
                               getValueOrCreateConstantIndexOp(builder, loc, a),
                               getValueOrCreateConstantIndexOp(builder, loc, b))
      .getResult();
}

/// The loops of one kind, those that step as one merged.
SmallVector<Dim> ContractionConverter::merge(ArrayRef<unsigned> loops) {
  SmallVector<Dim> merged;
  std::optional<unsigned> previous;
  for (unsigned loop : loops) {
    Dim dim = getDim(loop);
    if (isOne(dim.size))
      continue;
    // Only the last loop of a merged one is compared: its stride is the step.
    if (previous && areAdjacent(getDim(*previous), dim, *previous, loop)) {
      OpFoldResult size = multiply(merged.back().size, dim.size);
      merged.back() = dim;
      merged.back().size = size;
    } else {
      merged.push_back(dim);
    }
    previous = loop;
  }
  return merged;
}

FailureOr<Loops> ContractionConverter::getLoops() {
  SmallVector<unsigned> batch, m, n, k;
  for (AffineMap map : maps)
    if (!map.isProjectedPermutation())
      return failure();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool inA = getPosition(maps[0], loop).has_value();
    bool inB = getPosition(maps[1], loop).has_value();
    bool inC = getPosition(maps[2], loop).has_value();
    if (inA && inB && inC)
      batch.push_back(loop);
    else if (inA && inC)
      m.push_back(loop);
    else if (inB && inC)
      n.push_back(loop);
    else if (inA && inB)
      k.push_back(loop);
    else
      return failure();
  }
  return Loops{merge(batch), merge(m), merge(n), merge(k)};
}

/// A fill with zeros right before the op need not be done.
bool ContractionConverter::takeZeroFill() {
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(before);
    if (fill && fill.getOutputs()[0] == operands[2]) {
      if (!matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
        return false;
      fill.erase();
      return true;
    }
    if (!isMemoryEffectFree(before) && !isa<memref::AllocOp>(before))
      return false;
  }
  return false;
}

Value ContractionConverter::toI64(OpFoldResult value) {
  if (!value)
    return runtime.getI64(builder, loc, 0);
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return runtime.getI64(builder, loc, *constant);
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                    cast<Value>(value));
}

/// Whether the function has the calling convention of docs/Runtime.md; else a
/// text is made of it (CudaCpp.h), with no context.
bool ContractionConverter::hasContext() {
  auto function = op->getParentOfType<func::FuncOp>();
  return function.getNumArguments() != 0 &&
         isa<LLVM::LLVMPointerType>(function.getArgument(0).getType());
}

Value ContractionConverter::getPointer(Value memref) {
  if (hasContext())
    return runtime.getPointer(builder, loc, memref);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return UnrealizedConversionCastOp::create(builder, loc, pointer, memref)
      .getResult(0);
}

void ContractionConverter::call(const Dim &batch, const Dim &m, const Dim &n,
                                const Dim &k, ArrayRef<Dim> outer,
                                const Matrix &a, const Matrix &b,
                                const Matrix &c) {
  bool startsAtZero = outer.empty() && takeZeroFill();
  Type element = cast<MemRefType>(operands[2].getType()).getElementType();
  std::array<Value, 3> pointers;
  for (unsigned i = 0; i < 3; ++i)
    pointers[i] = getPointer(operands[i]);

  // Loops around the call move the pointers.
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  for (const Dim &dim : outer) {
    Value size = getValueOrCreateConstantIndexOp(builder, loc, dim.size);
    auto loop = scf::ForOp::create(builder, loc, zero, size, one);
    builder.setInsertionPointToStart(loop.getBody());
    Value step = toI64(loop.getInductionVar());
    for (unsigned i = 0; i < 3; ++i) {
      if (!dim.strides[i])
        continue;
      Value offset =
          arith::MulIOp::create(builder, loc, step, toI64(dim.strides[i]));
      pointers[i] = LLVM::GEPOp::create(builder, loc, pointers[i].getType(),
                                        element, pointers[i], offset);
    }
  }
  Value context =
      hasContext() ? comm::getContext(op)
                   : LLVM::ZeroOp::create(builder, loc, pointers[0].getType());
  auto flag = [&](bool value) { return runtime.getI32(builder, loc, value); };
  runtime.call(builder, loc, "commGemm",
               {context, runtime.getDataType(builder, loc, element),
                flag(a.transposed), flag(b.transposed), toI64(batch.size),
                toI64(m.size), toI64(n.size), toI64(k.size), pointers[0],
                toI64(a.leading), toI64(batch.strides[0]), pointers[1],
                toI64(b.leading), toI64(batch.strides[1]), flag(!startsAtZero),
                pointers[2], toI64(c.leading), toI64(batch.strides[2]),
                runtime.getSite(builder, op)});
  op->erase();
}

void ContractionConverter::convert() {
  if (!isOfOneFloat())
    return;
  readOperands();
  FailureOr<Loops> loops = getLoops();
  if (failed(loops))
    return;

  // One loop of each kind is gemm's, the innermost that fits; the others stand
  // around it.
  Dim none = getNoDim(builder);
  auto orNone = [&](SmallVector<Dim> dims) {
    return dims.empty() ? SmallVector<Dim>{none} : dims;
  };
  SmallVector<Dim> ms = orNone(loops->m), ns = orNone(loops->n),
                   ks = orNone(loops->k), batches = orNone(loops->batch);
  for (auto [mi, m] : llvm::enumerate(llvm::reverse(ms)))
    for (auto [ni, n] : llvm::enumerate(llvm::reverse(ns)))
      for (auto [ki, k] : llvm::enumerate(llvm::reverse(ks))) {
        std::optional<Matrix> a = getMatrix(builder, m, k, 0);
        std::optional<Matrix> b = getMatrix(builder, k, n, 1);
        std::optional<Matrix> c = getMatrix(builder, m, n, 2);
        if (!a || !b || !c)
          continue;
        SmallVector<Dim> outer(llvm::drop_end(batches));
        auto addOthers = [&](ArrayRef<Dim> dims, size_t fromLast) {
          for (auto [position, dim] : llvm::enumerate(dims))
            if (position + fromLast + 1 != dims.size())
              outer.push_back(dim);
        };
        addOthers(ms, mi);
        addOthers(ns, ni);
        addOthers(ks, ki);
        if (!c->transposed)
          return call(batches.back(), m, n, k, outer, *a, *b, *c);
        // C^T = B^T A^T
        std::swap(operands[0], operands[1]);
        auto swapped = [](Dim dim) {
          std::swap(dim.strides[0], dim.strides[1]);
          return dim;
        };
        SmallVector<Dim> outerSwapped = llvm::map_to_vector(outer, swapped);
        return call(swapped(batches.back()), swapped(n), swapped(m), swapped(k),
                    outerSwapped, {!b->transposed, b->leading},
                    {!a->transposed, a->leading}, {false, c->leading});
      }
}

namespace {
struct ConvertContractions
    : comm::impl::ConvertContractionsBase<ConvertContractions> {
  void runOnOperation() override {
    RuntimeCalls runtime(getOperation());
    SmallVector<LinalgOp> ops;
    // What looks like a contraction in a kernel, which has no context, has been
    // fused: a product that is summed.
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!isKernel(function))
        function.walk([&](LinalgOp op) { ops.push_back(op); });
    for (LinalgOp op : ops)
      ContractionConverter(op, runtime).convert();
  }
};
} // namespace
