//===- RuntimeCalls.cpp - Calls of the runtime ----------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"

#include "comm/Runtime/CommRuntime.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

// The LLVM type of each word of RuntimeFunctions.def.
namespace {
struct Words {
  static Type Pointer(MLIRContext *c) { return LLVM::LLVMPointerType::get(c); }
  static Type Context(MLIRContext *c) { return Pointer(c); }
  static Type Communicator(MLIRContext *c) { return Pointer(c); }
  static Type Send(MLIRContext *c) { return Pointer(c); }
  static Type Recv(MLIRContext *c) { return Pointer(c); }
  static Type Site(MLIRContext *c) { return Pointer(c); }
  static Type Int64s(MLIRContext *c) { return Pointer(c); }
  static Type Memory(MLIRContext *c) { return Pointer(c); }
  static Type Kernel(MLIRContext *c) { return Pointer(c); }
  static Type Arguments(MLIRContext *c) { return Pointer(c); }
  static Type I64(MLIRContext *c) { return IntegerType::get(c, 64); }
  static Type I32(MLIRContext *c) { return IntegerType::get(c, 32); }
  static Type Bool(MLIRContext *c) { return I32(c); }
  static Type DataType(MLIRContext *c) { return I32(c); }
  static Type Reduction(MLIRContext *c) { return I32(c); }
  static Type Status(MLIRContext *c) { return I32(c); }
};

struct RuntimeFunction {
  StringLiteral name;
  LLVM::LLVMFunctionType (*getType)(MLIRContext *);
};
} // namespace

#define COMM_WORD_TYPE(Word) Words::Word(context)
#define COMM_RUNTIME_FUNCTION(Name, Result, ...)                               \
  {#Name, [](MLIRContext *context) {                                           \
     return LLVM::LLVMFunctionType::get(                                       \
         Words::Result(context), {COMM_ABI_MAP(COMM_WORD_TYPE, __VA_ARGS__)}); \
   }},
static const RuntimeFunction runtimeFunctions[] = {
#include "comm/Runtime/RuntimeFunctions.def"
};
#undef COMM_WORD_TYPE

static const RuntimeFunction *lookupRuntimeFunction(StringRef name) {
  const auto *found = llvm::find_if(
      runtimeFunctions, [&](const auto &row) { return row.name == name; });
  return found == std::end(runtimeFunctions) ? nullptr : found;
}

bool comm::isRuntimeFunction(StringRef name) {
  return lookupRuntimeFunction(name) != nullptr;
}

//===----------------------------------------------------------------------===//
// RuntimeCalls
//===----------------------------------------------------------------------===//

RuntimeCalls::RuntimeCalls(ModuleOp module)
    : module(module), symbols(module),
      pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

Value RuntimeCalls::call(OpBuilder &builder, Location loc, StringRef name,
                         ValueRange operands) {
  auto function = symbols.lookup<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(
        builder, module.getLoc(), name,
        lookupRuntimeFunction(name)->getType(builder.getContext()));
    symbols.insert(function);
  }
  return LLVM::CallOp::create(builder, loc, function, operands).getResult();
}

Value RuntimeCalls::getI64(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), value);
}

Value RuntimeCalls::getI32(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
}

Value RuntimeCalls::getDataType(OpBuilder &builder, Location loc,
                                Type element) {
  CommDataType type = element.isF16()         ? COMM_F16
                      : element.isBF16()      ? COMM_BF16
                      : element.isF32()       ? COMM_F32
                      : element.isF64()       ? COMM_F64
                      : element.isInteger(1)  ? COMM_I1
                      : element.isInteger(8)  ? COMM_I8
                      : element.isInteger(16) ? COMM_I16
                      : element.isInteger(32) ? COMM_I32
                                              : COMM_I64;
  return getI32(builder, loc, type);
}

/// The pointer that a descriptor was made with, or null.
static Value findAlignedPointer(Value descriptor) {
  while (auto insert = descriptor.getDefiningOp<LLVM::InsertValueOp>()) {
    if (insert.getPosition() == ArrayRef<int64_t>{1})
      return insert.getValue();
    descriptor = insert.getContainer();
  }
  return {};
}

Value RuntimeCalls::getPointer(OpBuilder &builder, Location loc, Value memref) {
  // Of memory that a pointer is at hand for.
  Operation *op = memref.getDefiningOp();
  if (op &&
      isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(op))
    if (cast<MemRefType>(op->getOperand(0).getType()).getLayout().isIdentity())
      return getPointer(builder, loc, op->getOperand(0));
  if (auto cast = dyn_cast_or_null<UnrealizedConversionCastOp>(op))
    if (Value found = findAlignedPointer(cast.getOperand(0)))
      return found;
  if (auto view = dyn_cast_or_null<memref::ViewOp>(op)) {
    Value base = getPointer(builder, loc, view.getSource());
    std::optional<int64_t> shift = getConstantIntValue(view.getByteShift());
    Value bytes =
        shift ? getI64(builder, loc, *shift)
              : arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                           view.getByteShift());
    return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                               bytes);
  }

  auto type = cast<MemRefType>(memref.getType());
  Type i64 = builder.getI64Type();
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
  base = arith::IndexCastOp::create(builder, loc, i64, base);
  auto [strides, offset] = type.getStridesAndOffset();
  if (offset != 0) {
    Value elements =
        offset != ShapedType::kDynamic
            ? getI64(builder, loc, offset)
            : arith::IndexCastOp::create(
                  builder, loc, i64,
                  memref::ExtractStridedMetadataOp::create(builder, loc, memref)
                      .getOffset());
    elements = arith::MulIOp::create(
        builder, loc, elements,
        getI64(builder, loc, getElementBytes(type.getElementType())));
    base = arith::AddIOp::create(builder, loc, base, elements);
  }
  return LLVM::IntToPtrOp::create(builder, loc, pointer, base);
}

Value RuntimeCalls::getAddress(OpBuilder &builder, Location loc,
                               LLVM::GlobalOp global) {
  return LLVM::AddressOfOp::create(builder, loc, global);
}

LLVM::GlobalOp RuntimeCalls::getConstant(StringRef name, Type type,
                                         Attribute key, Attribute value) {
  LLVM::GlobalOp &global = constants[key];
  if (!global) {
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    global = LLVM::GlobalOp::create(builder, module.getLoc(), type,
                                    /*isConstant=*/true,
                                    LLVM::Linkage::Internal, name, value);
    // Renames it where the name is taken.
    symbols.insert(global);
  }
  return global;
}

LLVM::GlobalOp RuntimeCalls::getString(StringRef text) {
  SmallString<64> terminated(text);
  terminated.push_back('\0');
  auto value = StringAttr::get(module.getContext(), terminated);
  auto type = LLVM::LLVMArrayType::get(IntegerType::get(module.getContext(), 8),
                                       terminated.size());
  return getConstant("comm_text", type, value, value);
}

LLVM::GlobalOp RuntimeCalls::getStruct(
    StringRef name, Attribute key,
    function_ref<SmallVector<Value>(OpBuilder &, Location)> createFields) {
  if (LLVM::GlobalOp known = constants.lookup(key))
    return known;
  Location loc = module.getLoc();
  OpBuilder builder(module.getContext());
  Region region;
  builder.createBlock(&region);
  SmallVector<Value> fields = createFields(builder, loc);
  auto type = LLVM::LLVMStructType::getLiteral(
      module.getContext(), llvm::to_vector(ValueRange(fields).getTypes()));
  Value value = LLVM::UndefOp::create(builder, loc, type);
  for (auto [position, field] : llvm::enumerate(fields))
    value = LLVM::InsertValueOp::create(builder, loc, value, field,
                                        ArrayRef<int64_t>{int64_t(position)});
  LLVM::ReturnOp::create(builder, loc, value);
  LLVM::GlobalOp global = getConstant(name, type, key, Attribute());
  global.getInitializerRegion().takeBody(region);
  return global;
}

Value RuntimeCalls::getInt64s(OpBuilder &builder, Location loc,
                              ArrayRef<int64_t> values) {
  if (values.empty())
    return LLVM::ZeroOp::create(builder, loc, pointer);
  auto type = LLVM::LLVMArrayType::get(builder.getI64Type(), values.size());
  auto tensor = DenseElementsAttr::get(
      RankedTensorType::get(values.size(), builder.getI64Type()), values);
  return getAddress(builder, loc,
                    getConstant("comm_numbers", type, tensor, tensor));
}

Value RuntimeCalls::getKernel(OpBuilder &builder, Location loc, StringAttr name,
                              StringAttr image) {
  LLVM::GlobalOp nameText = getString(name), imageText = getString(image);
  auto key = ArrayAttr::get(module.getContext(), {name, image});
  LLVM::GlobalOp kernel =
      getStruct("comm_kernel_info", key, [&](OpBuilder &body, Location loc) {
        return SmallVector<Value>{
            getAddress(body, loc, nameText), getAddress(body, loc, imageText),
            getI64(body, loc, static_cast<int64_t>(image.size()))};
      });
  return getAddress(builder, loc, kernel);
}

void RuntimeCalls::convertAlloc(memref::AllocOp op,
                                const LLVMTypeConverter &types, Value context) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  MemRefType type = op.getType();
  int64_t count = getElementBytes(type.getElementType());
  SmallVector<Value> sizes;
  for (Value size : op.getDynamicSizes())
    sizes.push_back(
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), size));
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      count *= size;
  Value bytes = getI64(builder, loc, count);
  for (Value size : sizes)
    bytes = LLVM::MulOp::create(builder, loc, bytes, size);
  Value memory = call(builder, loc, "commAllocate", {context, bytes});
  op.getResult().replaceAllUsesWith(
      createMemRef(builder, loc, types, type, memory, sizes));
  op->erase();
}

void RuntimeCalls::convertDealloc(memref::DeallocOp op, Value context) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  call(builder, loc, "commRelease",
       {context, getPointer(builder, loc, op.getMemref())});
  op->erase();
}

void RuntimeCalls::addVersion() {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto version = LLVM::GlobalOp::create(
      builder, module.getLoc(), builder.getI32Type(), /*isConstant=*/true,
      LLVM::Linkage::External, "comm_abi_version",
      builder.getI32IntegerAttr(COMM_RUNTIME_ABI_VERSION));
  symbols.insert(version);
}

int64_t comm::getElementBytes(Type element) {
  if (isa<IndexType>(element))
    return 8;
  // An i1 takes one byte.
  // An i24 takes four.
  return llvm::divideCeil(llvm::PowerOf2Ceil(element.getIntOrFloatBitWidth()),
                          8);
}

Value comm::createMemRef(OpBuilder &builder, Location loc,
                         const LLVMTypeConverter &types, MemRefType type,
                         Value memory, ValueRange dynamicSizes) {
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, types.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, memory);
  descriptor.setAlignedPtr(builder, loc, memory);
  descriptor.setConstantOffset(builder, loc, 0);
  auto getI64 = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), value);
  };
  Value stride = getI64(1);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    Value size;
    if (type.isDynamicDim(dim)) {
      size = dynamicSizes.back();
      dynamicSizes = dynamicSizes.drop_back();
    } else {
      size = getI64(type.getDimSize(dim));
    }
    descriptor.setSize(builder, loc, dim, size);
    descriptor.setStride(builder, loc, dim, stride);
    if (dim != 0)
      stride = LLVM::MulOp::create(builder, loc, stride, size);
  }
  return UnrealizedConversionCastOp::create(builder, loc, type,
                                            Value(descriptor))
      .getResult(0);
}

bool comm::isContiguous(MemRefType type) {
  if (type.getLayout().isIdentity())
    return true;
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t expected = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    int64_t size = type.getDimSize(dim);
    if (size == 1)
      continue;
    if (ShapedType::isDynamic(expected) || strides[dim] != expected)
      return false;
    expected =
        ShapedType::isDynamic(size) ? ShapedType::kDynamic : expected * size;
  }
  return true;
}

Value comm::getContext(Operation *op) {
  return op->getParentOfType<func::FuncOp>().getArgument(0);
}
