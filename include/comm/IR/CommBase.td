//===- CommBase.td - Element types and bases of ops --------*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_COMMBASE
#define COMM_IR_COMMBASE

include "comm/IR/CollectiveOpInterface.td"
include "comm/IR/CommAttrs.td"
include "comm/Interfaces/AdjointOpInterface.td"
include "comm/Interfaces/ReplicationOpInterface.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def Comm_Element : AnyTypeOf<[F16, BF16, F32, F64, I1, I8, I16, I32, I64],
    "f16, bf16, f32, f64, i1, i8, i16, i32 or i64">;
def Comm_Tensor : RankedTensorOf<[Comm_Element]>;
def Comm_MemRef : MemRefOf<[Comm_Element]>;
def Comm_TensorOrMemRef : AnyTypeOf<[Comm_Tensor, Comm_MemRef],
    "ranked tensor or memref of f16, bf16, f32, f64, i1, i8, i16, i32 or i64">;

class Comm_Op<string mnemonic, list<Trait> traits = []>
    : Op<CommDialect, mnemonic, traits>;

/// How the state moves through an op, as in the table of docs/Semantics.md:
/// "Reduced" is var -> rep, "Spread" is rep -> var, "Exchanged" is var -> var.
class Comm_StateMotion<string wanted, string infer> {
  string wantedState = wanted;
  string inferExpression = infer;
}
def Comm_Reduced : Comm_StateMotion<"Varying", "operands - group">;
def Comm_Spread : Comm_StateMotion<"Replicated", "operands | group">;
def Comm_Exchanged : Comm_StateMotion<"Varying", "operands | group">;

/// An op over a group of ranks with an adjoint: its effects are on the resource
/// `comm.ranks`, its axes are verified against the mesh, its state is moved as
/// `motion` says. An op of this class without an adjoint does not link. An op
/// whose adjoint reads nothing of the primal program is linear.
class Comm_GroupOp<string mnemonic, Comm_StateMotion motion,
                   list<Trait> traits = [], list<string> adjointMethods = []>
    : Comm_Op<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<AdjointOpInterface,
            !listconcat(["emitTangent"], adjointMethods)>,
        DeclareOpInterfaceMethods<CollectiveOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<SymbolUserOpInterface>], traits)> {
  let hasVerifier = 1;
  code groupDefinition = [{
    ::mlir::comm::AxesAttrInterface $cppClass::getGroupAxes() {
      return ::llvm::cast_or_null<::mlir::comm::AxesAttrInterface>(
          ::mlir::Attribute(getGroup()));
    }
    ::mlir::comm::ReplicationState $cppClass::inferState(
        ::mlir::comm::ReplicationState operands,
        ::mlir::comm::ReplicationState group) {
      return }] # motion.inferExpression # [{;
    }
    ::mlir::comm::WantedState $cppClass::getWantedState() {
      return ::mlir::comm::WantedState::}] # motion.wantedState # [{;
    }
    ::std::optional<::llvm::SmallVector<::mlir::Value>>
    $cppClass::emitTangent(::mlir::OpBuilder &builder,
                           const ::mlir::comm::Primals &primals,
                           ::mlir::ValueRange tangents) {
      // y = A x  =>  ẏ = A ẋ
      if (getResiduals(::llvm::BitVector((*this)->getNumOperands(), true)).empty())
        return ::mlir::comm::emitLinearTangent(builder, *this, primals, tangents);
      return ::std::nullopt;
    }
    void $cppClass::getEffects(::llvm::SmallVectorImpl<
        ::mlir::MemoryEffects::EffectInstance> &effects) {
      ::mlir::comm::getGroupOpEffects(*this, effects);
    }
    ::llvm::LogicalResult $cppClass::verifySymbolUses(
        ::mlir::SymbolTableCollection &symbols) {
      return ::mlir::comm::verifyGroupSymbol(*this, symbols);
    }
  }];
  code axesDefinition = [{
    ::mlir::comm::AxesAttr $cppClass::getGroup() { return getAxes(); }
    ::mlir::Value $cppClass::getInputValue() { return getInput(); }
  }];
}

/// A collective with a tensor and a memref form.
class Comm_CollectiveOp<string mnemonic, Comm_StateMotion motion,
                        dag parameters = (ins), list<string> adjointMethods = []>
    : Comm_GroupOp<mnemonic, motion,
                   [DeclareOpInterfaceMethods<ReplicationOpInterface>],
                   adjointMethods> {
  let arguments = !con((ins Comm_TensorOrMemRef:$input,
                            Optional<Comm_MemRef>:$dest),
                       parameters, (ins Comm_AxesAttr:$axes));
  let results = (outs Optional<Comm_Tensor>:$result);
  let extraClassDefinition = groupDefinition # axesDefinition # [{
    ::mlir::Value $cppClass::getDestValue() { return getDest(); }
    ::mlir::ShapedType $cppClass::getOutputType() {
      ::mlir::Value output = getResult() ? getResult()
                             : getDest() ? ::mlir::Value(getDest())
                                         : ::mlir::Value(getInput());
      return ::llvm::cast<::mlir::ShapedType>(output.getType());
    }
  }];
}

/// An op that moves nothing between ranks but depends on the rank or changes
/// the state. On tensors only: it is lowered before buffers are assigned, and
/// `comm.vary` becomes its operand.
class Comm_LocalOp<string mnemonic, dag parameters = (ins),
                   list<Trait> traits = []>
    : Comm_GroupOp<mnemonic, Comm_Spread, !listconcat([
        DeclareOpInterfaceMethods<ReplicationOpInterface,
                                  ["getVaryingAlternative"]>], traits)> {
  let arguments = !con((ins Comm_Tensor:$input), parameters,
                       (ins Comm_AxesAttr:$axes));
  let results = (outs Comm_Tensor:$result);
  let extraClassDefinition = groupDefinition # axesDefinition # [{
    ::mlir::Value $cppClass::getDestValue() { return {}; }
    ::mlir::ShapedType $cppClass::getOutputType() {
      return ::llvm::cast<::mlir::ShapedType>(getResult().getType());
    }
  }];
}

/// Builds the tensor form of an op whose result has the input's type.
class Comm_SameTypeBuilder<dag parameters, string set>
    : OpBuilder<!con((ins "::mlir::Value":$input), parameters,
                     (ins "::mlir::comm::AxesAttr":$axes)), [{
        $_state.addOperands(input);
        $_state.addTypes(input.getType());
        auto &properties = $_state.getOrAddProperties<Properties>();
        properties.axes = axes;
      }] # set>;

/// Builds the tensor form of an op that changes the shape.
class Comm_ResultTypeBuilder<dag parameters, string set>
    : OpBuilder<!con((ins "::mlir::Type":$resultType, "::mlir::Value":$input),
                     parameters, (ins "::mlir::comm::AxesAttr":$axes)), [{
        $_state.addOperands(input);
        $_state.addTypes(resultType);
        auto &properties = $_state.getOrAddProperties<Properties>();
        properties.axes = axes;
      }] # set>;

#endif // COMM_IR_COMMBASE
