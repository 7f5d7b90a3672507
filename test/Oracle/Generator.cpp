//===- Generator.cpp - The frame of a random program ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;

//===----------------------------------------------------------------------===//
// Meshes and axes
//===----------------------------------------------------------------------===//

void Generator::makeMesh() {
  // Simple ones first: a failing program is reduced towards them.
  static const std::vector<std::vector<int64_t>> meshes = {
      {2},    {3},    {2, 2}, {2, 3},    {3, 2},    {4},    {1},       {1, 3},
      {2, 1}, {5},    {6},    {1, 1},    {2, 1, 2}, {2, 4}, {2, 2, 2}, {8},
      {7},    {4, 2}, {3, 1}, {1, 2, 3}, {2, 3, 1}, {3, 2}, {2, 3},    {3}};
  llvm::append_range(axisSizes, choices.chooseFrom(meshes));
  static const char *const names[] = {"a", "b", "c"};
  SmallVector<Attribute> axes;
  for (size_t axis = 0; axis < axisSizes.size(); ++axis)
    axes.push_back(builder.getStringAttr(names[axis]));
  MeshOp::create(builder, loc, builder.getStringAttr("mesh"),
                 builder.getArrayAttr(axes),
                 builder.getDenseI64ArrayAttr(axisSizes));
}

AxesAttr Generator::getAttr(ArrayRef<int64_t> axes) {
  static const char *const names[] = {"a", "b", "c"};
  SmallVector<StringAttr> attrs;
  for (int64_t axis : axes)
    attrs.push_back(builder.getStringAttr(names[axis]));
  return AxesAttr::get(builder.getContext(),
                       FlatSymbolRefAttr::get(builder.getContext(), "mesh"),
                       attrs);
}

AxesAttr Generator::getMark(AxisSet axes) {
  SmallVector<int64_t> list;
  for (size_t axis = 0; axis < axisSizes.size(); ++axis)
    if (axes >> axis & 1)
      list.push_back(axis);
  return list.empty() ? AxesAttr() : getAttr(list);
}

SmallVector<int64_t> Generator::chooseAxes(AxisSet from) {
  SmallVector<int64_t> list;
  for (size_t axis = 0; axis < axisSizes.size(); ++axis)
    if (from >> axis & 1)
      list.push_back(axis);
  SmallVector<int64_t> chosen;
  while (!list.empty()) {
    int64_t at = choices.choose(list.size());
    chosen.push_back(list[at]);
    list.erase(list.begin() + at);
    if (choices.choose(2) == 0)
      break;
  }
  return chosen;
}

AxisSet Generator::chooseSubset(AxisSet axes) {
  AxisSet subset = 0;
  for (size_t axis = 0; axis < axisSizes.size(); ++axis)
    if (axes >> axis & 1 && choices.choose(2))
      subset |= AxisSet(1) << axis;
  return subset;
}

int64_t Generator::getGroupSize(ArrayRef<int64_t> axes) const {
  int64_t size = 1;
  for (int64_t axis : axes)
    size *= axisSizes[axis];
  return size;
}

/// Axes of one rank never count.
AxisSet Generator::getSet(ArrayRef<int64_t> axes) const {
  AxisSet set = 0;
  for (int64_t axis : axes)
    if (axisSizes[axis] > 1)
      set |= AxisSet(1) << axis;
  return set;
}

//===----------------------------------------------------------------------===//
// What is at hand
//===----------------------------------------------------------------------===//

void Generator::add(Value value, ArrayRef<int64_t> shape, AxisSet varying) {
  pool.push_back({value, SmallVector<int64_t>(shape), varying | control});
}

void Generator::addLocal(Value value, ArrayRef<int64_t> shape,
                         ArrayRef<Entry> from) {
  AxisSet varying = 0;
  for (const Entry &entry : from)
    varying |= entry.varying;
  add(value, shape, varying);
}

Generator::Entry Generator::pick() {
  int64_t count = pool.size();
  if (choices.choose(2) == 0)
    return pool[count - 1 - choices.choose(std::min<int64_t>(count, 3))];
  return pool[choices.choose(count)];
}

std::optional<Generator::Entry>
Generator::pickWhere(llvm::function_ref<bool(const Entry &)> isGood) {
  std::vector<Entry> good;
  for (const Entry &entry : llvm::reverse(pool))
    if (isGood(entry))
      good.push_back(entry);
  if (good.empty())
    return std::nullopt;
  return choices.chooseFrom(good);
}

Value Generator::getStatic(const Entry &entry) {
  RankedTensorType type = getType(entry.shape);
  if (entry.value.getType() == type)
    return entry.value;
  return tensor::CastOp::create(builder, loc, type, entry.value);
}

Value Generator::getLike(const Entry &entry, Value other) {
  if (entry.value.getType() == other.getType())
    return entry.value;
  return tensor::CastOp::create(builder, loc, other.getType(), entry.value);
}

double Generator::chooseNumber() {
  static const double numbers[] = {2, 1, -1, 3, 0.5, -2, 0};
  return choices.chooseFrom(numbers);
}

Value Generator::makeConstant(ArrayRef<int64_t> shape) {
  SmallVector<Attribute> numbers;
  bool isSplat = choices.choose(2) == 0;
  for (int64_t i = 0; i < ShapedType::getNumElements(shape); ++i)
    numbers.push_back(isSplat && i
                          ? numbers[0]
                          : builder.getFloatAttr(element, chooseNumber()));
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(getType(shape), numbers));
}

Value Generator::makeScalarConstant(double number) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(element, number));
}

Value Generator::makeIndex(int64_t number) {
  return arith::ConstantIndexOp::create(builder, loc, number);
}

SmallVector<int64_t> Generator::chooseShape() {
  static const int64_t sizes[] = {2, 1, 3, 4};
  int64_t all = 1;
  for (int64_t size : axisSizes)
    all *= size;
  SmallVector<int64_t> shape;
  int64_t rank = choices.choose(4);
  // Simple is rank 1.
  rank = rank == 0 ? 1 : rank == 1 ? 2 : rank == 2 ? 0 : 3;
  for (int64_t dim = 0; dim < rank; ++dim) {
    // Something to split.
    int64_t size = choices.choose(3) == 0
                       ? choices.choose(2)
                             ? axisSizes[choices.choose(axisSizes.size())]
                             : all
                       : choices.chooseFrom(sizes);
    shape.push_back(ShapedType::getNumElements(shape) * size <= 12 ? size : 1);
  }
  return shape;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void Generator::step(int64_t depth) {
  size_t span = choices.beginSpan();
  switch (choices.choose(options.hasControlFlow ? 21 : 17)) {
  case 0:
  case 1:
  case 2:
    stepBinary();
    break;
  case 3:
  case 4:
    stepUnary();
    break;
  case 5:
  case 6:
  case 7:
  case 8:
  case 9:
    stepCollective();
    break;
  case 10:
  case 11:
  case 12:
    stepTensor();
    break;
  case 13:
  case 14:
    stepLinalg();
    break;
  case 15:
    stepCall();
    break;
  case 16:
    stepMessages();
    break;
  case 17:
    stepIf(depth);
    break;
  case 18:
    stepSwitch(depth);
    break;
  case 19:
    stepWhile(depth);
    break;
  default:
    stepFor(depth);
    break;
  }
  choices.endSpan(span);
}

Generator::Function
Generator::makeFunction(StringRef name, ArrayRef<SmallVector<int64_t>> shapes,
                        ArrayRef<AxisSet> marks, int64_t steps, bool isMain) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> types;
  for (ArrayRef<int64_t> shape : shapes) {
    SmallVector<int64_t> sizes(shape);
    if (isMain && hasDynamicSizes)
      for (int64_t &size : sizes)
        if (choices.choose(2))
          size = ShapedType::kDynamic;
    types.push_back(getType(sizes));
  }
  auto function = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, {}));
  if (!isMain)
    function.setPrivate();
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);

  std::vector<Entry> outerPool = std::move(pool);
  AxisSet outerControl = std::exchange(control, 0);
  Value outerRun = std::exchange(runNumber, Value());
  pool.clear();
  SmallVector<int64_t> allAxes;
  for (size_t axis = 0; axis < axisSizes.size(); ++axis)
    allAxes.push_back(axis);
  for (auto [number, argument] : llvm::enumerate(entry->getArguments())) {
    if (AxesAttr mark = getMark(marks[number]))
      function.setArgAttr(number, kReplicatedAttrName, mark);
    add(argument, shapes[number], getSet(allAxes) & ~marks[number]);
  }
  for (int64_t i = 0; i < steps; ++i)
    step(/*depth=*/0);

  // What nothing uses yet is returned first.
  Function result{function, SmallVector<SmallVector<int64_t>>(shapes),
                  {},       SmallVector<AxisSet>(marks),
                  {},       false};
  SmallVector<Value> returned;
  SmallVector<AxisSet> wrong;
  int64_t count = 1 + choices.choose(isMain ? 3 : 2);
  for (int64_t i = 0; i < count; ++i) {
    std::optional<Entry> leaf = pickWhere([&](const Entry &entry) {
      return entry.value.use_empty() &&
             !llvm::is_contained(returned, entry.value);
    });
    Entry entry = leaf && !choices.chooseOnceIn(6) ? *leaf : pick();
    returned.push_back(entry.value);
    result.resultShapes.push_back(entry.shape);
    AxisSet proved = getSet(allAxes) & ~entry.varying;
    result.resultMarks.push_back(chooseSubset(proved));
    wrong.push_back(entry.varying);
  }
  func::ReturnOp::create(builder, loc, returned);
  function.setType(
      builder.getFunctionType(types, ValueRange(returned).getTypes()));
  if (isMain && options.hasWrongClaims && wrong[0]) {
    result.resultMarks[0] |= wrong[0];
    result.hasWrongClaim = true;
  }
  for (auto [number, mark] : llvm::enumerate(result.resultMarks))
    if (AxesAttr attr = getMark(mark))
      function.setResultAttr(number, kReplicatedAttrName, attr);
  pool = std::move(outerPool);
  control = outerControl;
  runNumber = outerRun;
  if (options.hasControlFlow)
    markRecomputed(function);
  return result;
}

GeneratedProgram Generator::generate() {
  GeneratedProgram program;
  program.module = ModuleOp::create(loc);
  module = *program.module;
  builder.setInsertionPointToStart(module.getBody());
  element =
      choices.choose(4) == 3 ? builder.getF32Type() : builder.getF64Type();
  makeMesh();
  hasDynamicSizes = choices.chooseOnceIn(5);
  int64_t count = 1 + choices.choose(3);
  AxisSet all = (AxisSet(1) << axisSizes.size()) - 1;
  SmallVector<AxisSet> marks;
  for (int64_t i = 0; i < count; ++i) {
    size_t span = choices.beginSpan();
    program.shapes.push_back(i && choices.choose(2) ? program.shapes[0]
                                                    : chooseShape());
    marks.push_back(chooseSubset(all));
    choices.endSpan(span);
  }
  int64_t steps = 1 + choices.choose(options.maxSteps);
  Function main = makeFunction("f", program.shapes, marks, steps, true);
  program.hasWrongClaim = main.hasWrongClaim;
  return program;
}
