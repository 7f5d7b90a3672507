//===- Outliner.h - One group of ops becomes a kernel ----------*- C++ -*--===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_OUTLINER_H
#define COMM_LIB_CONVERSION_OUTLINER_H

#include "Kernels.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::comm {

/// The key of a kernel: its ops, types, attributes and wiring. Equal keys mean
/// equal kernels; locations are not looked at.
using KernelKey = std::vector<uintptr_t>;

/// For hash tables.
struct KernelKeyHash {
  size_t operator()(const KernelKey &key) const {
    return llvm::hash_combine_range(key.begin(), key.end());
  }
};

/// Makes one group a kernel and a call of it.
class Outliner {
public:
  explicit Outliner(KernelGroup &group)
      : group(group), members(group.ops.begin(), group.ops.end()),
        root(group.ops.back()), builder(root), loc(root->getLoc()) {
    findDestinations();
    for (Operation *op : group.ops)
      addToKey(op);
  }

  const KernelKey &getKey() const { return key; }
  /// The kernel, in no module yet.
  func::FuncOp createKernel(StringRef name);
  /// Calls a kernel of this key in the place of the group's ops.
  void replaceByCall(func::FuncOp kernel);

private:
  void findDestinations();
  Value findDestination(OpResult result);
  Value findDeadInput(Type type);
  bool diesHere(Value value);
  bool isReadWhereWritten(Value value);
  SmallVector<Value> getDynamicSizes(Value value);
  SmallVector<OpFoldResult> getSizes(Value value);
  bool isInside(Value value) const {
    return members.contains(value.getDefiningOp());
  }

  void addToKey(Operation *op);
  void addOperandToKey(OpOperand &operand);
  void addToKey(const void *pointer) {
    key.push_back(reinterpret_cast<uintptr_t>(pointer));
  }

  Operation *cloneInto(OpBuilder &body, Operation *op, IRMapping &mapping);
  Value cloneFree(OpBuilder &body, OpOperand &operand, IRMapping &mapping);

  KernelGroup &group;
  DenseSet<Operation *> members;
  Operation *root;
  OpBuilder builder;
  Location loc;

  /// What the call passes as destination of each result.
  SmallVector<Value> destinations;
  /// Operands that the kernel's destination of that number stands for.
  DenseMap<OpOperand *, unsigned> destinationOf;
  /// Values from outside that a destination holds before the call, and its
  /// number.
  llvm::MapVector<Value, unsigned> overwritten;
  /// The kernel's own, while it is built.
  SmallVector<Value> destinationArguments;

  KernelKey key;
  /// Each value's number in the kernel.
  DenseMap<Value, uintptr_t> numbers;
  /// Values from outside, in the order of their numbers among themselves.
  SmallVector<Value> inputs;
  uintptr_t nextNumber = 0;
};

} // namespace mlir::comm

#endif // COMM_LIB_CONVERSION_OUTLINER_H
