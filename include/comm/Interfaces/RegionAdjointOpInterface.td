//===- RegionAdjointOpInterface.td - Adjoints of calls and region ops --*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERFACES_REGIONADJOINTOPINTERFACE
#define COMM_INTERFACES_REGIONADJOINTOPINTERFACE

include "mlir/IR/OpBase.td"

def RegionAdjointOpInterface : OpInterface<"RegionAdjointOpInterface"> {
  let cppNamespace = "::mlir::comm";
  let description = [{
    An op that runs other code (`func.call`): its forward has to be rewritten
    to keep what the backward needs, and its backward has to run the adjoint of
    that code. Narrower than AdjointOpInterface on purpose: the driver lends
    the rule its own powers through AdjointDriver and nothing else.
  }];
  let methods = [
    InterfaceMethod</*desc=*/[{
        Replaces this op, which stands in the forward function, by one that
        computes the same results and what the backward needs, or fails after
        an error at the op. The original op is erased.
      }],
      /*retType=*/"::mlir::FailureOr<::mlir::comm::RegionForward>",
      /*methodName=*/"emitForward",
      /*args=*/(ins "::mlir::RewriterBase &":$rewriter,
                    "::mlir::comm::AdjointDriver &":$driver)>,
  ];
}

#endif // COMM_INTERFACES_REGIONADJOINTOPINTERFACE
