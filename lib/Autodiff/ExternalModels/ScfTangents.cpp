//===- ScfTangents.cpp - Tangents of structured control flow --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The op carries, behind its values, the tangents of those that are active.

#include "comm/Autodiff/ExternalModels.h"
#include "comm/Interfaces/RegionTangentOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;

using Numbers = SmallVector<unsigned>;

namespace {
/// The numbers of the values whose tangents go along: of operands and results,
/// and per region of the block's arguments and of its terminator's operands.
struct Carried {
  Numbers operands, results;
  SmallVector<Numbers> arguments, yielded;

  explicit Carried(Operation *op)
      : arguments(op->getNumRegions()), yielded(op->getNumRegions()) {}
};
} // namespace

/// The numbers of the values that are active in either list.
static Numbers getActive(const TangentDriver &driver, ValueRange values,
                         ValueRange others) {
  Numbers numbers;
  for (auto [number, pair] : llvm::enumerate(llvm::zip_equal(values, others)))
    if (driver.isActive(std::get<0>(pair)) ||
        driver.isActive(std::get<1>(pair)))
      numbers.push_back(number);
  return numbers;
}

static Numbers shift(Numbers numbers, unsigned by) {
  for (unsigned &number : numbers)
    number += by;
  return numbers;
}

/// An op like another one, with empty regions.
static Operation *createLike(OpBuilder &builder, Operation *op, TypeRange types,
                             ValueRange operands) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (unsigned region = 0; region < op->getNumRegions(); ++region)
    state.addRegion();
  return builder.create(state);
}

/// Operands of the primal op as they are called in the copy, then the tangents
/// of those that are carried.
static SmallVector<Value> widenOperands(OperandRange operands,
                                        ArrayRef<unsigned> carried,
                                        TangentDriver &driver) {
  SmallVector<Value> widened;
  for (Value operand : operands)
    widened.push_back(driver.getPrimal(operand));
  for (unsigned number : carried)
    widened.push_back(driver.getTangentOrZero(operands[number]));
  return widened;
}

static LogicalResult widenRegion(Region &region, Region &widened,
                                 ArrayRef<unsigned> arguments,
                                 ArrayRef<unsigned> yielded,
                                 TangentDriver &driver) {
  if (region.empty())
    return success();
  Block &block = region.front();
  Block &copy = widened.emplaceBlock();
  for (BlockArgument argument : block.getArguments())
    driver.setPrimal(argument,
                     copy.addArgument(argument.getType(), argument.getLoc()));
  for (unsigned number : arguments) {
    BlockArgument argument = block.getArgument(number);
    driver.setTangent(argument,
                      copy.addArgument(argument.getType(), argument.getLoc()));
  }
  OpBuilder &builder = driver.getBuilder();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&copy);
  if (failed(driver.emitBody(block)))
    return failure();
  Operation *terminator = block.getTerminator();
  SmallVector<Value> operands =
      widenOperands(terminator->getOperands(), yielded, driver);
  createLike(builder, terminator, TypeRange(), operands);
  return success();
}

static LogicalResult widen(Operation *op, const Carried &carried,
                           TangentDriver &driver) {
  SmallVector<Type> types(op->getResultTypes());
  for (unsigned number : carried.results)
    types.push_back(op->getResult(number).getType());
  SmallVector<Value> operands =
      widenOperands(op->getOperands(), carried.operands, driver);
  Operation *widened = createLike(driver.getBuilder(), op, types, operands);
  bool ok = true;
  for (auto [number, region] : llvm::enumerate(op->getRegions()))
    ok &= succeeded(widenRegion(region, widened->getRegion(number),
                                carried.arguments[number],
                                carried.yielded[number], driver));
  for (OpResult result : op->getResults())
    driver.setPrimal(result, widened->getResult(result.getResultNumber()));
  unsigned next = op->getNumResults();
  for (unsigned number : carried.results)
    driver.setTangent(op->getResult(number), widened->getResult(next++));
  return success(ok);
}

namespace {

struct For : RegionTangentOpInterface::ExternalModel<For, scf::ForOp> {
  LogicalResult emitTangent(Operation *op, TangentDriver &driver) const {
    auto loop = cast<scf::ForOp>(op);
    Carried carried(op);
    carried.results =
        getActive(driver, loop.getRegionIterArgs(), loop.getResults());
    carried.operands = shift(carried.results, loop.getNumControlOperands());
    carried.arguments[0] = shift(carried.results, loop.getNumInductionVars());
    carried.yielded[0] = carried.results;
    return widen(op, carried, driver);
  }
};

struct While : RegionTangentOpInterface::ExternalModel<While, scf::WhileOp> {
  LogicalResult emitTangent(Operation *op, TangentDriver &driver) const {
    auto loop = cast<scf::WhileOp>(op);
    Carried carried(op);
    carried.operands =
        getActive(driver, loop.getBeforeArguments(), loop.getInits());
    carried.arguments[0] = carried.yielded[1] = carried.operands;
    carried.results =
        getActive(driver, loop.getAfterArguments(), loop.getResults());
    carried.arguments[1] = carried.results;
    // The condition is the first operand.
    carried.yielded[0] = shift(carried.results, 1);
    return widen(op, carried, driver);
  }
};

/// scf.if, scf.index_switch
template <typename OpType>
struct Branch
    : RegionTangentOpInterface::ExternalModel<Branch<OpType>, OpType> {
  LogicalResult emitTangent(Operation *op, TangentDriver &driver) const {
    Carried carried(op);
    carried.results = getActive(driver, op->getResults(), op->getResults());
    for (Numbers &yielded : carried.yielded)
      yielded = carried.results;
    return widen(op, carried, driver);
  }
};

} // namespace

void comm::registerScfTangentModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    context->loadDialect<arith::ArithDialect, tensor::TensorDialect>();
    scf::ForOp::attachInterface<For>(*context);
    scf::WhileOp::attachInterface<While>(*context);
    scf::IfOp::attachInterface<Branch<scf::IfOp>>(*context);
    scf::IndexSwitchOp::attachInterface<Branch<scf::IndexSwitchOp>>(*context);
  });
}
