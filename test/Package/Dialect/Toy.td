//===- Toy.td - A dialect outside of comm ------------------*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "comm/IR/CommAttrs.td"
include "comm/Interfaces/AdjointOpInterface.td"
include "comm/Interfaces/ReplicationOpInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def ToyDialect : Dialect {
  let name = "toy";
  let cppNamespace = "::toy";
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::comm::CommDialect",
                           "::mlir::tensor::TensorDialect"];
}

// y = x^3, elementwise: a local op, whose state the analysis works out itself.
def CubeOp : Op<ToyDialect, "cube", [
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<AdjointOpInterface, ["getResiduals"]>]> {
  let arguments = (ins TensorOf<[AnyFloat]>:$x);
  let results = (outs TensorOf<[AnyFloat]>:$y);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

// y = (1/n) sum_j j·x_j over the n ranks of a group, numbered from 0: it moves
// data between ranks, so it says how states move through it.
def RankedMeanOp : Op<ToyDialect, "ranked_mean", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<AdjointOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReplicationOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins TensorOf<[AnyFloat]>:$x, Comm_AxesAttr:$axes);
  let results = (outs TensorOf<[AnyFloat]>:$y);
  let assemblyFormat = "$x `over` $axes attr-dict `:` type($x)";
}
