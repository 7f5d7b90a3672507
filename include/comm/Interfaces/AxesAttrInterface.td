//===- AxesAttrInterface.td - A list of mesh axes ----------*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERFACES_AXESATTRINTERFACE
#define COMM_INTERFACES_AXESATTRINTERFACE

include "mlir/IR/OpBase.td"

def AxesAttrInterface : AttrInterface<"AxesAttrInterface"> {
  let cppNamespace = "::mlir::comm";
  let description = [{
    A list of axes of a named mesh: the group of a collective, or the mark
    `comm.replicated` of an argument or result.
  }];
  let methods = [
    InterfaceMethod</*desc=*/"The symbol of the mesh.",
      /*retType=*/"::mlir::FlatSymbolRefAttr", /*methodName=*/"getMesh">,
    InterfaceMethod</*desc=*/"The names of the axes, in the order written.",
      /*retType=*/"::llvm::ArrayRef<::mlir::StringAttr>",
      /*methodName=*/"getAxes">,
  ];
}

#endif // COMM_INTERFACES_AXESATTRINTERFACE
