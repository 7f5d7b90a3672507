//===- LinalgLoops.h - The loops of a structured op's adjoint ---*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_AUTODIFF_EXTERNALMODELS_LINALGLOOPS_H
#define COMM_LIB_AUTODIFF_EXTERNALMODELS_LINALGLOOPS_H

#include "LinalgAdjoints.h"

namespace mlir::comm {

/// Runs values of a body's adjoint over the loops of the op, with the indexing
/// maps turned around.
class AdjointLoops {
public:
  /// `cotangents` has one value per result of the op, null where it is zero.
  AdjointLoops(OpBuilder &builder, linalg::LinalgOp op, const BodyAdjoint &body,
               const Primals &primals, ValueRange cotangents)
      : builder(builder), op(op), body(body), primals(primals),
        seeds(cotangents) {}

  /// What the loops read of the primal program to compute the cotangent of one
  /// operand.
  static void getResiduals(linalg::LinalgOp op, const BodyAdjoint &body,
                           unsigned operand,
                           SmallVectorImpl<Residual> &residuals);
  /// Likewise for the seed of an extremum.
  static void getExtremumResiduals(linalg::LinalgOp op, const BodyAdjoint &body,
                                   unsigned output,
                                   SmallVectorImpl<Residual> &residuals);

  /// Divides the seed of an extremum by the number of values that attain it.
  /// Yields the cotangent of its init.
  Value emitExtremumSeed(unsigned output);
  /// Emits the cotangents of the given operands, which have one in the body.
  void emit(ArrayRef<unsigned> operands, MutableArrayRef<Value> results);

private:
  Value getTensor(BlockArgument argument) const;
  OpFoldResult getExtent(unsigned loop, ArrayRef<BlockArgument> reads);
  SmallVector<OpFoldResult> getSizes(unsigned operand,
                                     ArrayRef<BlockArgument> reads);
  /// One linalg.generic that stores the values through the maps, or adds them
  /// to what `outs` hold where `accumulate`.
  SmallVector<Value> emitGeneric(ArrayRef<Value> values,
                                 ArrayRef<AffineMap> maps, ValueRange outs,
                                 bool accumulate);
  /// The cotangent of an operand from a tensor that holds its terms, moved by
  /// an op that says so, null where there is none.
  Value emitMoved(unsigned operand, Value cotangent, AffineMap from);
  SmallVector<Value> emitGroup(ArrayRef<unsigned> operands);

  OpBuilder &builder;
  linalg::LinalgOp op;
  const BodyAdjoint &body;
  const Primals &primals;
  SmallVector<Value> seeds;
};

} // namespace mlir::comm

#endif // COMM_LIB_AUTODIFF_EXTERNALMODELS_LINALGLOOPS_H
