//===- Evaluator.cpp - Functions and control flow -------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;

/// A program that takes longer does not end.
static constexpr int64_t kMaxSteps = 200000;

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

Ranks::Ranks(ModuleOp module) {
  for (auto mesh : module.getOps<MeshOp>()) {
    llvm::append_range(names,
                       mesh.getAxisNames().getAsValueRange<StringAttr>());
    llvm::append_range(sizes, mesh.getAxisSizes());
  }
  for (int64_t size : sizes)
    count *= size;
}

Ranks::Groups Ranks::getGroups(ArrayRef<StringRef> axes) const {
  Groups result;
  result.size = 1;
  result.groupOf.resize(count);
  result.numberOf.resize(count);
  std::map<std::vector<int64_t>, int64_t> known;
  for (int64_t rank = 0; rank < count; ++rank) {
    // The last axis of the mesh varies fastest.
    std::vector<int64_t> coordinates(sizes.size());
    int64_t rest = rank;
    for (int64_t axis = sizes.size() - 1; axis >= 0; --axis) {
      coordinates[axis] = rest % sizes[axis];
      rest /= sizes[axis];
    }
    // Numbered row-major in the order in which the axes are written.
    int64_t number = 0, size = 1;
    for (StringRef name : axes) {
      int64_t axis = llvm::find(names, name) - names.begin();
      number = number * sizes[axis] + coordinates[axis];
      size *= sizes[axis];
      coordinates[axis] = -1;
    }
    auto [entry, isNew] = known.try_emplace(coordinates, result.groups.size());
    if (isNew)
      result.groups.push_back({std::vector<int64_t>(size)});
    result.size = size;
    result.groupOf[rank] = entry->second;
    result.numberOf[rank] = number;
    result.groups[entry->second].members[number] = rank;
  }
  return result;
}

Ranks::Groups Ranks::getGroups(AxesAttr axes) const {
  SmallVector<StringRef> names;
  for (StringAttr axis : axes.getAxes())
    names.push_back(axis.getValue());
  return getGroups(names);
}

Ranks::Groups Ranks::getClasses(Attribute mark) const {
  if (auto axes = dyn_cast_or_null<AxesAttr>(mark))
    return getGroups(axes);
  return getGroups(ArrayRef<StringRef>());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void Evaluator::fail(Operation *op, const Twine &message) {
  if (hasFault())
    return;
  fault = message.str();
  if (!op)
    return;
  llvm::raw_string_ostream stream(fault);
  stream << " at: ";
  op->print(stream, OpPrintingFlags().skipRegions().useLocalScope());
}

const WorldTensor &Evaluator::get(Value value) {
  Pointer &pointer = values[value];
  if (!pointer)
    pointer = std::make_shared<WorldTensor>(world, ArrayRef<int64_t>(), true);
  return *pointer;
}

void Evaluator::set(Value value, WorldTensor result) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  bool fits = true;
  if (type) {
    fits = type.getRank() == static_cast<int64_t>(result.shape.size());
    for (int64_t dim = 0; fits && dim < type.getRank(); ++dim)
      fits =
          type.isDynamicDim(dim) || type.getDimSize(dim) == result.shape[dim];
  }
  if (!fits)
    fail(value.getDefiningOp(), "a value has not the shape of its type");
  if (observer)
    observer(value, result, active);
  values[value] = std::make_shared<WorldTensor>(std::move(result));
}

int64_t Evaluator::getFirstActive() const {
  for (int64_t rank = 0; rank < world.ranks; ++rank)
    if (active[rank])
      return rank;
  return 0;
}

int64_t Evaluator::getIndex(OpFoldResult value, int64_t rank) {
  if (auto constant = getConstantIntValue(value))
    return *constant;
  return get(cast<Value>(value)).integers[rank];
}

int64_t Evaluator::getIndex(OpFoldResult value) {
  int64_t first = getFirstActive(), index = getIndex(value, first);
  for (int64_t rank = 0; rank < world.ranks; ++rank)
    if (active[rank] && getIndex(value, rank) != index)
      fail(nullptr, "a size differs between ranks");
  return index;
}

bool Evaluator::isReplicated(const WorldTensor &value,
                             const Ranks::Groups &groups) const {
  for (const Ranks::Group &group : groups.groups) {
    int64_t first = -1;
    for (int64_t rank : group.members) {
      if (!active[rank])
        continue;
      if (first < 0)
        first = rank;
      for (int64_t i = 0; i < value.size; ++i)
        if (!value.isSame(first * value.size + i, rank * value.size + i))
          return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Functions and blocks
//===----------------------------------------------------------------------===//

Values Evaluator::call(func::FuncOp function, Values arguments) {
  auto check = [&](const WorldTensor &value, Attribute mark, const char *what,
                   unsigned number) {
    if (mark && !hasFault() && !isReplicated(value, ranks.getClasses(mark)))
      fail(nullptr, what + Twine(number) + " of '@" + function.getName() +
                        "' is marked replicated and differs between ranks");
  };
  for (auto [number, argument] : llvm::enumerate(arguments))
    check(argument, function.getArgAttr(number, kReplicatedAttrName),
          "argument ", number);
  // A function that runs again is new.
  auto outer = std::move(values);
  values.clear();
  Values results = run(function.getBody().front(), std::move(arguments));
  values = std::move(outer);
  for (auto [number, result] : llvm::enumerate(results))
    check(result, function.getResultAttr(number, kReplicatedAttrName),
          "result ", number);
  return results;
}

Values Evaluator::run(Block &block, Values arguments) {
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    set(argument, std::move(value));
  for (Operation &op : block.without_terminator()) {
    if (hasFault())
      break;
    if (++steps > kMaxSteps)
      fail(&op, "the program does not end");
    run(&op);
  }
  Values results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(get(value));
  return results;
}

void Evaluator::run(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return runStructured(structured);
  if (!runArith(op) && !runTensor(op) && !runComm(op) && !runControl(op))
    fail(op, "the reference does not know '" +
                 Twine(op->getName().getStringRef()) + "'");
}

void Evaluator::runCall(func::CallOp call) {
  auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
  Values arguments;
  for (Value operand : call.getOperands())
    arguments.push_back(get(operand));
  Values results = this->call(callee, std::move(arguments));
  for (auto [result, value] : llvm::zip(call.getResults(), results))
    set(result, std::move(value));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

// Every region runs for all ranks at once and the values are picked afterwards:
// a group that does not run a collective takes part in nothing of those that
// do.

/// x with zeros behind, up to the shape. Only tapes have other sizes on other
/// ranks: here all are as long as the longest, and a rank that reads more of
/// its own than it has written reads zeros.
static WorldTensor pad(const WorldTensor &x, ArrayRef<int64_t> shape) {
  if (ArrayRef<int64_t>(x.shape) == shape)
    return x;
  std::vector<int64_t> source;
  int64_t size = oracle::getSize(shape);
  for (int64_t k = 0; k < x.world->ranks * size; ++k) {
    SmallVector<int64_t, 4> indices = getIndices(shape, k % size);
    bool isInside = llvm::all_of_zip(
        indices, x.shape, [](int64_t i, int64_t n) { return i < n; });
    source.push_back(
        isInside ? k / size * x.size + getPosition(x.shape, indices) : -1);
  }
  return gather(x, shape, source);
}

Values Evaluator::merge(const std::vector<bool> &condition, Values a,
                        Values b) {
  WorldTensor picks = makeIndex({});
  for (int64_t rank = 0; rank < world.ranks; ++rank)
    picks.integers[rank] = condition[rank];
  Values result;
  for (auto [x, y] : llvm::zip(a, b)) {
    SmallVector<int64_t> shape(x.shape.begin(), x.shape.end());
    for (auto [size, other] : llvm::zip_equal(shape, y.shape))
      size = std::max(size, other);
    WorldTensor picked = select(picks, pad(x, shape), pad(y, shape));
    picked.shape.assign(shape.begin(), shape.end());
    result.push_back(std::move(picked));
  }
  return result;
}

Values Evaluator::runFor(const std::vector<bool> &condition, Block &block,
                         Values arguments) {
  std::vector<bool> outer = active;
  for (int64_t rank = 0; rank < world.ranks; ++rank)
    active[rank] = active[rank] && condition[rank];
  Values results = run(block, std::move(arguments));
  active = outer;
  return results;
}

static bool isAnySet(const std::vector<bool> &flags) {
  return llvm::is_contained(flags, true);
}

void Evaluator::runIf(scf::IfOp op) {
  std::vector<bool> taken(world.ranks), other(world.ranks);
  for (int64_t rank = 0; rank < world.ranks; ++rank) {
    taken[rank] = active[rank] && get(op.getCondition()).integers[rank];
    other[rank] = active[rank] && !taken[rank];
  }
  Values results, alternative;
  if (isAnySet(taken))
    results = runFor(taken, *op.thenBlock(), {});
  if (isAnySet(other) && op.elseBlock())
    alternative = runFor(other, *op.elseBlock(), {});
  if (!isAnySet(taken))
    results = alternative;
  else if (isAnySet(other))
    results = merge(taken, std::move(results), std::move(alternative));
  for (auto [result, value] : llvm::zip(op.getResults(), results))
    set(result, std::move(value));
}

void Evaluator::runSwitch(scf::IndexSwitchOp op) {
  Values results;
  auto runCase = [&](llvm::function_ref<bool(int64_t)> isTaken, Block &block) {
    std::vector<bool> taken(world.ranks);
    for (int64_t rank = 0; rank < world.ranks; ++rank)
      taken[rank] = active[rank] && isTaken(get(op.getArg()).integers[rank]);
    if (!isAnySet(taken))
      return;
    Values values = runFor(taken, block, {});
    results = results.empty()
                  ? values
                  : merge(taken, std::move(values), std::move(results));
  };
  for (auto [number, value] : llvm::enumerate(op.getCases()))
    runCase([&, value = value](int64_t arg) { return arg == value; },
            op.getCaseBlock(number));
  runCase([&](int64_t arg) { return !llvm::is_contained(op.getCases(), arg); },
          op.getDefaultBlock());
  for (auto [result, value] : llvm::zip(op.getResults(), results))
    set(result, std::move(value));
}

void Evaluator::runFor(scf::ForOp op) {
  Values carried;
  for (Value init : op.getInitArgs())
    carried.push_back(get(init));
  WorldTensor index = get(op.getLowerBound());
  WorldTensor upper = get(op.getUpperBound()), step = get(op.getStep());
  while (!hasFault()) {
    std::vector<bool> runs(world.ranks);
    for (int64_t rank = 0; rank < world.ranks; ++rank)
      runs[rank] = active[rank] && index.integers[rank] < upper.integers[rank];
    if (!isAnySet(runs))
      break;
    Values arguments = carried;
    arguments.insert(arguments.begin(), index);
    Values next = runFor(runs, *op.getBody(), std::move(arguments));
    carried = merge(runs, std::move(next), std::move(carried));
    for (int64_t rank = 0; rank < world.ranks; ++rank)
      index.integers[rank] += step.integers[rank];
  }
  for (auto [result, value] : llvm::zip(op.getResults(), carried))
    set(result, std::move(value));
}

void Evaluator::runWhile(scf::WhileOp op) {
  Values carried, results;
  for (Value init : op.getInits())
    carried.push_back(get(init));
  std::vector<bool> runs = active;
  bool isFirst = true;
  while (!hasFault() && isAnySet(runs)) {
    // The first operand of scf.condition is the condition.
    Values before = runFor(runs, *op.getBeforeBody(), carried);
    std::vector<bool> goesOn(world.ranks);
    for (int64_t rank = 0; rank < world.ranks; ++rank)
      goesOn[rank] = runs[rank] && before[0].integers[rank];
    before.erase(before.begin());
    results = isFirst ? before : merge(runs, before, std::move(results));
    isFirst = false;
    runs = goesOn;
    if (!isAnySet(runs))
      break;
    carried = merge(runs, runFor(runs, *op.getAfterBody(), before),
                    std::move(carried));
  }
  for (auto [result, value] : llvm::zip(op.getResults(), results))
    set(result, std::move(value));
}

bool Evaluator::runControl(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    runCall(call);
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    runIf(branch);
  else if (auto loop = dyn_cast<scf::ForOp>(op))
    runFor(loop);
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    runWhile(loop);
  else if (auto branch = dyn_cast<scf::IndexSwitchOp>(op))
    runSwitch(branch);
  else
    return false;
  return true;
}
