//===- Memory.cpp - Pointers, sizes and strides
//-----------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::cudacpp;

static SmallVector<unsigned> getDynamic(ArrayRef<int64_t> numbers) {
  SmallVector<unsigned> positions;
  for (auto [position, number] : llvm::enumerate(numbers))
    if (ShapedType::isDynamic(number))
      positions.push_back(position);
  return positions;
}

SmallVector<unsigned> cudacpp::getDynamicSizes(MemRefType type) {
  return getDynamic(type.getShape());
}

SmallVector<unsigned> cudacpp::getDynamicStrides(MemRefType type) {
  if (type.getLayout().isIdentity())
    return {};
  return getDynamic(type.getStridesAndOffset().first);
}

static bool isNumber(StringRef text) {
  return llvm::all_of(text, [](char c) { return llvm::isDigit(c); });
}

/// a * b, each a name, a number or a product.
static std::string multiply(const std::string &a, const std::string &b) {
  if (a == "1")
    return b;
  if (b == "1")
    return a;
  if (isNumber(a) && isNumber(b))
    return std::to_string(std::stoll(a) * std::stoll(b));
  return a + " * " + b;
}

static std::string add(const std::string &a, const std::string &b) {
  if (a.empty() || a == "0")
    return b;
  return b.empty() || b == "0" ? a : a + " + " + b;
}

/// The strides of row-major memory.
static SmallVector<std::string> getStrides(ArrayRef<std::string> sizes) {
  SmallVector<std::string> strides(sizes.size());
  std::string stride = "1";
  for (size_t dim = sizes.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride = multiply(sizes[dim], stride);
  }
  return strides;
}

static SmallVector<std::string> toTexts(ArrayRef<int64_t> numbers) {
  return llvm::map_to_vector(
      numbers, [](int64_t number) { return std::to_string(number); });
}

/// Strides where the type knows them, else those of row-major memory.
static SmallVector<std::string> getStrides(MemRefType type,
                                           ArrayRef<std::string> sizes) {
  SmallVector<std::string> strides = getStrides(sizes);
  if (!type.getLayout().isIdentity())
    for (auto [position, known] :
         llvm::enumerate(type.getStridesAndOffset().first))
      if (!ShapedType::isDynamic(known))
        strides[position] = std::to_string(known);
  return strides;
}

void Emitter::bindStatic(Value memref, std::string pointer) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<std::string> sizes = toTexts(type.getShape());
  SmallVector<std::string> strides = getStrides(type, sizes);
  getView(memref) = {std::move(pointer), std::move(sizes), std::move(strides)};
}

SmallVector<std::string> Emitter::bindVariable(Value memref, StringRef name) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<std::string> sizes = toTexts(type.getShape()), variables;
  for (unsigned dim : getDynamicSizes(type)) {
    sizes[dim] = names.make((name + "_size" + Twine(dim)).str());
    variables.push_back(sizes[dim]);
  }
  SmallVector<std::string> strides = getStrides(type, sizes);
  for (unsigned dim : getDynamicStrides(type)) {
    strides[dim] = names.make((name + "_stride" + Twine(dim)).str());
    variables.push_back(strides[dim]);
  }
  getView(memref) = {name.str(), std::move(sizes), std::move(strides)};
  return variables;
}

std::string Emitter::getCount(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.hasStaticShape())
    return std::to_string(type.getNumElements());
  std::string count = "1";
  for (const std::string &size : getView(memref).sizes)
    count = multiply(count, size);
  return count;
}

std::string Emitter::getPointer(Value memref) {
  StringRef pointer = getView(memref).pointer;
  if (pointer.consume_front("("))
    pointer = pointer.drop_back();
  return pointer.str();
}

std::string Emitter::getIndex(OpFoldResult value, Precedence within) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return std::to_string(*constant);
  return get(cast<Value>(value), within);
}

std::string Emitter::getSubscript(Value memref, ValueRange indices) {
  const View &view = getView(memref);
  std::string sum;
  for (auto [index, stride] : llvm::zip_equal(indices, view.strides)) {
    bool isOne = stride == "1";
    sum = add(sum,
              getIndex(index, isOne ? Additive : Multiplicative) == "0"
                  ? ""
                  : multiply(getIndex(index, isOne ? Additive : Multiplicative),
                             stride));
  }
  return sum.empty() ? "0" : sum;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

void Emitter::emitSubView(memref::SubViewOp op) {
  View source = getView(op.getSource());
  View view;
  std::string offset;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (unsigned dim = 0; dim < source.sizes.size(); ++dim) {
    std::string index =
        getIndex(op.getMixedOffsets()[dim],
                 source.strides[dim] == "1" ? Additive : Multiplicative);
    if (index != "0")
      offset = add(offset, multiply(index, source.strides[dim]));
    if (dropped.test(dim))
      continue;
    view.sizes.push_back(getIndex(op.getMixedSizes()[dim], Atomic));
    view.strides.push_back(multiply(getIndex(op.getMixedStrides()[dim], Atomic),
                                    source.strides[dim]));
  }
  view.pointer = source.pointer;
  // An empty one has none.
  if (!offset.empty() && source.pointer != "nullptr")
    view.pointer = "(" + source.pointer + " + " + offset + ")";
  getView(op) = view;
}

/// The same elements with dimensions split or merged.
void Emitter::emitReshape(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  auto type = cast<MemRefType>(result.getType());
  View from = getView(source), to;
  to.pointer = from.pointer;
  if (isa<memref::CastOp>(op)) {
    to.sizes = from.sizes;
    to.strides = from.strides;
  } else if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
    for (const ReassociationIndices &group :
         collapse.getReassociationIndices()) {
      std::string size = "1";
      for (int64_t dim : group)
        size = multiply(size, from.sizes[dim]);
      to.sizes.push_back(size);
      to.strides.push_back(from.strides[group.back()]);
    }
  } else {
    auto expand = cast<memref::ExpandShapeOp>(op);
    to.strides.resize(type.getRank());
    for (OpFoldResult size : expand.getMixedOutputShape())
      to.sizes.push_back(getIndex(size, Atomic));
    for (auto [position, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      std::string stride = from.strides[position];
      for (int64_t dim : llvm::reverse(group)) {
        to.strides[dim] = stride;
        stride = multiply(to.sizes[dim], stride);
      }
    }
  }
  // What the types know is shorter.
  for (auto [position, size] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(size))
      to.sizes[position] = std::to_string(size);
  for (auto [position, stride] :
       llvm::enumerate(type.getStridesAndOffset().first))
    if (!ShapedType::isDynamic(stride))
      to.strides[position] = std::to_string(stride);
  getView(result) = to;
}

void Emitter::emitReinterpret(memref::ReinterpretCastOp op) {
  auto source = cast<MemRefType>(op.getSource().getType());
  // A view's pointer has the offset in it, which this op would not count.
  if (source.getStridesAndOffset().second != 0)
    return fail(op);
  View view;
  std::string offset = getIndex(op.getMixedOffsets()[0], Additive);
  view.pointer = getView(op.getSource()).pointer;
  if (offset != "0" && view.pointer != "nullptr")
    view.pointer = "(" + view.pointer + " + " + offset + ")";
  for (OpFoldResult size : op.getMixedSizes())
    view.sizes.push_back(getIndex(size, Unary));
  for (OpFoldResult stride : op.getMixedStrides())
    view.strides.push_back(getIndex(stride, Unary));
  getView(op) = view;
}

bool Emitter::emitMemory(Operation *op) {
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    emitSubView(view);
  } else if (isa<memref::CastOp, memref::CollapseShapeOp,
                 memref::ExpandShapeOp>(op)) {
    emitReshape(op);
  } else if (auto view = dyn_cast<memref::ReinterpretCastOp>(op)) {
    emitReinterpret(view);
  } else if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
    const View view = getView(metadata.getSource());
    for (auto [result, size] : llvm::zip(metadata.getSizes(), view.sizes))
      set(result, {size, Multiplicative});
    for (auto [result, stride] : llvm::zip(metadata.getStrides(), view.strides))
      set(result, {stride, Multiplicative});
    if (!metadata.getOffset().use_empty())
      return false;
  } else {
    return false;
  }
  return true;
}
