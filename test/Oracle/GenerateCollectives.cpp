//===- GenerateCollectives.cpp - Collectives of a random program ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;

Value Generator::makeAxisIndex(ArrayRef<int64_t> axes) {
  return AxisIndexOp::create(builder, loc, getAttr(axes));
}

void Generator::stepCollective() {
  AxisSet all = ((AxisSet(1) << axisSizes.size()) - 1) & ~control;
  SmallVector<int64_t> axes = chooseAxes(all);
  if (axes.empty())
    return;
  int64_t n = getGroupSize(axes);
  AxisSet group = getSet(axes);
  AxesAttr attr = getAttr(axes);

  enum Kind {
    AllReduce,
    Vary,
    AllGather,
    AllSlice,
    ReduceScatter,
    AllToAll,
    Permute,
    Broadcast,
    RootMask,
    Reduce,
    Gather,
    Scatter,
    Count
  };
  Kind kind = static_cast<Kind>(choices.choose(Count));
  bool wantsReplicated = kind == Vary || kind == AllSlice || kind == RootMask;
  bool divides = kind == AllSlice || kind == ReduceScatter ||
                 kind == AllToAll || kind == Scatter;
  bool multiplies = kind == AllGather || kind == Gather;
  auto getDims = [&](const Entry &entry) {
    SmallVector<int64_t> dims;
    int64_t count = 1;
    for (int64_t size : entry.shape)
      count *= size;
    for (auto [dim, size] : llvm::enumerate(entry.shape))
      if ((!divides || size % n == 0) &&
          (!multiplies || count * n <= kMaxElements))
        dims.push_back(dim);
    return dims;
  };
  std::optional<Entry> found = pickWhere([&](const Entry &entry) {
    return (!wantsReplicated || !(entry.varying & group)) &&
           (!(divides || multiplies) || !getDims(entry).empty());
  });
  if (!found)
    return;
  Entry x = *found;
  auto type = cast<RankedTensorType>(x.value.getType());
  SmallVector<int64_t> dims = getDims(x);
  int64_t dim = dims.empty() ? 0 : choices.chooseFrom(dims);
  int64_t root = choices.choose(n);
  ReductionKind additive =
      choices.choose(2) ? ReductionKind::Avg : ReductionKind::Sum;

  // The sizes that the op changes; open ones stay open.
  SmallVector<int64_t> shape = x.shape, sizes(type.getShape());
  auto resize = [&](int64_t at, bool up) {
    shape[at] = up ? shape[at] * n : shape[at] / n;
    if (!ShapedType::isDynamic(sizes[at]))
      sizes[at] = shape[at];
  };
  if (divides && kind != AllToAll)
    resize(dim, false);
  if (multiplies)
    resize(dim, true);
  AxisSet reduced = x.varying & ~group, spread = x.varying | group;

  switch (kind) {
  case AllReduce: {
    static const ReductionKind kinds[] = {
        ReductionKind::Sum, ReductionKind::Avg, ReductionKind::Sum,
        ReductionKind::Max, ReductionKind::Min, ReductionKind::Prod};
    add(AllReduceOp::create(builder, loc, x.value, choices.chooseFrom(kinds),
                            attr)
            .getResult(),
        shape, reduced);
    break;
  }
  case Vary:
    add(VaryOp::create(builder, loc, x.value, attr), shape, spread);
    break;
  case AllGather:
    add(AllGatherOp::create(builder, loc, getType(sizes), x.value, dim, attr)
            .getResult(),
        shape, reduced);
    break;
  case AllSlice:
    add(AllSliceOp::create(builder, loc, getType(sizes), x.value, dim, attr),
        shape, spread);
    break;
  case ReduceScatter:
    add(ReduceScatterOp::create(builder, loc, getType(sizes), x.value, additive,
                                dim, attr)
            .getResult(),
        shape, spread);
    break;
  case AllToAll: {
    int64_t concat = choices.choose(shape.size());
    if (concat != dim) {
      resize(dim, false);
      resize(concat, true);
    }
    add(AllToAllOp::create(builder, loc, getType(sizes), x.value, dim, concat,
                           attr)
            .getResult(),
        shape, spread);
    break;
  }
  case Permute: {
    SmallVector<int64_t> sources, targets, pairs;
    for (int64_t rank = 0; rank < n; ++rank) {
      sources.push_back(rank);
      targets.push_back(rank);
    }
    int64_t count = choices.choose(n + 1);
    for (int64_t pair = 0; pair < count; ++pair)
      for (SmallVector<int64_t> *list : {&sources, &targets}) {
        int64_t at = choices.choose(list->size());
        pairs.push_back((*list)[at]);
        list->erase(list->begin() + at);
      }
    add(PermuteOp::create(builder, loc, x.value, pairs, attr).getResult(),
        shape, spread);
    break;
  }
  case Broadcast:
    add(BroadcastOp::create(builder, loc, x.value, root, attr).getResult(),
        shape, reduced);
    break;
  case RootMask:
    add(RootMaskOp::create(builder, loc, x.value, root, attr), shape, spread);
    break;
  case Reduce:
    add(ReduceOp::create(builder, loc, x.value, additive, root, attr)
            .getResult(),
        shape, spread);
    break;
  case Gather:
    add(GatherOp::create(builder, loc, getType(sizes), x.value, dim, root, attr)
            .getResult(),
        shape, spread);
    break;
  case Scatter:
    add(ScatterOp::create(builder, loc, getType(sizes), x.value, dim, root,
                          attr)
            .getResult(),
        shape, spread);
    break;
  case Count:
    break;
  }
}

void Generator::stepMessages() {
  AxisSet all = ((AxisSet(1) << axisSizes.size()) - 1) & ~control;
  SmallVector<int64_t> axes = chooseAxes(all);
  int64_t n = getGroupSize(axes);
  if (axes.empty() || n < 2)
    return;
  struct Message {
    Entry entry;
    int64_t from, to;
    SendOp send;
  };
  std::vector<Message> messages;
  int64_t count = 1 + choices.choose(2);
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = choices.choose(n);
    int64_t to = (from + 1 + choices.choose(n - 1)) % n;
    // Two ranks that send to each other before they take would wait for ever.
    if (i && messages[0].from == to && messages[0].to == from)
      break;
    Entry x = pick();
    messages.push_back(
        {x, from, to,
         SendOp::create(builder, loc, x.value, from, to, getAttr(axes))});
  }
  for (Message &message : messages)
    add(RecvOp::create(builder, loc, message.send.getMessage()).getResult(),
        message.entry.shape, message.entry.varying | getSet(axes));
}
