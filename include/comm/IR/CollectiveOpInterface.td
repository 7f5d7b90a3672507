//===- CollectiveOpInterface.td - What all collectives share --*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_COLLECTIVEOPINTERFACE
#define COMM_IR_COLLECTIVEOPINTERFACE

include "mlir/IR/OpBase.td"

def CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::mlir::comm";
  let description = [{
    An op that every rank of a group executes on one input. It has two forms: on
    tensors it yields a result; on memrefs it writes into a destination, or in
    place where none is given.
  }];
  let methods = [
    InterfaceMethod</*desc=*/"The axes of the group.",
      /*retType=*/"::mlir::comm::AxesAttr", /*methodName=*/"getGroup">,
    InterfaceMethod</*desc=*/"The tensor or memref of this rank.",
      /*retType=*/"::mlir::Value", /*methodName=*/"getInputValue">,
    InterfaceMethod</*desc=*/"The destination of the memref form, or null.",
      /*retType=*/"::mlir::Value", /*methodName=*/"getDestValue">,
    InterfaceMethod</*desc=*/[{
        The type of what the op yields: the result of the tensor form, the
        destination (or the input, in place) of the memref form.
      }],
      /*retType=*/"::mlir::ShapedType", /*methodName=*/"getOutputType">,
    InterfaceMethod</*desc=*/[{
        Verifies what depends on the number of ranks in the group: divisible
        dimensions, roots, pairs. Called once the axes are known to exist.
      }],
      /*retType=*/"::llvm::LogicalResult", /*methodName=*/"verifyGroup",
      /*args=*/(ins "int64_t":$groupSize)>,
  ];
}

#endif // COMM_IR_COLLECTIVEOPINTERFACE
