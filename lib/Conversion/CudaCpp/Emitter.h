//===- Emitter.h - Statements and expressions of C++ -*- C++ -*-
//------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_CUDACPP_EMITTER_H
#define COMM_LIB_CONVERSION_CUDACPP_EMITTER_H

#include "comm/IR/Comm.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <set>

namespace mlir::comm::cudacpp {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Names that are used in one scope and those around it.
class NameTable {
public:
  /// `outer` null: the names that C++, CUDA and the text's own helpers have.
  explicit NameTable(const NameTable *outer);
  /// A name like `hint` that nobody has.
  std::string make(StringRef hint);

private:
  bool isUsed(StringRef name) const;

  const NameTable *outer;
  llvm::StringSet<> used;
};

/// What a value made at `loc` is called in the text, as a name of C++; empty
/// where it has no name. A cotangent is called after the value that it is of.
std::string getHint(Location loc);
/// The names that nameValues found for what a function returns; as many as it
/// has results, some of them empty.
SmallVector<std::string> getResultHints(Operation *function);
/// "layer.mlir:6", or nothing where the location is in no file.
std::string getPlace(Location loc);
/// The same for a comment on what `op` does, named `what`.
std::string describe(Operation *op, StringRef what);

//===----------------------------------------------------------------------===//
// The whole text
//===----------------------------------------------------------------------===//

/// What the functions of a text share.
struct Program {
  explicit Program(ModuleOp module) : module(module), names(nullptr) {}

  ModuleOp module;
  NameTable names;
  /// The helpers that are called, by their names in Helpers.cpp.
  std::set<StringRef> helpers;
  /// The members of `struct Communicators`.
  llvm::MapVector<AxesAttr, std::string> communicators;
  /// The names of functions, kernels and constants, by their ops.
  DenseMap<Operation *, std::string> symbols;
  /// The kernels and the constants, printed.
  std::string kernels, constants;
  /// What the parameters of functions are called, by the functions' names, with
  /// the types that they have in the module: arguments, then results.
  struct Interface {
    SmallVector<std::pair<std::string, Type>> arguments, results;
  };
  llvm::StringMap<Interface> interfaces;
  /// Whether everything had a text so far.
  bool isGood = true;
};

/// The text of the includes, of what is passed in, and of the helpers.
std::string getPrologue(const Program &program);
/// The text of the helpers with these names.
std::string getHelpers(const std::set<StringRef> &used);

/// Prints `constant` into the program.
void emitConstant(Program &program, memref::GlobalOp constant);
/// Whether a kernel writes to the memory of its argument.
bool isWritten(Value memref);
/// Prints the kernel into the program, called after `hint`, its parameters
/// after `parameters`; gives its name. Equal kernels are printed once.
std::string emitKernel(Program &program, gpu::GPUFuncOp kernel, StringRef hint,
                       StringRef comment, ArrayRef<std::string> parameters);
/// The text of a function, and its prototype.
struct FunctionText {
  std::string prototype, body;
};
FunctionText emitFunction(Program &program, func::FuncOp function);

/// `parts` with commas, in lines that are not long, after `before`.
std::string joinLines(StringRef before, ArrayRef<std::string> parts);

//===----------------------------------------------------------------------===//
// Emitter
//===----------------------------------------------------------------------===//

/// How tightly the operator of an expression binds; larger is looser.
enum Precedence {
  Atomic,
  Unary,
  Multiplicative,
  Additive,
  Comparison,
  Logical,
  Conditional,
  Any
};

struct Expression {
  std::string text;
  Precedence precedence = Atomic;
};

/// A memref: a pointer to the first element, and in elements the sizes and
/// strides, each a name or a number.
struct View {
  std::string pointer;
  SmallVector<std::string> sizes, strides;
};

/// The type of C++ for numbers; empty where there is none, after an error.
std::string getTypeName(Type type);
std::string getLiteral(TypedAttr value);
/// What of a memref only the run knows: positions of sizes, then of strides.
SmallVector<unsigned> getDynamicSizes(MemRefType type);
SmallVector<unsigned> getDynamicStrides(MemRefType type);

/// Prints the ops that host and device have in common.
class Emitter {
public:
  Emitter(Program &program, unsigned indent)
      : program(program), names(&program.names), indent(indent) {}
  virtual ~Emitter() = default;

protected:
  /// Prints an op that is not in common; false where it has no text.
  virtual bool emitOther(Operation *op) = 0;
  /// Around what may run any number of times.
  virtual void beginRegions() {}
  virtual void beginBlock() {}
  virtual void endBlock() {}
  virtual void endRegions() {}

  // Text.
  void line(const Twine &text);
  void open(const Twine &text);
  void close(const Twine &text = "}");

  // Values.
  Expression lookup(Value value);
  std::string get(Value value, Precedence within = Any);
  void set(Value value, Expression expression);
  /// Called as in the text that was compiled, or `otherwise`.
  virtual std::string makeName(Value value, StringRef otherwise);
  /// Its C++ type; some numbers are unsigned, as the op that made them says.
  std::string getType(Value value);
  std::string asUnsigned(Value value, Precedence within);
  std::string asSigned(Value value, Precedence within);
  View &getView(Value memref);
  /// Names and binds a memref whose pointer and dynamic sizes are variables.
  SmallVector<std::string> bindVariable(Value memref, StringRef name);
  std::string getCount(Value memref);
  /// The pointer as an argument.
  std::string getPointer(Value memref);
  std::string getSubscript(Value memref, ValueRange indices);

  // Ops.
  void emitBlock(Block &block);
  void emit(Operation *op);
  /// The value of an op that only computes a number.
  std::optional<Expression> compute(Operation *op);
  std::optional<Expression> computeInteger(Operation *op);
  std::optional<Expression> countBits(Operation *op);
  std::optional<Expression> computeFloat(Operation *op);
  std::optional<Expression> computeCast(Operation *op);
  std::optional<Expression> binary(Operation *op, StringRef sign,
                                   Precedence precedence);
  void emitSincos(math::SincosOp op);
  bool emitMemory(Operation *op);
  bool emitControlFlow(Operation *op);
  void bindStatic(Value memref, std::string pointer);
  std::string getIndex(OpFoldResult value, Precedence within = Any);
  void emitSubView(memref::SubViewOp op);
  void emitReshape(Operation *op);
  void emitReinterpret(memref::ReinterpretCastOp op);
  void emitFor(scf::ForOp op);
  void emitIf(scf::IfOp op);
  void emitWhile(scf::WhileOp op);
  void emitSwitch(scf::IndexSwitchOp op);
  /// Declares variables for values that regions assign; without a value first
  /// where `initial` is empty.
  void declare(ValueRange values, ValueRange initial, StringRef otherwise);
  void assign(ValueRange variables, ValueRange values);
  void fail(Operation *op);

  Program &program;
  NameTable names;
  std::string text;
  unsigned indent;

private:
  bool isInlined(Operation *op);
  bool isLoadInlined(memref::LoadOp op);

  DenseMap<Value, Expression> expressions;
  DenseMap<Value, View> views;
};

} // namespace mlir::comm::cudacpp

#endif // COMM_LIB_CONVERSION_CUDACPP_EMITTER_H
