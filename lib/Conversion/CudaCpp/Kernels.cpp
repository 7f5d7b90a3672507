//===- Kernels.cpp - Kernels and constants
//----------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::cudacpp;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

class KernelEmitter : public Emitter {
public:
  KernelEmitter(Program &program, gpu::GPUFuncOp kernel)
      : Emitter(program, /*indent=*/0), kernel(kernel) {}

  std::string run(StringRef name, StringRef comment,
                  ArrayRef<std::string> parameters);

private:
  bool emitOther(Operation *op) override;
  /// All of a kernel is one op's, whose name says nothing of an index.
  std::string makeName(Value, StringRef otherwise) override {
    return names.make(otherwise == "carried" ? "result" : otherwise);
  }
  SmallVector<std::string> getParameters(ArrayRef<std::string> hints);

  gpu::GPUFuncOp kernel;
};

} // namespace

bool KernelEmitter::emitOther(Operation *op) {
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    line(getView(store.getMemRef()).pointer + "[" +
         getSubscript(store.getMemRef(), store.getIndices()) +
         "] = " + get(store.getValueToStore()) + ";");
    return true;
  }
  if (isa<gpu::BarrierOp>(op)) {
    line("__syncthreads();");
    return true;
  }
  return false;
}

bool cudacpp::isWritten(Value memref) {
  return llvm::any_of(memref.getUsers(), [](Operation *user) {
    if (isa<ViewLikeOpInterface>(user))
      return isWritten(user->getResult(0));
    return !isa<memref::LoadOp, memref::DimOp,
                memref::ExtractStridedMetadataOp>(user);
  });
}

SmallVector<std::string>
KernelEmitter::getParameters(ArrayRef<std::string> hints) {
  SmallVector<std::string> parameters;
  for (auto [number, argument] : llvm::enumerate(
           kernel.getArguments().take_front(kernel.getNumArguments()))) {
    StringRef hint = number < hints.size() ? StringRef(hints[number]) : "x";
    // A place for one value after the other.
    if (hint.starts_with("buffer"))
      hint = isWritten(argument) ? "out" : "in";
    std::string name = names.make(hint);
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      parameters.push_back(getTypeName(argument.getType()) + " " + name);
      set(argument, {name});
      continue;
    }
    bool isAlone =
        kernel.getArgAttr(number, LLVM::LLVMDialect::getNoAliasAttrName()) !=
        Attribute();
    parameters.push_back((isWritten(argument) ? "" : "const ") +
                         getTypeName(type.getElementType()) + " *" +
                         (isAlone ? "__restrict__ " : "") + name);
    for (const std::string &variable : bindVariable(argument, name))
      parameters.push_back("int64_t " + variable);
  }
  return parameters;
}

std::string KernelEmitter::run(StringRef name, StringRef comment,
                               ArrayRef<std::string> hints) {
  SmallVector<std::string> parameters = getParameters(hints);
  std::string bounds;
  if (auto size = kernel.getKnownBlockSize())
    bounds = "__launch_bounds__(" + std::to_string((*size)[0]) + ") ";
  line("/// " + comment);
  open(joinLines("static __global__ void " + bounds + name.str() + "(",
                 parameters) +
       ")");
  for (BlockArgument shared : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(shared.getType());
    std::string memory = names.make("shared");
    line("__shared__ " + getTypeName(type.getElementType()) + " " + memory +
         "[" + Twine(type.getNumElements()) + "];");
    bindStatic(shared, memory);
  }
  emitBlock(kernel.getBody().front());
  close();
  return text + "\n";
}

/// Whether two kernels differ in their names only.
static bool areEqual(gpu::GPUFuncOp a, gpu::GPUFuncOp b) {
  return a.getFunctionType() == b.getFunctionType() &&
         a.getAllArgAttrs() == b.getAllArgAttrs() &&
         a.getKnownBlockSizeAttr() == b.getKnownBlockSizeAttr() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

std::string cudacpp::emitKernel(Program &program, gpu::GPUFuncOp kernel,
                                StringRef hint, StringRef comment,
                                ArrayRef<std::string> parameters) {
  if (auto known = program.symbols.find(kernel); known != program.symbols.end())
    return known->second;
  for (auto other :
       kernel->getParentOfType<gpu::GPUModuleOp>().getOps<gpu::GPUFuncOp>())
    if (auto known = program.symbols.find(other);
        known != program.symbols.end() && areEqual(kernel, other))
      return program.symbols[kernel] = known->second;
  std::string name = program.names.make(hint);
  program.symbols[kernel] = name;
  program.kernels +=
      KernelEmitter(program, kernel).run(name, comment, parameters);
  return name;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

void cudacpp::emitConstant(Program &program, memref::GlobalOp constant) {
  auto type = constant.getType();
  auto values =
      dyn_cast_or_null<DenseElementsAttr>(constant.getInitialValueAttr());
  std::string element = getTypeName(type.getElementType());
  if (!values || element.empty() || values.getNumElements() == 0) {
    constant->emitOpError("has no text in CUDA C++");
    program.isGood = false;
    return;
  }
  // f16 and bf16 have no constant constructors: their bits.
  bool isHalf = type.getElementType().isF16() || type.getElementType().isBF16();
  SmallVector<std::string> elements;
  for (Attribute value : values.getValues<Attribute>()) {
    if (isHalf)
      elements.push_back(std::to_string(
          cast<FloatAttr>(value).getValue().bitcastToAPInt().getZExtValue()));
    else
      elements.push_back(getLiteral(cast<TypedAttr>(value)));
  }
  std::string name = program.names.make("constant");
  program.symbols[constant] = name;
  program.constants += "static __device__ const " +
                       (isHalf ? std::string("uint16_t") : element) + " " +
                       name + "[" + std::to_string(elements.size()) + "] = {";
  for (auto [number, text] : llvm::enumerate(elements))
    program.constants += (number == 0        ? ""
                          : number % 12 == 0 ? ",\n    "
                                             : ", ") +
                         text;
  program.constants += "};\n";
}
