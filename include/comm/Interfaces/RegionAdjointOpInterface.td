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
    An op that runs other code, by a call or in its regions: its forward has to
    be rewritten to keep what the backward needs, and its backward has to run
    the adjoint of that code. Narrower than AdjointOpInterface on purpose: the
    driver lends the rule its own powers through RegionAdjointContext and
    nothing else.
  }];
  let methods = [
    InterfaceMethod</*desc=*/[{
        Reports, by errors at the op, why it has no adjoint. Asked of all ops
        before anything is emitted, so that all errors are reported at once;
        the ops in its regions are asked by the driver.
      }],
      /*retType=*/"::llvm::LogicalResult", /*methodName=*/"verifyRegionAdjoint",
      /*args=*/(ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return ::mlir::success();">,
    InterfaceMethod</*desc=*/[{
        Replaces this op, which stands in the forward function, by one that
        computes the same results and what the backward needs, or fails after
        an error at the op. The original op is erased.
      }],
      /*retType=*/"::mlir::FailureOr<::mlir::comm::RegionForward>",
      /*methodName=*/"emitForward",
      /*args=*/(ins "::mlir::RewriterBase &":$rewriter,
                    "::mlir::comm::RegionAdjointContext &":$context)>,
  ];
}

#endif // COMM_INTERFACES_REGIONADJOINTOPINTERFACE
