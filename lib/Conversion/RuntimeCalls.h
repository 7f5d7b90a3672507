//===- RuntimeCalls.h - Calls of the runtime --------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_RUNTIMECALLS_H
#define COMM_LIB_CONVERSION_RUNTIMECALLS_H

#include "comm/IR/Comm.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir {
class LLVMTypeConverter;
}

namespace mlir::comm {

/// The name under which a pass that changes what an op's attributes say keeps
/// what the user wrote, as the text of CommSite::detail.
inline constexpr StringLiteral kDetailAttrName = "detail";

/// On the first and the last of the messages that go at once: what
/// comm-group-messages has found.
inline constexpr StringLiteral kGroupStartAttrName = "group_start";
inline constexpr StringLiteral kGroupEndAttrName = "group_end";

/// What messages say about an op of the comm dialect besides its name, such as
/// `split 0 concat 1 over @mesh["tp"]`; what the user wrote.
std::string getSiteDetail(Operation *op);

/// Whether `name` is a function of the runtime.
bool isRuntimeFunction(StringRef name);

/// Emits calls of the functions of RuntimeFunctions.def into a module, with
/// their declarations and constants, each once.
class RuntimeCalls {
public:
  explicit RuntimeCalls(ModuleOp module);

  /// Calls the function `name` of the table. Yields its result.
  Value call(OpBuilder &builder, Location loc, StringRef name,
             ValueRange operands);

  /// The address of a CommSite that says where `op` is from and what it is;
  /// `name` where that is not the op's own.
  Value getSite(OpBuilder &builder, Operation *op, StringRef name = {});
  /// The address of a CommKernel: the function `name` of a device's image.
  Value getKernel(OpBuilder &builder, Location loc, StringAttr name,
                  StringAttr image);
  /// The address of constant numbers; null where there are none.
  Value getInt64s(OpBuilder &builder, Location loc, ArrayRef<int64_t> values);
  /// The address of the first element of a memref.
  Value getPointer(OpBuilder &builder, Location loc, Value memref);
  /// A constant that is an i64 or an i32.
  Value getI64(OpBuilder &builder, Location loc, int64_t value);
  Value getI32(OpBuilder &builder, Location loc, int64_t value);
  /// The CommDataType of an element type.
  Value getDataType(OpBuilder &builder, Location loc, Type element);

  /// Takes the memory from the arena of a context, and gives it back.
  void convertAlloc(memref::AllocOp op, const LLVMTypeConverter &types,
                    Value context);
  void convertDealloc(memref::DeallocOp op, Value context);

  /// Marks the module as made for this version of the ABI.
  void addVersion();

private:
  Value getAddress(OpBuilder &builder, Location loc, LLVM::GlobalOp global);
  LLVM::GlobalOp getString(StringRef text);
  LLVM::GlobalOp getConstant(StringRef name, Type type, Attribute key,
                             Attribute value);
  /// A constant struct; `createFields` writes the code of its initializer.
  LLVM::GlobalOp getStruct(
      StringRef name, Attribute key,
      function_ref<SmallVector<Value>(OpBuilder &, Location)> createFields);

  ModuleOp module;
  SymbolTable symbols;
  LLVM::LLVMPointerType pointer;
  DenseMap<Attribute, LLVM::GlobalOp> constants;
};

/// A memref of a type with identity layout on memory that starts at a pointer;
/// its dynamic sizes are i64.
Value createMemRef(OpBuilder &builder, Location loc,
                   const LLVMTypeConverter &types, MemRefType type,
                   Value memory, ValueRange dynamicSizes);

/// The bytes that an element takes in memory.
int64_t getElementBytes(Type element);

/// Whether the elements are known to lie one after the other in row-major
/// order, as the runtime wants them.
bool isContiguous(MemRefType type);

/// The CommContext of the function that `op` is in, which has the calling
/// convention of docs/Runtime.md.
Value getContext(Operation *op);

} // namespace mlir::comm

#endif // COMM_LIB_CONVERSION_RUNTIMECALLS_H
