//===- ReplicationOpInterface.td - What the state analysis asks --*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERFACES_REPLICATIONOPINTERFACE
#define COMM_INTERFACES_REPLICATIONOPINTERFACE

include "mlir/IR/OpBase.td"

def MeshOpInterface : OpInterface<"MeshOpInterface"> {
  let cppNamespace = "::mlir::comm";
  let description = [{
    The symbol that names the axes of the mesh and their sizes. World rank is
    row-major: the last axis varies fastest.
  }];
  let methods = [
    InterfaceMethod</*desc=*/"The names of the axes, all StringAttr.",
      /*retType=*/"::mlir::ArrayAttr", /*methodName=*/"getAxisNames">,
    InterfaceMethod</*desc=*/"The number of ranks along each axis, each >= 1.",
      /*retType=*/"::llvm::ArrayRef<int64_t>", /*methodName=*/"getAxisSizes">,
  ];
}

def ReplicationOpInterface : OpInterface<"ReplicationOpInterface"> {
  let cppNamespace = "::mlir::comm";
  let description = [{
    An op that moves data between ranks or depends on the rank: it has a
    transfer function of its own for the replication state. A local op does not
    implement this interface; its results vary over the union of what its
    operands, captures and region values vary over.
  }];
  let methods = [
    InterfaceMethod</*desc=*/"The axes of the group. Never null in valid IR.",
      /*retType=*/"::mlir::comm::AxesAttrInterface",
      /*methodName=*/"getGroupAxes">,
    InterfaceMethod</*desc=*/[{
        The state of every result, given the union of the operands' states
        (after the wanted states hold) and the group as a set of axes.
      }],
      /*retType=*/"::mlir::comm::ReplicationState", /*methodName=*/"inferState",
      /*args=*/(ins "::mlir::comm::ReplicationState":$operands,
                    "::mlir::comm::ReplicationState":$group)>,
    InterfaceMethod</*desc=*/"What every operand must be over the group's axes.",
      /*retType=*/"::mlir::comm::WantedState", /*methodName=*/"getWantedState">,
    InterfaceMethod</*desc=*/[{
        Whether the ranks of a group must all reach this op, or it and its
        adjoint: then it is refused under a condition that varies over its axes.
      }],
      /*retType=*/"bool", /*methodName=*/"isSynchronizing", /*args=*/(ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return true;">,
    InterfaceMethod</*desc=*/[{
        What to write in place of this op where its operand varies, for the
        error's note. Only asked of ops that want a replicated operand.
      }],
      /*retType=*/"::llvm::StringRef", /*methodName=*/"getVaryingAlternative",
      /*args=*/(ins), /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
  ];
}

def CallBoundaryOpInterface : OpInterface<"CallBoundaryOpInterface"> {
  let cppNamespace = "::mlir::comm";
  let description = [{
    An op other than `func.call` that stands for a call (`comm.vjp`): the marks
    of the called function hold for its operands and results.
  }];
  let methods = [
    InterfaceMethod</*desc=*/[{
        The mark of the boundary value that operand `operand` is passed to, or
        null where it is unmarked.
      }],
      /*retType=*/"::mlir::comm::AxesAttrInterface",
      /*methodName=*/"getOperandMark", /*args=*/(ins "unsigned":$operand)>,
    InterfaceMethod</*desc=*/"The same for a result.",
      /*retType=*/"::mlir::comm::AxesAttrInterface",
      /*methodName=*/"getResultMark", /*args=*/(ins "unsigned":$result)>,
  ];
}

def ControllingOpInterface : OpInterface<"ControllingOpInterface"> {
  let cppNamespace = "::mlir::comm";
  let description = [{
    A region op whose regions run, or run again, depending on some values: the
    condition of `scf.if`, the bounds of `scf.for`, the condition of
    `scf.while`. Inside a region that is controlled by a value varying over axes
    C, everything varies over C.
  }];
  let methods = [
    InterfaceMethod</*desc=*/[{
        The values that decide whether and how often the regions run. They may
        be defined inside a region (`scf.condition`'s operand).
      }],
      /*retType=*/"::llvm::SmallVector<::mlir::Value>",
      /*methodName=*/"getControllingValues">,
  ];
}

#endif // COMM_INTERFACES_REPLICATIONOPINTERFACE
