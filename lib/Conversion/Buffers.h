//===- Buffers.h - Memory of the values of a schedule -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_BUFFERS_H
#define COMM_LIB_CONVERSION_BUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <deque>
#include <map>

namespace mlir::comm {

/// The memory of one call of a function: one allocation at its start, in which
/// buffers of static size have places. Places that are free again are taken by
/// buffers of the same size or a little smaller.
class Frame {
public:
  explicit Frame(func::FuncOp function);

  struct Place {
    int64_t offset, size;
  };

  Place take(int64_t bytes);
  void release(Place place) { free[place.size].push_back(place.offset); }
  /// A place as a memref.
  Value getView(Place place, MemRefType type);
  /// No more buffers: sets the size, and frees the frame where the function
  /// returns.
  void finish();

private:
  func::FuncOp function;
  memref::AllocOp memory;
  int64_t top = 0;
  std::map<int64_t, SmallVector<int64_t>> free;
  DenseMap<std::pair<int64_t, Type>, Value> views;
};

/// Memory that one value has, or several one after the other.
struct Buffer {
  enum class Kind {
    /// Somebody else's: it is read only, and not freed.
    Borrowed,
    /// A place in the frame.
    Framed,
    /// An allocation of its own, which can be passed on to somebody else.
    Owned,
  };
  Kind kind;
  Value memref;
  /// Where it is alive, and the number of the last op there that uses it.
  Block *block;
  unsigned lastUse;
  Frame::Place place = {};
  /// The tensors that have it and may still be used.
  SmallVector<Value, 1> values;
  /// Passed on, or freed.
  bool isGone = false;
};

/// The constants of a module that are memory, each once.
class Constants {
public:
  explicit Constants(ModuleOp module) : symbols(module) {}
  memref::GlobalOp get(arith::ConstantOp constant);

private:
  SymbolTable symbols;
  DenseMap<Attribute, memref::GlobalOp> globals;
};

/// The buffers of a function, while its ops are visited in order.
class Buffers {
public:
  Buffers(func::FuncOp function, Constants &constants)
      : frame(function), constants(constants), builder(function.getContext()) {}

  /// Where new ops go.
  OpBuilder &getBuilder() { return builder; }

  /// A block, from its first op to its last. Scopes nest as blocks do.
  class Scope {
  public:
    Scope(Buffers &buffers, Block &block);
    ~Scope();

  private:
    friend class Buffers;
    Buffers &buffers;
    Scope *outer;
    Block &block;
    unsigned index = 0;
    /// The buffers that may be free after each op.
    SmallVector<SmallVector<Buffer *, 1>> lastUsed;
  };

  /// The op of the current block that is visited now.
  void visit(Operation *op);
  /// `op` stands in the place of the op that is visited.
  void replaceVisited(Operation *op);
  /// Frees what no later op of the block uses, before the builder's position.
  void releaseDead();
  /// Leaves that to the next op.
  void keepDead();

  /// The buffer of a tensor, and the memref through which it is seen.
  struct Binding {
    Buffer *buffer;
    Value memref;
  };
  Binding get(Value tensor);
  void bind(Value tensor, Buffer *buffer, Value memref);
  void bind(Value tensor, Binding binding) {
    bind(tensor, binding.buffer, binding.memref);
  }
  /// `memref` is somebody else's.
  void bindBorrowed(Value tensor, Value memref);
  /// `memref` is an allocation that is passed to this block.
  void bindOwned(Value tensor, Value memref);

  /// New memory. `escapes`: it will be passed on.
  Binding allocate(Location loc, RankedTensorType type, ValueRange sizes,
                   bool escapes);
  /// New memory of the size of `like`, a memref.
  Binding allocateLike(Location loc, RankedTensorType type, Value like,
                       bool escapes);
  /// Memory that nobody needs after the op that is visited.
  Value allocateScratch(Location loc, MemRefType type);

  /// Whether the op that is visited is the only and last one that uses the
  /// memory of `operand`, and may overwrite it or pass it on.
  bool isLastUse(OpOperand &operand);
  /// Memory that holds the elements of `operand` and is passed on: its own, or
  /// a copy.
  Value passOn(OpOperand &operand);

  /// Says that a value will be passed on.
  void markEscaping(Value value) { escaping.insert(value); }
  bool isEscaping(Value value) const { return escaping.contains(value); }

  void finish() { frame.finish(); }

private:
  Buffer *create(Buffer::Kind kind, Value memref);
  unsigned getLastUse(Value tensor);
  void schedule(Buffer *buffer);

  Frame frame;
  Constants &constants;
  OpBuilder builder;
  Scope *scope = nullptr;
  std::deque<Buffer> buffers;
  DenseMap<Value, Binding> bindings;
  DenseMap<Operation *, unsigned> order;
  DenseSet<Value> escaping;
};

/// The memref in which the elements of a tensor lie, row-major.
MemRefType getMemRefType(Type tensor);

} // namespace mlir::comm

#endif // COMM_LIB_CONVERSION_BUFFERS_H
