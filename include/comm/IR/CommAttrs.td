//===- CommAttrs.td - Attributes and types -----------------*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_COMMATTRS
#define COMM_IR_COMMATTRS

include "comm/IR/CommDialect.td"
include "comm/Interfaces/AxesAttrInterface.td"
include "comm/Interfaces/CotangentTypeInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Comm_AxesAttr : AttrDef<CommDialect, "Axes",
    [DeclareAttrInterfaceMethods<AxesAttrInterface>]> {
  let mnemonic = "axes";
  let summary = "Axes of a named mesh";
  let description = [{
    One or several axes of a mesh, in the order in which a group numbers its
    ranks. As the mark `comm.replicated` of an argument or result, the axes over
    which it is one value.

    Constraints:
    - axes_c1: at least one axis;
    - axes_c2: no axis is named twice;
    - axes_c3: the mesh exists and has every axis (verified by the user).

    Example: `#comm.axes<@mesh["dp", "tp"]>`
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh,
                        ArrayRefParameter<"::mlir::StringAttr">:$axes);
  let assemblyFormat = "`<` custom<MeshAndAxes>($mesh, $axes) `>`";
  let genVerifyDecl = 1;
}

def Comm_ReductionKind : I32EnumAttr<"ReductionKind", "A reduction over ranks", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Avg", 1, "avg">,
    I32EnumAttrCase<"Prod", 2, "prod">, I32EnumAttrCase<"Max", 3, "max">,
    I32EnumAttrCase<"Min", 4, "min">, I32EnumAttrCase<"And", 5, "and">,
    I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">]> {
  let cppNamespace = "::mlir::comm";
  let genSpecializedAttr = 0;
}
def Comm_ReductionAttr : EnumAttr<CommDialect, Comm_ReductionKind, "reduction">;

def Comm_MessageType : TypeDef<CommDialect, "Message",
    [DeclareTypeInterfaceMethods<CotangentTypeInterface>]> {
  let mnemonic = "message";
  let summary = "tensor in flight from one rank to another";
  let description = [{
    What `comm.send` yields and the one `comm.recv` takes. Ties the two lines
    together, so that activity, zeros, order and dead code need no notion of a
    channel.

    Example: `!comm.message<tensor<4xf32>>`
  }];
  let parameters = (ins "::mlir::RankedTensorType":$payload);
  let assemblyFormat = "`<` $payload `>`";
}

#endif // COMM_IR_COMMATTRS
