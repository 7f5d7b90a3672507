//===- ScfForAdjoint.cpp - The adjoint of scf.for -------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Tape.h"
#include "ScfAdjoints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {
/// The bounds of a loop as values of type index.
struct Bounds {
  Bounds(OpBuilder &builder, scf::ForOp loop)
      : lower(toIndex(builder, loop.getLowerBound())),
        step(toIndex(builder, loop.getStep())) {
    Location loc = loop.getLoc();
    if (std::optional<APInt> count = loop.getStaticTripCount()) {
      runs =
          arith::ConstantIndexOp::create(builder, loc, count->getZExtValue());
      return;
    }
    // runs = upper > lower ? ceil((upper - lower) / step) : 0
    Value upper = toIndex(builder, loop.getUpperBound());
    bool isUnsigned = loop.getUnsignedCmp();
    Value runsAny = arith::CmpIOp::create(
        builder, loc,
        isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt,
        upper, lower);
    Value range = arith::SubIOp::create(builder, loc, upper, lower);
    Value count = arith::CeilDivUIOp::create(builder, loc, range, step);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    runs = arith::SelectOp::create(builder, loc, runsAny, count, zero);
  }

  /// Signed bounds only: an unsigned bound of fewer bits than an index counts
  /// as large.
  static Value toIndex(OpBuilder &builder, Value value) {
    if (isa<IndexType>(value.getType()))
      return value;
    return arith::IndexCastOp::create(builder, value.getLoc(),
                                      builder.getIndexType(), value);
  }

  Value lower, step, runs;
};
} // namespace

/// The number of the run with this induction variable.
static Value emitRun(OpBuilder &builder, Location loc, Value iv,
                     const Bounds &bounds) {
  Value index = Bounds::toIndex(builder, iv);
  if (!isConstantIntValue(bounds.lower, 0))
    index = arith::SubIOp::create(builder, loc, index, bounds.lower);
  if (!isConstantIntValue(bounds.step, 1))
    index = arith::DivUIOp::create(builder, loc, index, bounds.step);
  return index;
}

/// The induction variable of a run.
static Value emitInductionVariable(OpBuilder &builder, Location loc, Type type,
                                   Value run, Value lower, Value step) {
  Value scaled = builder.createOrFold<arith::MulIOp>(loc, run, step);
  Value iv = builder.createOrFold<arith::AddIOp>(loc, lower, scaled);
  return isa<IndexType>(type)
             ? iv
             : arith::IndexCastOp::create(builder, loc, type, iv);
}

//===----------------------------------------------------------------------===//
// The backward
//===----------------------------------------------------------------------===//

namespace {
/// What the backward of a loop is made from.
struct ForAdjoint {
  scf::ForOp forward;
  const BlockAdjoint *body;
  Bounds bounds;
  KeptValues kept;
  KeptSizes sizes;
  /// One for each value that the body keeps.
  SmallVector<Value> tapes;
  /// The numbers of the iteration arguments that carry a cotangent.
  SmallVector<unsigned> carried;

  SmallVector<Value> emitBackward(OpBuilder &builder, ValueRange residuals,
                                  ValueRange cotangents) const;

private:
  IRMapping mapPrimals(OpBuilder &builder, const IRMapping &outer,
                       Value run) const;
  void emitBody(OpBuilder &builder, scf::ForOp backward,
                const IRMapping &outer) const;
};
} // namespace

/// The primal values of one run.
IRMapping ForAdjoint::mapPrimals(OpBuilder &builder, const IRMapping &outer,
                                 Value run) const {
  IRMapping primals = outer;
  Value iv = scf::ForOp(forward).getInductionVar();
  primals.map(iv, emitInductionVariable(builder, iv.getLoc(), iv.getType(), run,
                                        outer.lookup(bounds.lower),
                                        outer.lookup(bounds.step)));
  for (auto [value, tape] : llvm::zip_equal(body->getKept(), tapes))
    primals.map(value, emitGet(builder, value.getLoc(), value.getType(),
                               outer.lookup(tape), run));
  return primals;
}

/// One run backwards: the last run first.
void ForAdjoint::emitBody(OpBuilder &builder, scf::ForOp backward,
                          const IRMapping &outer) const {
  scf::ForOp loop = forward;
  Location loc = loop.getLoc();
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value last =
      arith::SubIOp::create(builder, loc, outer.lookup(bounds.runs), one);
  Value run =
      arith::SubIOp::create(builder, loc, last, backward.getInductionVar());
  IRMapping primals = mapPrimals(builder, outer, run);

  ValueRange arguments = backward.getRegionIterArgs();
  SmallVector<Value> seeds(loop.getBody()->getTerminator()->getNumOperands());
  for (auto [number, argument] : llvm::zip(carried, arguments))
    seeds[number] = argument;
  BlockAdjoint::Cotangents cotangents = body->emitBackward(
      builder, primals, seeds, arguments.drop_front(carried.size()));
  SmallVector<Value> yielded;
  for (unsigned number : carried) {
    BlockArgument argument = loop.getRegionIterArg(number);
    Value cotangent = cotangents.arguments[argument.getArgNumber()];
    yielded.push_back(
        cotangent ? cotangent
                  : emitZero(builder, loc, argument.getType(),
                             body->emitSizes(builder, primals, argument)));
  }
  llvm::append_range(yielded, cotangents.captures);
  scf::YieldOp::create(builder, loc, yielded);
}

SmallVector<Value> ForAdjoint::emitBackward(OpBuilder &builder,
                                            ValueRange residuals,
                                            ValueRange cotangents) const {
  scf::ForOp loop = forward;
  Location loc = loop.getLoc();
  IRMapping outer = kept.map(residuals);
  SmallVector<Value> inits;
  for (unsigned number : carried)
    inits.push_back(
        cotangents[number]
            ? cotangents[number]
            : sizes.emitZero(builder, outer, loop.getResult(number)));
  for (Value capture : body->getCaptures())
    inits.push_back(sizes.emitZero(builder, outer, capture));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto backward = scf::ForOp::create(
      builder, loc, zero, outer.lookup(bounds.runs), one, inits,
      [](OpBuilder &, Location, Value, ValueRange) {});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(backward.getBody());
  emitBody(builder, backward, outer);
  SmallVector<Value> contributions(backward.getResults());
  dropUnchangedSums(backward, carried.size(), contributions);
  return contributions;
}

//===----------------------------------------------------------------------===//
// The forward
//===----------------------------------------------------------------------===//

/// Takes the place of `loop`, with tapes for the values that its body keeps.
static scf::ForOp emitLoopWithTapes(RewriterBase &rewriter, scf::ForOp loop,
                                    ArrayRef<Value> values,
                                    ArrayRef<Value> tapes,
                                    const Bounds &bounds) {
  Location loc = loop.getLoc();
  SmallVector<Value> inits(loop.getInitArgs());
  llvm::append_range(inits, tapes);
  auto widened = scf::ForOp::create(
      rewriter, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
      inits, [](OpBuilder &, Location, Value, ValueRange) {},
      loop.getUnsignedCmp());
  widened->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  widened.getRegion().takeBody(loop.getRegion());
  Block *body = widened.getBody();
  rewriter.setInsertionPointToStart(body);
  Value run = values.empty()
                  ? Value()
                  : emitRun(rewriter, loc, body->getArgument(0), bounds);
  SmallVector<Value> yielded(body->getTerminator()->getOperands());
  for (auto [value, tape] : llvm::zip_equal(values, tapes)) {
    Value argument = body->addArgument(tape.getType(), loc);
    // Where the value is made, so that it may be made on the tape.
    if (value.getDefiningOp())
      rewriter.setInsertionPointAfterValue(value);
    else if (Operation *definition = run.getDefiningOp())
      rewriter.setInsertionPointAfter(definition);
    else
      rewriter.setInsertionPointToStart(body);
    yielded.push_back(emitPut(rewriter, loc, value, argument, run));
  }
  body->getTerminator()->setOperands(yielded);
  rewriter.replaceOp(loop,
                     widened.getResults().take_front(loop.getNumResults()));
  return widened;
}

namespace {
// a_k+1 = f(a_k, w)  =>  (ā_k, w̄_k) = f_bwd(ā_k+1), w̄ = sum_k w̄_k, last k first
struct For : RegionAdjointOpInterface::ExternalModel<For, scf::ForOp> {
  FailureOr<RegionForward> emitForward(Operation *op, RewriterBase &rewriter,
                                       RegionAdjointContext &context) const {
    auto loop = cast<scf::ForOp>(op);
    unsigned numResults = loop.getNumResults();
    SmallVector<unsigned> carried;
    SmallVector<Value> sized;
    for (unsigned number = 0; number < numResults; ++number) {
      Value argument = loop.getRegionIterArg(number);
      if (!context.isActive(argument) &&
          !context.isActive(loop.getResult(number)))
        continue;
      carried.push_back(number);
      sized.push_back(argument);
    }
    SizesAbove above(loop);
    FailureOr<const BlockAdjoint *> body = context.prepareBlock(
        *loop.getBody(), /*given=*/loop.getInductionVar(), sized,
        [&](Value value) { return above.areKnown(value); });
    if (failed(body))
      return failure();

    rewriter.setInsertionPoint(loop);
    ForAdjoint adjoint{nullptr, *body,  Bounds(rewriter, loop), {}, {},
                       {},      carried};
    OpFoldResult runs = getAsOpFoldResult(adjoint.bounds.runs);
    SmallVector<Value> tapes;
    for (Value value : (*body)->getKept())
      tapes.push_back(emitTape(rewriter, value.getLoc(), value.getType(), runs,
                               above.emit(rewriter, value)));
    RegionForward result;
    for (unsigned number : carried)
      result.inputs.push_back(loop.getInitArgs()[number]);
    llvm::append_range(result.inputs, (*body)->getCaptures());
    scf::ForOp widened = emitLoopWithTapes(rewriter, loop, (*body)->getKept(),
                                           tapes, adjoint.bounds);
    result.forward = adjoint.forward = widened;
    llvm::append_range(adjoint.tapes,
                       widened.getResults().drop_front(numResults));

    adjoint.kept.add(adjoint.tapes);
    adjoint.kept.add((*body)->getRead());
    adjoint.kept.add(
        {adjoint.bounds.runs, adjoint.bounds.lower, adjoint.bounds.step});
    rewriter.setInsertionPoint(widened);
    for (Value capture : (*body)->getCaptures())
      adjoint.sizes.add(rewriter, capture, adjoint.kept);
    rewriter.setInsertionPointAfter(widened);
    for (unsigned number : carried)
      adjoint.sizes.add(rewriter, widened.getResult(number), adjoint.kept);
    llvm::append_range(result.residuals, adjoint.kept.get());
    result.emitBackward = [adjoint](OpBuilder &builder, ValueRange residuals,
                                    ValueRange cotangents) {
      return adjoint.emitBackward(builder, residuals, cotangents);
    };
    return result;
  }
};
} // namespace

void comm::registerScfForAdjointModel(MLIRContext &context) {
  scf::ForOp::attachInterface<For>(context);
}
