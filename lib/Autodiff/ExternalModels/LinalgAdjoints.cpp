//===- LinalgAdjoints.cpp - Adjoints of the linalg dialect's ops ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Contractions have a rule of their own; all other structured ops go through
// one, which differentiates the scalar body and turns the indexing maps around.

#include "LinalgAdjoints.h"
#include "LinalgLoops.h"
#include "comm/Autodiff/ExternalModels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::linalg;

/// Takes the operands that have a contraction as adjoint out of `wanted`.
static SmallVector<unsigned> takeContractions(LinalgOp op,
                                              llvm::BitVector &wanted) {
  SmallVector<unsigned> inputs;
  for (unsigned input = 0; input < op.getNumDpsInputs(); ++input)
    if (wanted[input] && hasContractionAdjoint(op, input))
      inputs.push_back(input);
  for (unsigned input : inputs)
    wanted.reset(input);
  return inputs;
}

static SmallVector<unsigned> getOperandsWithCotangent(LinalgOp op,
                                                      const BodyAdjoint &body) {
  SmallVector<unsigned> operands;
  for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
    if (body.getCotangent(operand))
      operands.push_back(operand);
  return operands;
}

/// Whether the adjoint needs the seed of an extremum.
static bool needsExtremumSeed(LinalgOp op, const BodyAdjoint &body,
                              const llvm::BitVector &wanted, unsigned output) {
  if (body.getInitRule(output) != InitRule::Extremum)
    return false;
  if (wanted[op.getDpsInitOperand(output)->getOperandNumber()])
    return true;
  return llvm::any_of(
      getOperandsWithCotangent(op, body), [&](unsigned operand) {
        return llvm::any_of(body.getReads(body.getCotangent(operand)),
                            [&](BlockArgument argument) {
                              return body.isSeed(argument) &&
                                     body.getIndex(argument) == output;
                            });
      });
}

static SmallVector<Residual> getResiduals(LinalgOp op, llvm::BitVector wanted) {
  SmallVector<Residual> residuals;
  for (unsigned input : takeContractions(op, wanted))
    residuals.push_back(Residual::operand(1 - input));
  if (wanted.none())
    return residuals;
  llvm::BitVector seeded(op->getNumResults());
  for (auto [result, type] : llvm::enumerate(op->getResultTypes()))
    if (isDifferentiable(type))
      seeded.set(result);
  BodyAdjoint body(op, wanted);
  body.emit(seeded);
  for (unsigned operand : getOperandsWithCotangent(op, body))
    AdjointLoops::getResiduals(op, body, operand, residuals);
  for (unsigned output = 0; output < seeded.size(); ++output)
    if (needsExtremumSeed(op, body, wanted, output))
      AdjointLoops::getExtremumResiduals(op, body, output, residuals);
  return residuals;
}

static LogicalResult verifyAdjoint(LinalgOp op, llvm::BitVector wanted) {
  takeContractions(op, wanted);
  if (wanted.none())
    return success();
  return BodyAdjoint(op, wanted).verify();
}

static SmallVector<Value> emitAdjoint(OpBuilder &builder, LinalgOp op,
                                      const Primals &primals,
                                      ValueRange cotangents) {
  SmallVector<Value> results(op->getNumOperands());
  llvm::BitVector wanted(op->getNumOperands());
  for (unsigned operand = 0; operand < wanted.size(); ++operand)
    wanted[operand] = primals.isWanted(operand);
  for (unsigned input : takeContractions(op, wanted))
    results[input] = emitContractionAdjoint(
        builder, op, input, primals.getOperand(1 - input), cotangents[0]);
  if (wanted.none())
    return results;

  llvm::BitVector seeded(cotangents.size());
  for (auto [result, cotangent] : llvm::enumerate(cotangents))
    seeded[result] = bool(cotangent);
  BodyAdjoint body(op, wanted);
  body.emit(seeded);
  AdjointLoops loops(builder, op, body, primals, cotangents);
  for (unsigned output : seeded.set_bits()) {
    unsigned init = op.getDpsInitOperand(output)->getOperandNumber();
    if (body.getInitRule(output) == InitRule::Sum)
      results[init] = cotangents[output];
    else if (needsExtremumSeed(op, body, wanted, output))
      results[init] = loops.emitExtremumSeed(output);
  }
  loops.emit(getOperandsWithCotangent(op, body), results);
  return results;
}

namespace {
template <typename OpTy>
struct StructuredModel
    : AdjointOpInterface::ExternalModel<StructuredModel<OpTy>, OpTy> {
  SmallVector<Residual> getResiduals(Operation *op,
                                     const llvm::BitVector &wanted) const {
    return ::getResiduals(cast<LinalgOp>(op), wanted);
  }
  LogicalResult verifyAdjoint(Operation *op,
                              const llvm::BitVector &wanted) const {
    return ::verifyAdjoint(cast<LinalgOp>(op), wanted);
  }
  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    return ::emitAdjoint(builder, cast<LinalgOp>(op), primals, cotangents);
  }
  std::optional<SmallVector<Value>> emitTangent(Operation *op,
                                                OpBuilder &builder,
                                                const Primals &primals,
                                                ValueRange tangents) const {
    return emitStructuredTangent(builder, cast<LinalgOp>(op), primals,
                                 tangents);
  }
};
} // namespace

template <typename... Ops>
static void attachStructured(MLIRContext *context) {
  (Ops::template attachInterface<StructuredModel<Ops>>(*context), ...);
}

void comm::registerLinalgAdjointModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LinalgDialect *) {
    context->loadDialect<arith::ArithDialect, math::MathDialect,
                         tensor::TensorDialect>();
    attachStructured<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
  });
}
