//===- Buffers.cpp - Memory of the values of a schedule -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"

#include "RuntimeCalls.h"
#include "comm/Runtime/Arena.h"

using namespace mlir;
using namespace mlir::comm;
using runtime::bufferAlignment;

MemRefType comm::getMemRefType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

static int64_t getByteSize(MemRefType type) {
  return type.getNumElements() * getElementBytes(type.getElementType());
}

//===----------------------------------------------------------------------===//
// Frame
//===----------------------------------------------------------------------===//

Frame::Frame(func::FuncOp function) : function(function) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  memory = memref::AllocOp::create(builder, function.getLoc(),
                                   MemRefType::get({0}, builder.getI8Type()),
                                   builder.getI64IntegerAttr(bufferAlignment));
}

Frame::Place Frame::take(int64_t bytes) {
  int64_t size = llvm::alignTo(std::max<int64_t>(bytes, 1), bufferAlignment);
  auto found = free.lower_bound(size);
  if (found != free.end() && found->first <= 2 * size) {
    Place place{found->second.pop_back_val(), found->first};
    if (found->second.empty())
      free.erase(found);
    return place;
  }
  Place place{top, size};
  top += size;
  if (size >= runtime::pageSize)
    top += runtime::largeBufferStep;
  return place;
}

Value Frame::getView(Place place, MemRefType type) {
  Value &view = views[{place.offset, type}];
  if (!view) {
    OpBuilder builder(memory->getContext());
    builder.setInsertionPointAfter(memory);
    Location loc = memory.getLoc();
    Value offset = arith::ConstantIndexOp::create(builder, loc, place.offset);
    view = memref::ViewOp::create(builder, loc, type, memory, offset,
                                  ValueRange());
  }
  return view;
}

void Frame::finish() {
  if (views.empty()) {
    memory.erase();
    return;
  }
  memory.getMemref().setType(
      MemRefType::get({top}, memory.getType().getElementType()));
  OpBuilder builder(function.front().getTerminator());
  memref::DeallocOp::create(builder, memory.getLoc(), memory);
}

//===----------------------------------------------------------------------===//
// Liveness
//===----------------------------------------------------------------------===//

Buffers::Scope::Scope(Buffers &buffers, Block &block)
    : buffers(buffers), outer(buffers.scope), block(block) {
  unsigned count = 0;
  for (Operation &op : block)
    buffers.order[&op] = count++;
  lastUsed.resize(count);
  buffers.scope = this;
}

Buffers::Scope::~Scope() { buffers.scope = outer; }

void Buffers::visit(Operation *op) {
  scope->index = order.lookup(op);
  builder.setInsertionPoint(op);
}

void Buffers::replaceVisited(Operation *op) { order[op] = scope->index; }

/// The number of the last op of the current block that uses the tensor.
unsigned Buffers::getLastUse(Value tensor) {
  unsigned last = scope->index;
  for (Operation *user : tensor.getUsers())
    last =
        std::max(last, order.lookup(scope->block.findAncestorOpInBlock(*user)));
  return last;
}

void Buffers::schedule(Buffer *buffer) {
  if (buffer->kind != Buffer::Kind::Borrowed)
    scope->lastUsed[buffer->lastUse].push_back(buffer);
}

void Buffers::releaseDead() {
  for (Buffer *buffer : std::exchange(scope->lastUsed[scope->index], {})) {
    if (buffer->isGone)
      continue;
    // It has got new values since.
    if (buffer->lastUse > scope->index) {
      schedule(buffer);
      continue;
    }
    buffer->isGone = true;
    if (buffer->kind == Buffer::Kind::Framed)
      frame.release(buffer->place);
    else
      memref::DeallocOp::create(builder, buffer->memref.getLoc(),
                                buffer->memref);
  }
}

void Buffers::keepDead() {
  llvm::append_range(scope->lastUsed[scope->index + 1],
                     std::exchange(scope->lastUsed[scope->index], {}));
}

bool Buffers::isLastUse(OpOperand &operand) {
  Buffer *buffer = get(operand.get()).buffer;
  if (buffer->kind == Buffer::Kind::Borrowed ||
      buffer->block != &scope->block || buffer->isGone ||
      buffer->lastUse != scope->index)
    return false;
  Operation *visited = operand.getOwner();
  unsigned uses = 0;
  // Nobody uses a value later that this op does not use: it is forgotten, as a
  // buffer may have one after the other of very many.
  llvm::erase_if(buffer->values, [&](Value value) {
    unsigned count = llvm::count_if(value.getUsers(), [&](Operation *user) {
      return scope->block.findAncestorOpInBlock(*user) == visited;
    });
    uses += count;
    return count == 0;
  });
  // A terminator reads nothing: what it passes on twice is copied before.
  return uses <= 1 || visited->hasTrait<OpTrait::IsTerminator>();
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

Buffer *Buffers::create(Buffer::Kind kind, Value memref) {
  Buffer &buffer = buffers.emplace_back();
  buffer.kind = kind;
  buffer.memref = memref;
  buffer.block = &scope->block;
  buffer.lastUse = scope->index;
  schedule(&buffer);
  return &buffer;
}

void Buffers::bind(Value tensor, Buffer *buffer, Value memref) {
  bindings[tensor] = {buffer, memref};
  // A buffer from an outer block lives on after this one.
  if (buffer->kind == Buffer::Kind::Borrowed || buffer->block != &scope->block)
    return;
  buffer->values.push_back(tensor);
  buffer->lastUse = std::max(buffer->lastUse, getLastUse(tensor));
}

void Buffers::bindBorrowed(Value tensor, Value memref) {
  bind(tensor, create(Buffer::Kind::Borrowed, memref), memref);
}

void Buffers::bindOwned(Value tensor, Value memref) {
  bind(tensor, create(Buffer::Kind::Owned, memref), memref);
}

memref::GlobalOp Constants::get(arith::ConstantOp constant) {
  memref::GlobalOp &global = globals[constant.getValue()];
  if (global)
    return global;
  OpBuilder builder(constant.getContext());
  global = memref::GlobalOp::create(builder, constant.getLoc(), "comm_constant",
                                    builder.getStringAttr("private"),
                                    getMemRefType(constant.getType()),
                                    constant.getValue(), /*constant=*/true,
                                    builder.getI64IntegerAttr(bufferAlignment));
  auto module = cast<ModuleOp>(symbols.getOp());
  symbols.insert(global, module.getBody()->begin());
  return global;
}

Buffers::Binding Buffers::get(Value tensor) {
  auto found = bindings.find(tensor);
  if (found != bindings.end())
    return found->second;
  if (auto constant = tensor.getDefiningOp<arith::ConstantOp>()) {
    memref::GlobalOp global = constants.get(constant);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(constant);
    Value memref = memref::GetGlobalOp::create(
        builder, constant.getLoc(), global.getType(), global.getName());
    Binding binding{create(Buffer::Kind::Borrowed, memref), memref};
    return bindings[tensor] = binding;
  }
  // Elements that nobody wrote: whoever uses them gets any.
  auto empty = tensor.getDefiningOp<tensor::EmptyOp>();
  return allocate(empty.getLoc(), empty.getType(), empty.getDynamicSizes(),
                  /*escapes=*/false);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Buffers::Binding Buffers::allocate(Location loc, RankedTensorType tensor,
                                   ValueRange sizes, bool escapes) {
  MemRefType type = getMemRefType(tensor);
  if (type.hasStaticShape() && !escapes) {
    Frame::Place place = frame.take(getByteSize(type));
    Buffer *buffer = create(Buffer::Kind::Framed, frame.getView(place, type));
    buffer->place = place;
    return {buffer, buffer->memref};
  }
  Value memref = memref::AllocOp::create(
      builder, loc, type, sizes, builder.getI64IntegerAttr(bufferAlignment));
  return {create(Buffer::Kind::Owned, memref), memref};
}

Buffers::Binding Buffers::allocateLike(Location loc, RankedTensorType type,
                                       Value like, bool escapes) {
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(builder, loc, like, dim));
  return allocate(loc, type, sizes, escapes);
}

Value Buffers::allocateScratch(Location loc, MemRefType type) {
  return allocate(loc,
                  RankedTensorType::get(type.getShape(), type.getElementType()),
                  ValueRange(), /*escapes=*/false)
      .memref;
}

Value Buffers::passOn(OpOperand &operand) {
  Binding binding = get(operand.get());
  if (binding.buffer->kind == Buffer::Kind::Owned && isLastUse(operand)) {
    binding.buffer->isGone = true;
    return binding.memref;
  }
  Location loc = operand.getOwner()->getLoc();
  Binding copy =
      allocateLike(loc, cast<RankedTensorType>(operand.get().getType()),
                   binding.memref, /*escapes=*/true);
  memref::CopyOp::create(builder, loc, binding.memref, copy.memref);
  copy.buffer->isGone = true;
  return copy.memref;
}
