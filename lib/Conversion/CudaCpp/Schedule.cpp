//===- Schedule.cpp - Memory, kernels and products of the host's part
//-------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../SizeChecks.h"
#include "FunctionEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::cudacpp;

void FunctionEmitter::check(StringRef kind, const Twine &call) {
  line((kind.empty() ? "CHECK" : "CHECK_" + kind.str()) + "(" + call + ");");
}

void FunctionEmitter::comment(Operation *op, StringRef what) {
  line("// " + describe(op, what));
}

std::string FunctionEmitter::getBytes(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  return getCount(memref) + " * sizeof(" + getTypeName(type.getElementType()) +
         ")";
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// What a buffer is called that the text has no name for.
static StringRef getBufferName(Value memref) {
  // Many buffers, in turn.
  if (llvm::any_of(memref.getUsers(), llvm::IsaPred<memref::ViewOp>))
    return "frame";
  return "buffer";
}

/// New memory for a memref whose dynamic sizes are bound.
void FunctionEmitter::allocate(Value memref, StringRef otherwise) {
  auto type = cast<MemRefType>(memref.getType());
  if (auto result = resultMemory.find(memref); result != resultMemory.end())
    return bindStatic(memref, result->second);
  if (isEmpty(memref))
    return bindStatic(memref, "nullptr");
  std::string name = makeName(memref, otherwise);
  line(getTypeName(type.getElementType()) + " *" + name + " = nullptr;");
  if (type.hasStaticShape())
    bindStatic(memref, name);
  else
    getView(memref).pointer = name;
  std::string bytes = getBytes(memref);
  if (!type.hasStaticShape())
    bytes = "std::max<size_t>(" + bytes + ", 1)";
  check("CUDA",
        "cudaMallocAsync(&" + name + ", " + bytes + ", device.compute)");
  hasComputed = true;
}

/// The ops that write to a buffer.
static void findWriters(Value memref, SmallVectorImpl<Operation *> &writers) {
  for (OpOperand &use : memref.getUses()) {
    Operation *user = use.getOwner();
    if (isa<ViewLikeOpInterface, UnrealizedConversionCastOp, LLVM::GEPOp>(
            user)) {
      findWriters(user->getResult(0), writers);
      continue;
    }
    bool writes = true;
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(user)) {
      auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
          launch, launch.getKernelAttr());
      unsigned first = launch.getKernelOperands().getBeginOperandIndex();
      writes = isWritten(kernel.getArgument(use.getOperandNumber() - first));
    } else if (isa<CollectiveOpInterface>(user)) {
      writes = user->getNumOperands() == 1 || use.getOperandNumber() != 0;
    } else if (isa<memref::CopyOp>(user)) {
      writes = use.getOperandNumber() == 1;
    } else if (isa<memref::DeallocOp, memref::LoadOp, memref::DimOp>(user)) {
      writes = false;
    } else if (auto call = dyn_cast<LLVM::CallOp>(user)) {
      writes = use.getOperandNumber() + 4 == call.getArgOperands().size();
    }
    if (writes)
      writers.push_back(user);
  }
}

void FunctionEmitter::emitView(memref::ViewOp op) {
  auto type = op.getType();
  if (!type.hasStaticShape())
    return fail(op);
  if (isEmpty(op))
    return bindStatic(op, "nullptr");
  // One name, if all that is written there has the same.
  SmallVector<Operation *> writers;
  findWriters(op, writers);
  std::string hint;
  for (Operation *writer : writers) {
    hint = getHint(writer->getLoc());
    if (hint.empty() || hint != getHint(writers.front()->getLoc())) {
      hint = "";
      break;
    }
  }
  std::string name = names.make(hint.empty() ? "buffer" : hint);
  std::string element = getTypeName(type.getElementType());
  std::string base = getView(op.getSource()).pointer;
  std::string shift = getIndex(op.getByteShift(), Additive);
  line(element + " *" + name + " = reinterpret_cast<" + element + " *>(" +
       base + (shift == "0" ? "" : " + " + shift) + ");");
  bindStatic(op, name);
}

void FunctionEmitter::emitGlobal(memref::GetGlobalOp op) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  if (!program.symbols.count(global))
    emitConstant(program, global);
  std::string symbol = program.symbols.lookup(global);
  std::string name = makeName(op, "values");
  line("const " + getTypeName(op.getType().getElementType()) + " *" + name +
       " = nullptr;");
  check("CUDA", "cudaGetSymbolAddress((void **)&" + name + ", " + symbol + ")");
  bindStatic(op, name);
}

void FunctionEmitter::emitFree(memref::DeallocOp op) {
  if (isEmpty(op.getMemref()))
    return;
  // By the stream that uses it last.
  bool isInCommunication = inCommunication.contains(op.getMemref());
  if (!isInCommunication)
    compute(op.getMemref());
  check("CUDA", "cudaFreeAsync(" + getView(op.getMemref()).pointer +
                    (isInCommunication ? ", device.communication)"
                                       : ", device.compute)"));
}

void FunctionEmitter::emitCopy(memref::CopyOp op) {
  std::string from = getPointer(op.getSource());
  std::string to = getPointer(op.getTarget());
  if (isEmpty(op.getTarget()))
    return;
  compute({op.getSource(), op.getTarget()});
  check("CUDA", "cudaMemcpyAsync(" + to + ", " + from + ", " +
                    getBytes(op.getTarget()) +
                    ", cudaMemcpyDeviceToDevice, device.compute)");
}

/// A number that the host needs: it waits for it.
void FunctionEmitter::emitRead(memref::LoadOp op) {
  if (op->use_empty())
    return;
  std::string subscript = getSubscript(op.getMemRef(), op.getIndices());
  std::string source = getPointer(op.getMemRef());
  if (subscript != "0")
    source += " + " + subscript;
  compute(op.getMemRef());
  program.helpers.insert("readNumber");
  declare(op->getResults(), {}, "number");
  check("CUDA", "readNumber(" + source + ", &" + get(op.getResult()) +
                    ", device.compute)");
}

void FunctionEmitter::emitWrite(memref::StoreOp op) {
  std::string subscript = getSubscript(op.getMemRef(), op.getIndices());
  std::string target = getPointer(op.getMemRef());
  if (subscript != "0")
    target += " + " + subscript;
  compute(op.getMemRef());
  program.helpers.insert("storeNumber");
  auto type = cast<MemRefType>(op.getMemRef().getType());
  line("storeNumber<<<1, 1, 0, device.compute>>>(" + target + ", " +
       getTypeName(type.getElementType()) + "(" + get(op.getValueToStore()) +
       "));");
  check("CUDA", "cudaGetLastError()");
}

//===----------------------------------------------------------------------===//
// Kernels and products
//===----------------------------------------------------------------------===//

void FunctionEmitter::emitLaunch(gpu::LaunchFuncOp op) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
      op, op.getKernelAttr());
  SmallVector<std::string> arguments, hints;
  for (Value operand : op.getKernelOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type) {
      arguments.push_back(get(operand));
      hints.push_back("number");
      continue;
    }
    const View view = getView(operand);
    arguments.push_back(getPointer(operand));
    // "(x + 4)" is called after x.
    hints.push_back(
        StringRef(view.pointer)
            .ltrim('(')
            .take_while([](char c) { return llvm::isAlnum(c) || c == '_'; })
            .str());
    for (unsigned dim : getDynamicSizes(type))
      arguments.push_back(view.sizes[dim]);
    for (unsigned dim : getDynamicStrides(type))
      arguments.push_back(view.strides[dim]);
  }
  StringRef of = "kernel";
  if (auto attribute = op->getAttrOfType<StringAttr>("of"))
    of = attribute.getValue();
  std::string hint = getHint(op.getLoc());
  StringRef kind = of.rsplit('.').second;
  hint = hint.empty() || kind == "fill" || kind == "copy"
             ? (kind == "generic" || kind.empty() ? "kernel" : kind.str())
             : "compute_" + hint;
  std::string name = emitKernel(program, kernel, hint, describe(op, of), hints);

  compute(llvm::to_vector(
      llvm::make_filter_range(op.getKernelOperands(), [](Value value) {
        return isa<MemRefType>(value.getType());
      })));
  comment(op, of);
  std::string blocks = getIndex(op.getGridSizeX());
  bool isKnown = getConstantIntValue(op.getGridSizeX()).has_value();
  if (!isKnown) {
    std::string number = names.make("blocks");
    line("const int64_t " + number + " = " + blocks + ";");
    blocks = number;
    // None is an error of CUDA's.
    open("if (" + number + " > 0)");
  }
  line(name + "<<<" + (isKnown ? blocks : "unsigned(" + blocks + ")") + ", " +
       getIndex(op.getBlockSizeX()) + ", 0, device.compute>>>(" +
       llvm::join(arguments, ", ") + ");");
  if (!isKnown)
    close();
  check("CUDA", "cudaGetLastError()");
}

/// Of addresses that are computed from memrefs.
std::string FunctionEmitter::getAddress(Value pointer) {
  Operation *op = pointer.getDefiningOp();
  if (auto step = dyn_cast_or_null<LLVM::GEPOp>(op)) {
    std::string offset = step.getDynamicIndices().empty()
                             ? std::to_string(step.getRawConstantIndices()[0])
                             : get(step.getDynamicIndices()[0], Additive);
    std::string base = getAddress(step.getBase());
    return base == "nullptr" ? base : base + " + " + offset;
  }
  if (auto cast = dyn_cast_or_null<UnrealizedConversionCastOp>(op))
    return getPointer(cast.getOperand(0));
  return "?";
}

Value FunctionEmitter::getMemRef(Value pointer) {
  while (auto step = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = step.getBase();
  return pointer.getDefiningOp<UnrealizedConversionCastOp>().getOperand(0);
}

void FunctionEmitter::emitGemm(LLVM::CallOp op) {
  // The operands are those of commGemm in RuntimeFunctions.def.
  enum {
    Context,
    Type,
    TransposeA,
    TransposeB,
    Batch,
    M,
    N,
    K,
    A,
    LdA,
    StrideA,
    B,
    LdB,
    StrideB,
    Beta,
    C,
    LdC,
    StrideC
  };
  OperandRange operands = op.getArgOperands();
  Value memref = getMemRef(operands[C]);
  std::string type =
      getTypeName(cast<MemRefType>(memref.getType()).getElementType());
  auto flag = [&](unsigned number) {
    return getConstantIntValue(operands[number]) == 0 ? "false" : "true";
  };
  std::string call = "gemm<" + type + ">(device";
  for (unsigned number = TransposeA; number <= StrideC; ++number) {
    call += ", ";
    if (number == TransposeA || number == TransposeB || number == Beta)
      call += flag(number);
    else if (number == A || number == B || number == C)
      call += getAddress(operands[number]);
    else
      call += get(operands[number]);
  }
  compute({getMemRef(operands[A]), getMemRef(operands[B]), memref});
  program.helpers.insert("gemm");
  std::string what = "product";
  auto size = [&](unsigned number) { return get(operands[number]); };
  if (getConstantIntValue(operands[Batch]) != 1)
    what = size(Batch) + " products";
  comment(op, what + ", " + size(M) + " x " + size(K) + " by " + size(K) +
                  " x " + size(N));
  check("", call + ")");
}

//===----------------------------------------------------------------------===//
// Which op is what
//===----------------------------------------------------------------------===//

bool FunctionEmitter::emitOther(Operation *op) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    auto type = alloc.getType();
    View &view = getView(alloc);
    if (!type.hasStaticShape()) {
      unsigned dynamic = 0;
      SmallVector<std::string> sizes;
      for (int64_t size : type.getShape())
        sizes.push_back(
            ShapedType::isDynamic(size)
                ? getIndex(alloc.getDynamicSizes()[dynamic++], Unary)
                : std::to_string(size));
      view.sizes = sizes;
      view.strides.assign(sizes.size(), "1");
      for (size_t dim = sizes.size(); dim-- > 1;)
        view.strides[dim - 1] = view.strides[dim] == "1"
                                    ? sizes[dim]
                                    : sizes[dim] + " * " + view.strides[dim];
    }
    allocate(alloc, getBufferName(alloc));
  } else if (auto free = dyn_cast<memref::DeallocOp>(op)) {
    emitFree(free);
  } else if (auto view = dyn_cast<memref::ViewOp>(op)) {
    emitView(view);
  } else if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
    emitGlobal(global);
  } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    emitCopy(copy);
  } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
    emitRead(load);
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    emitWrite(store);
  } else if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
    emitLaunch(launch);
  } else if (auto call = dyn_cast<LLVM::CallOp>(op);
             call && call.getCallee() == "commGemm") {
    emitGemm(call);
  } else if (auto call = dyn_cast<func::CallOp>(op)) {
    if (call.getCallee() == kCheckDivisible || call.getCallee() == kCheckSize)
      emitCheck(call);
    else
      emitCall(call);
  } else if (isa<SendOp, RecvOp>(op)) {
    emitMessage(cast<CollectiveOpInterface>(op));
  } else if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
    emitCollective(collective);
  } else if (auto index = dyn_cast<AxisIndexOp>(op)) {
    program.helpers.insert("rankIn");
    std::string name = makeName(index, "rank");
    line("const int64_t " + name + " = rankIn(" +
         getCommunicator(index.getAxes()) + ");");
    set(index, {name});
  } else if (auto barrier = dyn_cast<BarrierOp>(op)) {
    comment(op, "comm.barrier");
    program.helpers.insert("barrier");
    communicate({});
    // What comes after it waits for it.
    inCommunication.insert(Value());
    check("", "barrier(" + getCommunicator(barrier.getAxes()) +
                  ", device.communication)");
  } else if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
    open("if (!" + get(assertion.getArg(), Unary) + ")");
    std::string message;
    llvm::raw_string_ostream(message).write_escaped(assertion.getMsg());
    line("return fail(\"" + describe(op, "assertion") + "\", \"" + message +
         "\", __FILE__, __LINE__);");
    close();
  } else {
    // Addresses and what they are made of are printed where they are used.
    return isa<UnrealizedConversionCastOp, LLVM::GEPOp, LLVM::AddressOfOp,
               LLVM::ZeroOp>(op);
  }
  return true;
}
