//===- ConvertCommToRuntime.cpp - Collectives become calls ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "RuntimeCalls.h"
#include "SizeChecks.h"
#include "comm/Conversion/Passes.h"
#include "comm/IR/Comm.h"
#include "comm/Runtime/CommRuntime.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace mlir::comm {
#define GEN_PASS_DEF_CONVERTCOMMTORUNTIME
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

namespace {

/// Converts the ops of one function.
class FunctionConverter {
public:
  FunctionConverter(func::FuncOp function, RuntimeCalls &runtime,
                    const LLVMTypeConverter &types)
      : function(function), runtime(runtime), types(types),
        builder(function.getContext()) {}

  void addCallingConvention();
  LogicalResult convertOps();

private:
  Value getCommunicator(AxesAttr axes);
  Value getCount(Location loc, Value memref);
  LogicalResult convert(Operation *op);
  LogicalResult convertCollective(CollectiveOpInterface op);
  void convertReturn(func::ReturnOp op);
  void convertCondition(scf::ConditionOp op);
  void convertCall(func::CallOp op);
  void convertCheck(func::CallOp op);

  Value getRoot(Operation *op, StringRef name = "root") {
    return runtime.getI64(builder, op->getLoc(),
                          op->getAttrOfType<IntegerAttr>(name).getInt());
  }
  Value getReduction(Operation *op) {
    auto reduction = op->getAttrOfType<ReductionKindAttr>("reduction");
    return runtime.getI32(builder, op->getLoc(),
                          static_cast<int64_t>(reduction.getValue()));
  }

  func::FuncOp function;
  RuntimeCalls &runtime;
  const LLVMTypeConverter &types;
  OpBuilder builder;
  DenseMap<Attribute, Value> communicators;
  /// The site of the first of the messages that go at once.
  Value groupSite;
};

} // namespace

/// The results of a lowered function: a status first. Alone, it is in a struct
/// too, so that all functions return through the same C interface.
static SmallVector<Type> getLoweredResults(MLIRContext *context,
                                           TypeRange results) {
  Type status = IntegerType::get(context, 32);
  if (results.empty())
    return {LLVM::LLVMStructType::getLiteral(context, status)};
  SmallVector<Type> lowered{status};
  llvm::append_range(lowered, results);
  return lowered;
}

void FunctionConverter::addCallingConvention() {
  MLIRContext *context = builder.getContext();
  FunctionType type = function.getFunctionType();
  Type pointer = LLVM::LLVMPointerType::get(context);
  SmallVector<Type> inputs{pointer};
  llvm::append_range(inputs, type.getInputs());
  // The marks of arguments and results name a mesh, which does not survive.
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  function.setType(FunctionType::get(
      context, inputs, getLoweredResults(context, type.getResults())));
  function.front().insertArgument(0u, pointer, function.getLoc());
  if (function.isPublic())
    function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                      builder.getUnitAttr());
}

Value FunctionConverter::getCommunicator(AxesAttr axes) {
  Value &communicator = communicators[axes];
  if (!communicator) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&function.front());
    Location loc = function.getLoc();
    MeshOp mesh = lookupMesh(function, axes);
    SmallVector<int64_t> positions;
    for (StringAttr axis : axes.getAxes())
      positions.push_back(*mesh.getAxisPosition(axis));
    communicator = runtime.call(
        builder, loc, "commCommunicator",
        {function.getArgument(0), runtime.getInt64s(builder, loc, positions),
         runtime.getI64(builder, loc, positions.size())});
  }
  return communicator;
}

Value FunctionConverter::getCount(Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.hasStaticShape())
    return runtime.getI64(builder, loc, type.getNumElements());
  Value count;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    Value size = memref::DimOp::create(builder, loc, memref, dim);
    count = count ? arith::MulIOp::create(builder, loc, count, size) : size;
  }
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), count);
}

LogicalResult FunctionConverter::convertCollective(CollectiveOpInterface op) {
  Location loc = op.getLoc();
  if (isa<TensorType>(op.getInputValue().getType()) || op->getNumResults())
    if (!isa<SendOp>(op) || isa<TensorType>(op.getInputValue().getType()))
      return op->emitOpError("is on tensors here: bufferize it first");
  for (StringRef name : {"dim", "split_dim", "concat_dim"})
    if (auto dim = op->getAttrOfType<IntegerAttr>(name); dim && dim.getInt())
      return op->emitOpError("is along dimension ")
             << dim.getInt()
             << " here: 'comm-normalize-layout' makes it dimension 0";

  // What each rank contributes is counted on the smaller side.
  Value input = op.getInputValue();
  Value output = op.getDestValue() ? op.getDestValue() : input;
  Value operands[] = {input, output};
  for (Value operand : operands)
    if (auto type = dyn_cast<MemRefType>(operand.getType()))
      if (!isContiguous(type))
        return op->emitOpError("expects contiguous memory, got ") << type;

  bool isChunkOut = isa<ReduceScatterOp, ScatterOp>(op);
  Value counted = isa<RecvOp>(op) || isChunkOut ? output : input;
  Value count = getCount(loc, counted);
  if (isa<AllToAllOp>(op)) {
    Value ranks =
        runtime.getI64(builder, loc, comm::getGroupSize(op, op.getGroup()));
    count = arith::DivUIOp::create(builder, loc, count, ranks);
  }
  SmallVector<Value> arguments{function.getArgument(0),
                               getCommunicator(op.getGroup())};
  if (!isa<RecvOp>(op))
    arguments.push_back(runtime.getPointer(builder, loc, input));
  if (!isa<SendOp>(op))
    arguments.push_back(runtime.getPointer(builder, loc, output));
  arguments.push_back(count);
  arguments.push_back(runtime.getDataType(
      builder, loc, cast<MemRefType>(counted.getType()).getElementType()));

  StringRef name;
  if (isa<AllReduceOp>(op)) {
    name = "commAllReduce";
    arguments.push_back(getReduction(op));
  } else if (isa<AllGatherOp>(op)) {
    name = "commAllGather";
  } else if (isa<ReduceScatterOp>(op)) {
    name = "commReduceScatter";
    arguments.push_back(getReduction(op));
  } else if (isa<AllToAllOp>(op)) {
    name = "commAllToAll";
  } else if (auto permute = dyn_cast<PermuteOp>(op.getOperation())) {
    name = "commPermute";
    ArrayRef<int64_t> pairs = permute.getPairs();
    arguments.push_back(runtime.getInt64s(builder, loc, pairs));
    arguments.push_back(runtime.getI64(builder, loc, pairs.size() / 2));
  } else if (isa<BroadcastOp>(op)) {
    name = "commBroadcast";
    arguments.push_back(getRoot(op));
  } else if (isa<ReduceOp>(op)) {
    name = "commReduce";
    arguments.push_back(getReduction(op));
    arguments.push_back(getRoot(op));
  } else if (isa<GatherOp>(op)) {
    name = "commGather";
    arguments.push_back(getRoot(op));
  } else if (isa<ScatterOp>(op)) {
    name = "commScatter";
    arguments.push_back(getRoot(op));
  } else if (isa<SendOp>(op)) {
    name = "commSend";
    arguments.push_back(getRoot(op, "from"));
    arguments.push_back(getRoot(op, "to"));
  } else if (auto recv = dyn_cast<RecvOp>(op.getOperation())) {
    name = "commRecv";
    arguments.push_back(getRoot(recv.getSend(), "from"));
    arguments.push_back(getRoot(recv.getSend(), "to"));
  } else {
    return op->emitOpError("has no runtime function: 'comm-lower-local' lowers "
                           "what is local");
  }
  Value site = runtime.getSite(builder, op);
  arguments.push_back(site);
  if (op->hasAttr(kGroupStartAttrName)) {
    groupSite = site;
    runtime.call(builder, loc, "commGroupStart",
                 {function.getArgument(0), site});
  }
  runtime.call(builder, loc, name, arguments);
  if (op->hasAttr(kGroupEndAttrName))
    runtime.call(builder, loc, "commGroupEnd",
                 {function.getArgument(0), groupSite});
  return success();
}

void FunctionConverter::convertReturn(func::ReturnOp op) {
  Location loc = op.getLoc();
  Value status =
      runtime.call(builder, loc, "commStatus", function.getArgument(0));
  if (op.getNumOperands() != 0) {
    op->insertOperands(0, status);
    return;
  }
  Type type = function.getResultTypes()[0];
  Value result = LLVM::UndefOp::create(builder, loc, type);
  result = LLVM::InsertValueOp::create(builder, loc, result, status,
                                       ArrayRef<int64_t>{0});
  op->insertOperands(0, result);
}

/// What a failed run computes may never end a loop.
void FunctionConverter::convertCondition(scf::ConditionOp op) {
  bool meetsRanks = false;
  op->getParentOp()->walk([&](Operation *inner) {
    meetsRanks |=
        isa<func::CallOp, LLVM::CallOp, CollectiveOpInterface>(inner) &&
        !isKernel(inner);
  });
  if (!meetsRanks)
    return;
  Location loc = op.getLoc();
  Value status =
      runtime.call(builder, loc, "commStatus", function.getArgument(0));
  Value isRunning =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, status,
                            runtime.getI32(builder, loc, COMM_SUCCESS));
  Value both =
      arith::AndIOp::create(builder, loc, op.getCondition(), isRunning);
  op.getConditionMutable().assign(both);
}

static bool isCheck(StringRef name) {
  return name == kCheckDivisible || name == kCheckSize;
}

/// A call of one of the declarations of SizeChecks.h.
void FunctionConverter::convertCheck(func::CallOp op) {
  Location loc = op.getLoc();
  auto toI64 = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      index);
  };
  Value dim = getRoot(op, "dim");
  Value site = runtime.getSite(builder, op,
                               op->getAttrOfType<StringAttr>("of").getValue());
  Value context = function.getArgument(0);
  if (op.getCallee() == kCheckDivisible) {
    runtime.call(builder, loc, "commCheckDivisible",
                 {context, getCommunicator(op->getAttrOfType<AxesAttr>("axes")),
                  toI64(op.getOperand(0)), dim, site});
  } else {
    Value status = runtime.call(
        builder, loc, "commCheckSize",
        {context, toI64(op.getOperand(0)), toI64(op.getOperand(1)), dim, site});
    Value isSame =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, status,
                              runtime.getI32(builder, loc, COMM_SUCCESS));
    op.getResult(0).replaceAllUsesWith(isSame);
  }
  op->erase();
}

void FunctionConverter::convertCall(func::CallOp op) {
  SmallVector<Value> operands{function.getArgument(0)};
  llvm::append_range(operands, op.getOperands());
  auto call = func::CallOp::create(
      builder, op.getLoc(), op.getCallee(),
      getLoweredResults(builder.getContext(), op.getResultTypes()), operands);
  // The status is sticky: it is read at the end of this function.
  if (op.getNumResults() != 0)
    op->replaceAllUsesWith(call.getResults().drop_front());
  op->erase();
}

LogicalResult FunctionConverter::convert(Operation *op) {
  builder.setInsertionPoint(op);
  if (isKernel(op))
    return success();
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    if (!alloc.getType().getLayout().isIdentity())
      return alloc.emitOpError("of a buffer with a layout has no lowering");
    runtime.convertAlloc(alloc, types, function.getArgument(0));
    return success();
  }
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
    runtime.convertDealloc(dealloc, function.getArgument(0));
    return success();
  }
  Location loc = op->getLoc();
  if (auto call = dyn_cast<func::CallOp>(op)) {
    if (isCheck(call.getCallee()))
      convertCheck(call);
    else
      convertCall(call);
    return success();
  }
  if (auto terminator = dyn_cast<func::ReturnOp>(op)) {
    convertReturn(terminator);
    return success();
  }
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    convertCondition(condition);
    return success();
  }
  if (auto index = dyn_cast<AxisIndexOp>(op)) {
    Value number = runtime.call(
        builder, loc, "commAxisIndex",
        {function.getArgument(0), getCommunicator(index.getAxes())});
    index.getIndex().replaceAllUsesWith(arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(), number));
    return success();
  }
  if (auto barrier = dyn_cast<BarrierOp>(op)) {
    runtime.call(builder, loc, "commBarrier",
                 {function.getArgument(0), getCommunicator(barrier.getAxes()),
                  runtime.getSite(builder, op)});
    return success();
  }
  if (auto collective = dyn_cast<CollectiveOpInterface>(op))
    return convertCollective(collective);
  return success();
}

LogicalResult FunctionConverter::convertOps() {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  SmallVector<Operation *> converted;
  for (Operation *op : ops) {
    if (isa_and_nonnull<CommDialect>(op->getDialect()))
      converted.push_back(op);
    if (failed(convert(op)))
      return failure();
  }
  // A recv reads its send.
  for (Operation *op : llvm::reverse(converted))
    op->erase();
  return success();
}

namespace {
struct ConvertCommToRuntime
    : comm::impl::ConvertCommToRuntimeBase<ConvertCommToRuntime> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    RuntimeCalls runtime(module);
    LLVMTypeConverter types(&getContext());
    SmallVector<FunctionConverter> converters;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal() && !isKernel(function))
        converters.emplace_back(function, runtime, types);
    for (FunctionConverter &converter : converters)
      converter.addCallingConvention();
    for (FunctionConverter &converter : converters)
      if (failed(converter.convertOps()))
        return signalPassFailure();
    for (StringRef check : {kCheckDivisible, kCheckSize})
      if (auto declaration = module.lookupSymbol<func::FuncOp>(check))
        declaration.erase();
    for (MeshOp mesh : llvm::make_early_inc_range(module.getOps<MeshOp>()))
      mesh->erase();
    runtime.addVersion();
  }
};
} // namespace
