//===- AdjointOpInterface.td - The adjoint of an op --------*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERFACES_ADJOINTOPINTERFACE
#define COMM_INTERFACES_ADJOINTOPINTERFACE

include "mlir/IR/OpBase.td"

def AdjointOpInterface : OpInterface<"AdjointOpInterface"> {
  let cppNamespace = "::mlir::comm";
  let description = [{
    An op that knows the adjoint of its Jacobian. A rule is a pure function: it
    reads the primal values it asked for and the cotangents of the results, and
    emits the cotangents of the operands, or the tangents of the operands and
    emits those of the results. Accumulation, zeros, activity and the
    keeping of residuals are the driver's.

    In an adjoint the op itself may be read for its attributes, its types and the number of
    its operands, never for the values of its operands: in a backward function
    those do not exist. Operands and results are counted as in the generic form
    of the op.
  }];
  let methods = [
    InterfaceMethod</*desc=*/[{
        The primal values that `emitAdjoint` will read, given which operands a
        cotangent is wanted for. Empty for a linear op with static sizes.
      }],
      /*retType=*/"::llvm::SmallVector<::mlir::comm::Residual>",
      /*methodName=*/"getResiduals",
      /*args=*/(ins "const ::llvm::BitVector &":$wanted),
      /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod</*desc=*/[{
        Reports, by errors at the op, why the op has no adjoint for the wanted
        operands (a reduction with no rule, an integer path). Asked of all ops
        before anything is emitted, so that all errors are reported at once.
      }],
      /*retType=*/"::llvm::LogicalResult", /*methodName=*/"verifyAdjoint",
      /*args=*/(ins "const ::llvm::BitVector &":$wanted),
      /*methodBody=*/"", /*defaultImplementation=*/"return ::mlir::success();">,
    InterfaceMethod</*desc=*/[{
        Emits the adjoint: one value per operand, null where the operand gets no
        contribution or none is wanted. `cotangents` has one value per result,
        null where the cotangent is zero; at least one is not null. The type of
        a cotangent is the type of its primal value.
      }],
      /*retType=*/"::llvm::SmallVector<::mlir::Value>",
      /*methodName=*/"emitAdjoint",
      /*args=*/(ins "::mlir::OpBuilder &":$builder,
                    "const ::mlir::comm::Primals &":$primals,
                    "::mlir::ValueRange":$cotangents)>,
    InterfaceMethod</*desc=*/[{
        Emits the tangent, the Jacobian times the tangents of the operands: one
        value per result, null where it is zero. `tangents` has one value per
        operand, null where the tangent is zero; at least one is not null.
        `primals` has every operand and result, whatever `getResiduals` lists;
        an operand is wanted where it has a tangent.

        Without a rule of its own the tangent of an op is the transpose of its
        adjoint, which `emitTangent` of Autodiff/ForwardMode.h makes. A linear
        op is its own tangent (`emitLinearTangent`).
      }],
      /*retType=*/"::std::optional<::llvm::SmallVector<::mlir::Value>>",
      /*methodName=*/"emitTangent",
      /*args=*/(ins "::mlir::OpBuilder &":$builder,
                    "const ::mlir::comm::Primals &":$primals,
                    "::mlir::ValueRange":$tangents),
      /*methodBody=*/"", /*defaultImplementation=*/"return ::std::nullopt;">,
  ];
}

/// The results of the op carry no derivative, whatever its operands do: no path
/// of activity leads through it, so it needs no adjoint.
def StopsDerivative : NativeOpTrait<"StopsDerivative"> {
  let cppNamespace = "::mlir::comm";
}

#endif // COMM_INTERFACES_ADJOINTOPINTERFACE
