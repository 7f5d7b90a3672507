//===- Outliner.cpp - One group of ops becomes a kernel -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outliner.h"

using namespace mlir;
using namespace mlir::comm;
using linalg::LinalgOp;

// Marks what follows in a key.
namespace {
enum KeyWord : uintptr_t {
  KeyDestination,
  KeyNumber,
  KeyInput,
  KeyFree,
  KeyOp,
  KeyRegion
};
} // namespace

/// Whether the op looks at the elements of its operand `init`.
static bool readsInit(OpOperand &init) {
  auto linalgOp = dyn_cast<LinalgOp>(init.getOwner());
  return !linalgOp || linalgOp.payloadUsesValueFromOperand(&init);
}

//===----------------------------------------------------------------------===//
// Destinations
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> Outliner::getSizes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.hasStaticShape())
    return getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  Operation *op = value.getDefiningOp();
  if (op) {
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return empty.getMixedSizes();
    if (OpOperand *init = getInit(cast<OpResult>(value)))
      return getSizes(init->get());
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return expand.getMixedOutputShape();
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      SmallVector<OpFoldResult> sizes;
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
        if (!dropped[dim])
          sizes.push_back(size);
      return sizes;
    }
    if (isInside(value)) {
      // A cast, a collapse or an op on elements: of its operand's sizes.
      Value source = *llvm::find_if(op->getOperands(), [](Value operand) {
        return isa<RankedTensorType>(operand.getType());
      });
      SmallVector<OpFoldResult> from = getSizes(source);
      if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
        SmallVector<OpFoldResult> sizes;
        for (ReassociationIndices &dims : collapse.getReassociationIndices()) {
          OpFoldResult size = from[dims[0]];
          for (int64_t dim : llvm::drop_begin(dims))
            size = arith::MulIOp::create(
                       builder, loc,
                       getValueOrCreateConstantIndexOp(builder, loc, size),
                       getValueOrCreateConstantIndexOp(builder, loc, from[dim]))
                       .getResult();
          sizes.push_back(size);
        }
        return sizes;
      }
      return from;
    }
  }
  return tensor::getMixedSizes(builder, loc, value);
}

SmallVector<Value> Outliner::getDynamicSizes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.hasStaticShape())
    return {};
  SmallVector<Value> dynamic;
  for (auto [dim, size] : llvm::enumerate(getSizes(value)))
    if (type.isDynamicDim(dim))
      dynamic.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  return dynamic;
}

/// Whether the memory of the value is its own, and nobody reads it after this
/// group.
bool Outliner::diesHere(Value value) {
  Block *block = root->getBlock();
  if (value.getParentBlock() != block)
    return false;
  if (Operation *op = value.getDefiningOp()) {
    if (isView(op) || isFree(op) || isa<arith::ConstantOp>(op))
      return false;
  } else if (isa<func::FuncOp>(block->getParentOp())) {
    return false;
  }
  return llvm::all_of(value.getUsers(),
                      [&](Operation *user) { return members.contains(user); });
}

/// Whether all that the group computes from an element of the value are
/// elements at the same index. (Bufferization proves it again, and would copy.)
bool Outliner::isReadWhereWritten(Value value) {
  DenseSet<Value> computed{value};
  for (Operation *op : group.ops) {
    auto isComputed = [&](Value operand) { return computed.contains(operand); };
    if (llvm::none_of(op->getOperands(), isComputed))
      continue;
    auto linalgOp = dyn_cast<LinalgOp>(op);
    if (!linalgOp || linalgOp.getNumParallelLoops() != linalgOp.getNumLoops())
      return false;
    for (OpOperand &operand : op->getOpOperands())
      if ((isComputed(operand.get()) || linalgOp.isDpsInit(&operand)) &&
          !linalgOp.getMatchingIndexingMap(&operand).isIdentity())
        return false;
    computed.insert(op->result_begin(), op->result_end());
  }
  return true;
}

/// A value of this type whose memory the root may overwrite with a result; null
/// where there is none.
Value Outliner::findDeadInput(Type type) {
  for (Operation *op : group.ops)
    for (Value value : op->getOperands())
      if (value.getType() == type && !isInside(value) &&
          !overwritten.contains(value) && diesHere(value) &&
          isReadWhereWritten(value))
        return value;
  return {};
}

/// What `result` of the root is written to: a value from outside where the
/// kernel goes on from its elements, or needs them no more; else an empty
/// tensor.
Value Outliner::findDestination(OpResult result) {
  unsigned number = result.getResultNumber();
  auto overwrite = [&](Value value) {
    if (overwritten.insert({value, number}).second) {
      numbers[value] = nextNumber++;
      key.push_back(KeyDestination);
      key.push_back(number);
    }
    return value;
  };
  OpOperand *init = getInit(result);
  while (init) {
    Value value = init->get();
    Operation *op = value.getDefiningOp();
    bool isRead = readsInit(*init);
    if (!isRead || (op && isFree(op))) {
      destinationOf[init] = number;
      break;
    }
    if (isInside(value)) {
      init = value.hasOneUse() ? getInit(cast<OpResult>(value)) : nullptr;
      continue;
    }
    destinationOf[init] = number;
    return overwrite(value);
  }
  if (init && init->getOwner() == root && !readsInit(*init))
    if (Value input = findDeadInput(result.getType()))
      return overwrite(input);
  return tensor::EmptyOp::create(builder, loc,
                                 cast<RankedTensorType>(result.getType()),
                                 getDynamicSizes(result));
}

void Outliner::findDestinations() {
  for (OpResult result : root->getResults())
    destinations.push_back(findDestination(result));
}

//===----------------------------------------------------------------------===//
// The key
//===----------------------------------------------------------------------===//

void Outliner::addOperandToKey(OpOperand &operand) {
  Value value = operand.get();
  Operation *op = value.getDefiningOp();
  auto destination = destinationOf.find(&operand);
  bool isDestination = destination != destinationOf.end();
  if (isDestination) {
    key.push_back(KeyDestination);
    key.push_back(destination->second);
    if (!readsInit(operand) || !op || !isFree(op) || isa<tensor::EmptyOp>(op))
      return;
  }
  if (op && isFree(op)) {
    key.push_back(KeyFree);
    addToKey(op->getName().getAsOpaquePointer());
    addToKey(value.getType().getAsOpaquePointer());
    auto fill = dyn_cast<linalg::FillOp>(op);
    if (!fill) {
      addToKey(op->getAttrDictionary().getAsOpaquePointer());
      for (OpOperand &size : op->getOpOperands())
        addOperandToKey(size);
      return;
    }
    addOperandToKey(fill.getInputsMutable()[0]);
    if (!isDestination)
      addOperandToKey(fill.getOutputsMutable()[0]);
    return;
  }
  auto [found, isNew] = numbers.try_emplace(value, nextNumber);
  if (!isNew) {
    key.push_back(KeyNumber);
    key.push_back(found->second);
    return;
  }
  ++nextNumber;
  inputs.push_back(value);
  key.push_back(KeyInput);
  addToKey(value.getType().getAsOpaquePointer());
}

void Outliner::addToKey(Operation *op) {
  key.push_back(KeyOp);
  addToKey(op->getName().getAsOpaquePointer());
  addToKey(op->getAttrDictionary().getAsOpaquePointer());
  key.push_back(op->getNumOperands());
  key.push_back(op->getNumResults());
  for (Type type : op->getResultTypes())
    addToKey(type.getAsOpaquePointer());
  for (OpOperand &operand : op->getOpOperands())
    addOperandToKey(operand);
  key.push_back(op->getNumRegions());
  for (mlir::Region &region : op->getRegions()) {
    key.push_back(KeyRegion);
    for (Block &block : region) {
      key.push_back(block.getNumArguments());
      for (BlockArgument argument : block.getArguments()) {
        addToKey(argument.getType().getAsOpaquePointer());
        numbers[argument] = nextNumber++;
      }
      for (Operation &inner : block)
        addToKey(&inner);
    }
  }
  for (Value result : op->getResults())
    numbers[result] = nextNumber++;
}

//===----------------------------------------------------------------------===//
// The kernel and its call
//===----------------------------------------------------------------------===//

Value Outliner::cloneFree(OpBuilder &body, OpOperand &operand,
                          IRMapping &mapping) {
  Operation *op = operand.get().getDefiningOp();
  auto destination = destinationOf.find(&operand);
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  Value dest;
  if (destination != destinationOf.end())
    dest = destinationArguments[destination->second];
  else if (auto fill = dyn_cast<linalg::FillOp>(op))
    dest = cloneFree(body, fill.getOutputsMutable()[0], mapping);
  else if (isa<arith::ConstantOp>(op) && type)
    dest = tensor::EmptyOp::create(body, op->getLoc(), type, ValueRange());

  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    Value number = mapping.lookupOrNull(fill.getInputs()[0]);
    if (!number)
      number = cloneFree(body, fill.getInputsMutable()[0], mapping);
    return linalg::FillOp::create(body, op->getLoc(), number, dest)
        .getResult(0);
  }
  // As a fill, of which bufferization makes no global.
  if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && type) {
    auto value =
        cast<SplatElementsAttr>(constant.getValue()).getSplatValue<TypedAttr>();
    Value number = arith::ConstantOp::create(body, op->getLoc(), value);
    return linalg::FillOp::create(body, op->getLoc(), number, dest)
        .getResult(0);
  }
  if (dest)
    return dest;
  for (OpOperand &size : op->getOpOperands())
    if (!mapping.contains(size.get()))
      mapping.map(size.get(), cloneFree(body, size, mapping));
  return body.clone(*op, mapping)->getResult(0);
}

Operation *Outliner::cloneInto(OpBuilder &body, Operation *op,
                               IRMapping &mapping) {
  // Tensors of operands first, numbers that the body of the op reads too.
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *from = operand.get().getDefiningOp();
    auto destination = destinationOf.find(&operand);
    bool isDestination = destination != destinationOf.end();
    if (from && isFree(from) && (!isDestination || readsInit(operand)))
      operands.push_back(cloneFree(body, operand, mapping));
    else if (isDestination)
      operands.push_back(destinationArguments[destination->second]);
    else
      operands.push_back(mapping.lookup(operand.get()));
  }
  for (mlir::Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands()) {
        Value value = operand.get();
        if (region.isAncestor(value.getParentRegion()) ||
            mapping.contains(value))
          continue;
        mapping.map(value, cloneFree(body, operand, mapping));
      }
    });
  Operation *cloned = body.clone(*op, mapping);
  cloned->setOperands(operands);
  return cloned;
}

func::FuncOp Outliner::createKernel(StringRef name) {
  SmallVector<Value> arguments = inputs;
  llvm::append_range(arguments, destinations);
  SmallVector<Location> locations(arguments.size(), loc);
  auto function = func::FuncOp::create(
      loc, name,
      builder.getFunctionType(ValueRange(arguments).getTypes(),
                              root->getResultTypes()));
  function.setPrivate();
  function->setAttr(kKernelAttrName, builder.getUnitAttr());
  Block *block = function.addEntryBlock();
  OpBuilder body = OpBuilder::atBlockBegin(block);
  IRMapping mapping;
  mapping.map(inputs, block->getArguments().take_front(inputs.size()));
  llvm::append_range(destinationArguments,
                     block->getArguments().drop_front(inputs.size()));
  for (auto [value, number] : overwritten)
    mapping.map(value, destinationArguments[number]);
  for (Operation *op : group.ops) {
    Operation *cloned = cloneInto(body, op, mapping);
    mapping.map(op->getResults(), cloned->getResults());
  }
  func::ReturnOp::create(body, loc,
                         llvm::map_to_vector(root->getResults(), [&](Value v) {
                           return mapping.lookup(v);
                         }));
  return function;
}

void Outliner::replaceByCall(func::FuncOp kernel) {
  SmallVector<Value> arguments = inputs;
  llvm::append_range(arguments, destinations);
  auto call = func::CallOp::create(builder, loc, kernel, arguments);
  root->replaceAllUsesWith(call.getResults());
  for (Operation *op : llvm::reverse(group.ops))
    op->erase();
}
