//===- Kernels.h - What kernels are made of ---------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_KERNELS_H
#define COMM_LIB_CONVERSION_KERNELS_H

#include "comm/IR/KernelAttr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::comm {

/// Whether the op is a kernel or a call of one. The last arguments of a kernel
/// are where it writes: while it is on tensors, one for each result.
inline bool isKernel(Operation *op) { return op->hasAttr(kKernelAttrName); }

/// Whether the op makes a tensor out of nothing but a number and sizes. It
/// belongs to no kernel and is cloned into each that uses it, so that it never
/// ties kernels together.
bool isFree(Operation *op);

/// Whether a free op yields it and all its elements are zero.
bool isZeroFill(Value value);

/// Whether the op yields the elements of its operand, in the same order, as
/// another shape: on contiguous memory it costs nothing.
bool isView(Operation *op);

/// Whether the op is a contraction that commGemm computes: of one float type,
/// with strides that BLAS can express where the operands are contiguous. It is
/// a step of the schedule, never part of a kernel.
bool isGemm(Operation *op);

/// Whether kernels may compute the op: it is on tensors, has no effects, and is
/// none of the above.
bool isLocal(Operation *op);

/// The operand that a result of a local op or of a fill is written over, or
/// null where it has none.
OpOperand *getInit(OpResult result);

/// Local ops that one kernel computes, in the order of their block. Only the
/// results of the last are read outside.
struct KernelGroup {
  SmallVector<Operation *> ops;
};

/// The groups of one block, without those of its nested blocks: an op joins the
/// group of its users where all of them are in one group. No cycle can arise:
/// every path out of a group goes through its last op.
SmallVector<KernelGroup> groupLocalOps(Block &block);

/// Brings the functions of `kernels`, which nothing else reads meanwhile, from
/// tensors to memrefs: elementwise producers fused, each bufferized alone.
/// Their results are gone; memory that they need besides is allocated by their
/// callers, as further arguments at the end.
LogicalResult bufferizeKernels(ArrayRef<func::FuncOp> kernels);

} // namespace mlir::comm

#endif // COMM_LIB_CONVERSION_KERNELS_H
