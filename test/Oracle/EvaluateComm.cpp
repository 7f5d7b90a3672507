//===- EvaluateComm.cpp - Collectives, by the table -----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;

/// The position of chunk `chunk` of n along `dim` of `whole`, at the position
/// `within` of the chunk.
static int64_t getChunkPosition(ArrayRef<int64_t> whole, int64_t dim, int64_t n,
                                int64_t chunk, int64_t within) {
  SmallVector<int64_t> part(whole);
  part[dim] /= n;
  SmallVector<int64_t, 4> indices = getIndices(part, within);
  indices[dim] += chunk * part[dim];
  return getPosition(whole, indices);
}

/// y[r] = the elementwise reduction of x over the group of r, in group order.
void Evaluator::runReduction(Operation *op, ReductionKind reduction,
                             const Ranks::Groups &groups, const WorldTensor &x,
                             WorldTensor &y) {
  for (const Ranks::Group &group : groups.groups)
    for (int64_t i = 0; i < x.size; ++i) {
      WorldTensor value(world, {}, x.isFloat);
      value.copy(0, x, group.members[0] * x.size + i);
      SmallVector<Candidate> candidates;
      for (int64_t rank : group.members)
        candidates.push_back({&x, rank * x.size + i});
      for (const Candidate &next : llvm::drop_begin(candidates)) {
        int64_t number = x.isFloat ? 0 : x.integers[next.position];
        switch (reduction) {
        case ReductionKind::Sum:
        case ReductionKind::Avg:
          value.accumulate(0, x, next.position);
          break;
        case ReductionKind::Prod:
          value.multiply(0, x, next.position);
          break;
        case ReductionKind::And:
          value.integers[0] &= number;
          break;
        case ReductionKind::Or:
          value.integers[0] |= number;
          break;
        case ReductionKind::Xor:
          value.integers[0] ^= number;
          break;
        case ReductionKind::Max:
          if (!x.isFloat)
            value.integers[0] = std::max(value.integers[0], number);
          break;
        case ReductionKind::Min:
          if (!x.isFloat)
            value.integers[0] = std::min(value.integers[0], number);
          break;
        }
      }
      bool isExtremum =
          reduction == ReductionKind::Max || reduction == ReductionKind::Min;
      if (x.isFloat && isExtremum)
        setExtremum(value, 0, reduction == ReductionKind::Max, candidates);
      if (reduction == ReductionKind::Avg)
        value.scale(0, 1, group.members.size());
      for (int64_t rank : group.members)
        y.copy(rank * y.size + i, value, 0);
    }
  (void)op;
}

bool Evaluator::runComm(Operation *op) {
  if (auto index = dyn_cast<AxisIndexOp>(op)) {
    Ranks::Groups groups = ranks.getGroups(index.getAxes());
    WorldTensor y = makeIndex({});
    y.integers = groups.numberOf;
    set(index, std::move(y));
    return true;
  }
  if (isa<BarrierOp>(op))
    return true;
  if (auto stop = dyn_cast<StopGradientOp>(op)) {
    WorldTensor y = get(stop.getInput());
    y.derivatives.clear();
    set(stop, std::move(y));
    return true;
  }
  auto collective = dyn_cast<CollectiveOpInterface>(op);
  if (!collective)
    return false;

  const WorldTensor x = get(collective.getInputValue());
  Ranks::Groups groups = ranks.getGroups(collective.getGroup());
  int64_t n = groups.size;
  for (const Ranks::Group &group : groups.groups)
    for (int64_t rank : group.members)
      if (active[rank] != active[group.members[0]])
        fail(op, "a collective is reached by a part of its group");

  // Most of them only move: y[i] on rank r is x[source(r, i)].
  auto move = [&](ArrayRef<int64_t> shape,
                  llvm::function_ref<int64_t(int64_t, int64_t)> source) {
    std::vector<int64_t> positions;
    for (int64_t rank = 0; rank < world.ranks; ++rank)
      for (int64_t i = 0; i < oracle::getSize(shape); ++i)
        positions.push_back(source(rank, i));
    set(op->getResult(0), gather(x, shape, positions));
    return true;
  };
  auto own = [&](int64_t rank, int64_t i) { return rank * x.size + i; };
  auto resized = [&](std::optional<int64_t> divided,
                     std::optional<int64_t> multiplied) {
    SmallVector<int64_t> shape(x.shape.begin(), x.shape.end());
    if (multiplied)
      shape[*multiplied] *= n;
    if (divided)
      shape[*divided] /= n;
    return shape;
  };
  /// Element i of the concatenation along dim of what the group of r holds.
  auto concatenated = [&](int64_t dim, int64_t rank, int64_t i) {
    SmallVector<int64_t, 4> indices = getIndices(resized({}, dim), i);
    int64_t j = indices[dim] / x.shape[dim];
    indices[dim] %= x.shape[dim];
    return groups.getMember(rank, j) * x.size + getPosition(x.shape, indices);
  };
  auto isRoot = [&](int64_t rank, int64_t root) {
    return groups.numberOf[rank] == root;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](VaryOp) { return move(x.shape, own); })
      .Case([&](AllReduceOp op) {
        WorldTensor y(world, x.shape, x.isFloat);
        runReduction(op, op.getReduction(), groups, x, y);
        set(op.getResult(), std::move(y));
        return true;
      })
      .Case([&](AllGatherOp op) {
        return move(resized({}, op.getDim()), [&](int64_t rank, int64_t i) {
          return concatenated(op.getDim(), rank, i);
        });
      })
      .Case([&](AllSliceOp op) {
        return move(resized(op.getDim(), {}), [&](int64_t rank, int64_t i) {
          return rank * x.size + getChunkPosition(x.shape, op.getDim(), n,
                                                  groups.numberOf[rank], i);
        });
      })
      .Case([&](ReduceScatterOp op) {
        WorldTensor sum(world, x.shape, x.isFloat);
        runReduction(op, op.getReduction(), groups, x, sum);
        std::vector<int64_t> source;
        SmallVector<int64_t> shape = resized(op.getDim(), {});
        for (int64_t rank = 0; rank < world.ranks; ++rank)
          for (int64_t i = 0; i < oracle::getSize(shape); ++i)
            source.push_back(rank * x.size +
                             getChunkPosition(x.shape, op.getDim(), n,
                                              groups.numberOf[rank], i));
        set(op.getResult(), gather(sum, shape, source));
        return true;
      })
      .Case([&](AllToAllOp op) {
        // Chunk i of each x_j, put together along the other dimension.
        int64_t split = op.getSplitDim(), concat = op.getConcatDim();
        SmallVector<int64_t> part = resized(split, {});
        SmallVector<int64_t> shape(part);
        shape[concat] *= n;
        return move(shape, [&](int64_t rank, int64_t i) {
          SmallVector<int64_t, 4> indices = getIndices(shape, i);
          int64_t j = indices[concat] / part[concat];
          indices[concat] %= part[concat];
          return groups.getMember(rank, j) * x.size +
                 getChunkPosition(x.shape, split, n, groups.numberOf[rank],
                                  getPosition(part, indices));
        });
      })
      .Case([&](PermuteOp op) {
        return move(x.shape, [&](int64_t rank, int64_t i) -> int64_t {
          ArrayRef<int64_t> pairs = op.getPairs();
          for (size_t k = 0; k < pairs.size(); k += 2)
            if (isRoot(rank, pairs[k + 1]))
              return groups.getMember(rank, pairs[k]) * x.size + i;
          return -1;
        });
      })
      .Case([&](BroadcastOp op) {
        return move(x.shape, [&](int64_t rank, int64_t i) {
          return groups.getMember(rank, op.getRoot()) * x.size + i;
        });
      })
      .Case([&](RootMaskOp op) {
        return move(x.shape, [&](int64_t rank, int64_t i) {
          return isRoot(rank, op.getRoot()) ? own(rank, i) : -1;
        });
      })
      .Case([&](ReduceOp op) {
        WorldTensor y(world, x.shape, x.isFloat);
        runReduction(op, op.getReduction(), groups, x, y);
        std::vector<int64_t> source;
        for (int64_t rank = 0; rank < world.ranks; ++rank)
          for (int64_t i = 0; i < x.size; ++i)
            source.push_back(isRoot(rank, op.getRoot()) ? own(rank, i) : -1);
        set(op.getResult(), gather(y, x.shape, source));
        return true;
      })
      .Case([&](GatherOp op) {
        return move(resized({}, op.getDim()), [&](int64_t rank, int64_t i) {
          return isRoot(rank, op.getRoot()) ? concatenated(op.getDim(), rank, i)
                                            : -1;
        });
      })
      .Case([&](ScatterOp op) {
        return move(resized(op.getDim(), {}), [&](int64_t rank, int64_t i) {
          return groups.getMember(rank, op.getRoot()) * x.size +
                 getChunkPosition(x.shape, op.getDim(), n,
                                  groups.numberOf[rank], i);
        });
      })
      .Case([&](SendOp) { return move(x.shape, own); })
      .Case([&](RecvOp op) {
        SendOp send = op.getSend();
        return move(x.shape, [&](int64_t rank, int64_t i) {
          return isRoot(rank, send.getTo())
                     ? groups.getMember(rank, send.getFrom()) * x.size + i
                     : -1;
        });
      })
      .Default([](Operation *) { return false; });
}
