//===- ScfWhileAdjoint.cpp - The adjoint of scf.while ---------------------===//
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

/// The runs that a tape has room for at first.
static constexpr int64_t kFirstRuns = 8;

//===----------------------------------------------------------------------===//
// The backward
//===----------------------------------------------------------------------===//

namespace {
/// What the backward of a loop is made from. The first region of `scf.while`
/// (before the condition) runs once more often than the second (after it).
struct WhileAdjoint {
  scf::WhileOp forward;
  const BlockAdjoint *before, *after;
  JointCaptures captures;
  KeptValues kept;
  KeptSizes sizes;
  /// How often the second region has run.
  Value runs;
  /// One for each value that a region keeps.
  SmallVector<Value> beforeTapes, afterTapes;
  /// The numbers of the iteration arguments, and of the results, that carry a
  /// cotangent.
  SmallVector<unsigned> carried, handedOn;

  SmallVector<Value> emitBackward(OpBuilder &builder, ValueRange residuals,
                                  ValueRange cotangents) const;

private:
  IRMapping mapPrimals(OpBuilder &builder, const BlockAdjoint &region,
                       ArrayRef<Value> tapes, const IRMapping &outer,
                       Value run) const;
  void emitBefore(OpBuilder &builder, const IRMapping &outer, Value run,
                  ValueRange handedOnCotangents,
                  SmallVectorImpl<Value> &carriedCotangents,
                  SmallVectorImpl<Value> &sums) const;
  void emitAfter(OpBuilder &builder, const IRMapping &outer, Value run,
                 ValueRange carriedCotangents,
                 SmallVectorImpl<Value> &handedOnCotangents,
                 SmallVectorImpl<Value> &sums) const;
};
} // namespace

/// The primal values of one run of a region.
IRMapping WhileAdjoint::mapPrimals(OpBuilder &builder,
                                   const BlockAdjoint &region,
                                   ArrayRef<Value> tapes,
                                   const IRMapping &outer, Value run) const {
  IRMapping primals = outer;
  for (auto [value, tape] : llvm::zip_equal(region.getKept(), tapes))
    primals.map(value, emitGet(builder, value.getLoc(), value.getType(),
                               outer.lookup(tape), run));
  return primals;
}

/// The cotangents of block arguments, zero where there is none.
static void takeArguments(OpBuilder &builder, const BlockAdjoint &region,
                          IRMapping &primals, Block &block,
                          ArrayRef<unsigned> numbers, ValueRange found,
                          SmallVectorImpl<Value> &cotangents) {
  cotangents.clear();
  for (unsigned number : numbers) {
    Value argument = block.getArgument(number);
    cotangents.push_back(
        found[number] ? found[number]
                      : emitZero(builder, argument.getLoc(), argument.getType(),
                                 region.emitSizes(builder, primals, argument)));
  }
}

void WhileAdjoint::emitBefore(OpBuilder &builder, const IRMapping &outer,
                              Value run, ValueRange handedOnCotangents,
                              SmallVectorImpl<Value> &carriedCotangents,
                              SmallVectorImpl<Value> &sums) const {
  scf::WhileOp loop = forward;
  IRMapping primals = mapPrimals(builder, *before, beforeTapes, outer, run);
  // The terminator's first operand is the condition.
  SmallVector<Value> seeds(loop.getConditionOp()->getNumOperands());
  for (auto [number, cotangent] : llvm::zip_equal(handedOn, handedOnCotangents))
    seeds[number + 1] = cotangent;
  BlockAdjoint::Cotangents found = before->emitBackward(
      builder, primals, seeds, captures.select(*before, sums));
  captures.scatter(*before, found.captures, sums);
  takeArguments(builder, *before, primals, *loop.getBeforeBody(), carried,
                found.arguments, carriedCotangents);
}

void WhileAdjoint::emitAfter(OpBuilder &builder, const IRMapping &outer,
                             Value run, ValueRange carriedCotangents,
                             SmallVectorImpl<Value> &handedOnCotangents,
                             SmallVectorImpl<Value> &sums) const {
  scf::WhileOp loop = forward;
  IRMapping primals = mapPrimals(builder, *after, afterTapes, outer, run);
  SmallVector<Value> seeds(loop.getYieldOp()->getNumOperands());
  for (auto [number, cotangent] : llvm::zip_equal(carried, carriedCotangents))
    seeds[number] = cotangent;
  BlockAdjoint::Cotangents found = after->emitBackward(
      builder, primals, seeds, captures.select(*after, sums));
  captures.scatter(*after, found.captures, sums);
  takeArguments(builder, *after, primals, *loop.getAfterBody(), handedOn,
                found.arguments, handedOnCotangents);
}

SmallVector<Value> WhileAdjoint::emitBackward(OpBuilder &builder,
                                              ValueRange residuals,
                                              ValueRange cotangents) const {
  scf::WhileOp loop = forward;
  Location loc = loop.getLoc();
  IRMapping outer = kept.map(residuals);
  SmallVector<Value> ofResults, ofArguments, sums;
  for (unsigned number : handedOn)
    ofResults.push_back(
        cotangents[number]
            ? cotangents[number]
            : sizes.emitZero(builder, outer, loop.getResult(number)));
  for (Value capture : captures.get())
    sums.push_back(sizes.emitZero(builder, outer, capture));

  SmallVector<Value> zeros = sums;
  // The last run of the first region, which found the condition false.
  Value count = outer.lookup(runs);
  emitBefore(builder, outer, count, ofResults, ofArguments, sums);

  SmallVector<Value> inits(ofArguments);
  llvm::append_range(inits, sums);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto backward = scf::ForOp::create(
      builder, loc, zero, count, one, inits,
      [&](OpBuilder &builder, Location loc, Value iv, ValueRange arguments) {
        Value last = arith::SubIOp::create(builder, loc, count, one);
        Value run = arith::SubIOp::create(builder, loc, last, iv);
        SmallVector<Value> ofArguments(arguments.take_front(carried.size()));
        SmallVector<Value> sums(arguments.drop_front(carried.size()));
        SmallVector<Value> ofResults;
        emitAfter(builder, outer, run, ofArguments, ofResults, sums);
        emitBefore(builder, outer, run, ofResults, ofArguments, sums);
        llvm::append_range(ofArguments, sums);
        scf::YieldOp::create(builder, loc, ofArguments);
      });
  SmallVector<Value> contributions(backward.getResults());
  if (llvm::equal(zeros, ArrayRef(inits).drop_front(carried.size())))
    dropUnchangedSums(backward, carried.size(), contributions);
  return contributions;
}

//===----------------------------------------------------------------------===//
// The forward
//===----------------------------------------------------------------------===//

/// Tapes with room for another run, in the first region.
static SmallVector<Value> emitRoom(OpBuilder &builder, Location loc, Value run,
                                   ValueRange tapes) {
  if (tapes.empty())
    return {};
  Value room = tensor::DimOp::create(builder, loc, tapes.front(), 0);
  Value isFull =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, run, room);
  auto ifFull = scf::IfOp::create(
      builder, loc, isFull,
      [&](OpBuilder &builder, Location loc) {
        scf::YieldOp::create(builder, loc, emitGrown(builder, loc, tapes));
      },
      [&](OpBuilder &builder, Location loc) {
        scf::YieldOp::create(builder, loc, tapes);
      });
  return llvm::to_vector_of<Value>(ifFull.getResults());
}

/// Puts the values that a block keeps on its tapes.
static void emitPuts(OpBuilder &builder, Block &block, ArrayRef<Value> values,
                     MutableArrayRef<Value> tapes, Value run) {
  for (auto [value, tape] : llvm::zip_equal(values, tapes)) {
    builder.setInsertionPoint(block.getTerminator());
    tape = emitPut(builder, value.getLoc(), value, tape, run);
  }
}

/// Takes the place of `loop`: counts the runs and keeps what the regions keep.
/// Iteration arguments, and results, in this order: the original's, the run,
/// the tapes of the first region, those of the second.
static scf::WhileOp emitLoopWithTapes(RewriterBase &rewriter, scf::WhileOp loop,
                                      const BlockAdjoint &before,
                                      const BlockAdjoint &after,
                                      ArrayRef<Value> tapes) {
  Location loc = loop.getLoc();
  SmallVector<Value> added = {arith::ConstantIndexOp::create(rewriter, loc, 0)};
  llvm::append_range(added, tapes);
  SmallVector<Type> addedTypes(ValueRange(added).getTypes());
  SmallVector<Location> locs(added.size(), loc);
  SmallVector<Value> inits(loop.getInits());
  llvm::append_range(inits, added);
  SmallVector<Type> types(loop.getResultTypes());
  llvm::append_range(types, addedTypes);
  auto widened = scf::WhileOp::create(rewriter, loc, types, inits);
  widened->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  widened.getBefore().takeBody(loop.getBefore());
  widened.getAfter().takeBody(loop.getAfter());
  size_t numBefore = before.getKept().size();

  Block &first = *widened.getBeforeBody();
  unsigned numArguments = first.getNumArguments();
  first.addArguments(addedTypes, locs);
  ValueRange arguments = first.getArguments().drop_front(numArguments);
  Value run = arguments.front();
  rewriter.setInsertionPointToStart(&first);
  SmallVector<Value> roomy =
      emitRoom(rewriter, loc, run, arguments.drop_front());
  emitPuts(rewriter, first, before.getKept(),
           MutableArrayRef(roomy).take_front(numBefore), run);
  Operation *condition = first.getTerminator();
  SmallVector<Value> handedOn = {run};
  llvm::append_range(handedOn, roomy);
  condition->insertOperands(condition->getNumOperands(), handedOn);

  Block &second = *widened.getAfterBody();
  numArguments = second.getNumArguments();
  second.addArguments(addedTypes, locs);
  arguments = second.getArguments().drop_front(numArguments);
  run = arguments.front();
  SmallVector<Value> filled(arguments.drop_front());
  emitPuts(rewriter, second, after.getKept(),
           MutableArrayRef(filled).drop_front(numBefore), run);
  Operation *yield = second.getTerminator();
  rewriter.setInsertionPoint(yield);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  SmallVector<Value> next = {arith::AddIOp::create(rewriter, loc, run, one)};
  llvm::append_range(next, filled);
  yield->insertOperands(yield->getNumOperands(), next);

  rewriter.replaceOp(loop,
                     widened.getResults().take_front(loop.getNumResults()));
  return widened;
}

/// The numbers, and the block arguments, that carry a cotangent.
static SmallVector<unsigned> getCarried(RegionAdjointContext &context,
                                        ValueRange arguments, ValueRange others,
                                        SmallVectorImpl<Value> &sized) {
  SmallVector<unsigned> numbers;
  for (auto [number, argument, other] : llvm::enumerate(arguments, others)) {
    if (!context.isActive(argument) && !context.isActive(other))
      continue;
    numbers.push_back(number);
    sized.push_back(argument);
  }
  return numbers;
}

namespace {
// t_k = g(b_k); b_k+1 = f(t_k) while c(b_k); result t_n
//   =>  b̄_n = g_bwd(t̄_n), then b̄_k = g_bwd(f_bwd(b̄_k+1)), last k first
struct While : RegionAdjointOpInterface::ExternalModel<While, scf::WhileOp> {
  FailureOr<RegionForward> emitForward(Operation *op, RewriterBase &rewriter,
                                       RegionAdjointContext &context) const {
    auto loop = cast<scf::WhileOp>(op);
    SmallVector<Value> sizedBefore, sizedAfter;
    SmallVector<unsigned> carried =
        getCarried(context, loop.getBeforeArguments(),
                   loop.getBeforeArguments(), sizedBefore);
    SmallVector<unsigned> handedOn = getCarried(
        context, loop.getAfterArguments(), loop.getResults(), sizedAfter);
    SizesAbove above(loop);
    auto canKeep = [&](Value value) { return above.areKnown(value); };
    FailureOr<const BlockAdjoint *> before = context.prepareBlock(
        *loop.getBeforeBody(), /*given=*/{}, sizedBefore, canKeep);
    FailureOr<const BlockAdjoint *> after = context.prepareBlock(
        *loop.getAfterBody(), /*given=*/{}, sizedAfter, canKeep);
    if (failed(before) || failed(after))
      return failure();

    RegionForward result;
    JointCaptures captures({*before, *after});
    for (unsigned number : carried)
      result.inputs.push_back(loop.getInits()[number]);
    llvm::append_range(result.inputs, captures.get());
    rewriter.setInsertionPoint(loop);
    Value room =
        arith::ConstantIndexOp::create(rewriter, loop.getLoc(), kFirstRuns);
    SmallVector<Value> tapes;
    for (const BlockAdjoint *region : {*before, *after})
      for (Value value : region->getKept())
        tapes.push_back(emitTape(rewriter, value.getLoc(), value.getType(),
                                 room, above.emit(rewriter, value)));
    unsigned numResults = loop.getNumResults();
    scf::WhileOp widened =
        emitLoopWithTapes(rewriter, loop, **before, **after, tapes);

    WhileAdjoint adjoint{widened, *before, *after, captures, {},      {},
                         Value(), {},      {},     carried,  handedOn};
    ValueRange added = widened.getResults().drop_front(numResults);
    adjoint.runs = added.front();
    size_t numBefore = (*before)->getKept().size();
    llvm::append_range(adjoint.beforeTapes,
                       added.drop_front().take_front(numBefore));
    llvm::append_range(adjoint.afterTapes,
                       added.drop_front().drop_front(numBefore));
    adjoint.kept.add(added);
    adjoint.kept.add((*before)->getRead());
    adjoint.kept.add((*after)->getRead());
    rewriter.setInsertionPoint(widened);
    for (Value capture : captures.get())
      adjoint.sizes.add(rewriter, capture, adjoint.kept);
    rewriter.setInsertionPointAfter(widened);
    for (unsigned number : handedOn)
      adjoint.sizes.add(rewriter, widened.getResult(number), adjoint.kept);
    result.forward = widened;
    llvm::append_range(result.residuals, adjoint.kept.get());
    result.emitBackward = [adjoint](OpBuilder &builder, ValueRange residuals,
                                    ValueRange cotangents) {
      return adjoint.emitBackward(builder, residuals, cotangents);
    };
    return result;
  }
};
} // namespace

void comm::registerScfWhileAdjointModel(MLIRContext &context) {
  scf::WhileOp::attachInterface<While>(context);
}
