//===- CotangentTypeInterface.td - Types that carry a derivative --*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERFACES_COTANGENTTYPEINTERFACE
#define COMM_INTERFACES_COTANGENTTYPEINTERFACE

include "mlir/IR/OpBase.td"

def CotangentTypeInterface : TypeInterface<"CotangentTypeInterface"> {
  let cppNamespace = "::mlir::comm";
  let description = [{
    A type, other than floats and float tensors, whose values can carry a
    derivative: a message in flight. The cotangent has the same type. Such a
    value has one use, so its cotangents are never added and have no zero.
  }];
  let methods = [
    InterfaceMethod</*desc=*/"Whether this instance carries a derivative.",
      /*retType=*/"bool", /*methodName=*/"isDifferentiable">,
  ];
}

#endif // COMM_INTERFACES_COTANGENTTYPEINTERFACE
