//===- RegionTangentOpInterface.td - Tangents of calls and region ops --*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERFACES_REGIONTANGENTOPINTERFACE
#define COMM_INTERFACES_REGIONTANGENTOPINTERFACE

include "mlir/IR/OpBase.td"

def RegionTangentOpInterface : OpInterface<"RegionTangentOpInterface"> {
  let cppNamespace = "::mlir::comm";
  let description = [{
    An op that runs other code (`func.call`, `scf.for`): in forward mode it
    becomes one that carries the tangents of its active operands and results
    beside these. Narrower than AdjointOpInterface on purpose: the driver lends
    the rule its own powers through TangentDriver and nothing else.
  }];
  let methods = [
    InterfaceMethod</*desc=*/[{
        Reports, by errors at the op, why the op has no tangent (a callee has no
        body). Asked of all ops before anything is emitted, so that all errors
        are reported at once.
      }],
      /*retType=*/"::llvm::LogicalResult", /*methodName=*/"verifyTangent",
      /*args=*/(ins "::mlir::comm::TangentFunctions &":$functions),
      /*methodBody=*/"", /*defaultImplementation=*/"return ::mlir::success();">,
    InterfaceMethod</*desc=*/[{
        Emits, at the driver's insertion point, the op that computes the results
        of this one and their tangents, and tells the driver what they are
        called; or fails after an error. This op is not changed.
      }],
      /*retType=*/"::llvm::LogicalResult",
      /*methodName=*/"emitTangent",
      /*args=*/(ins "::mlir::comm::TangentDriver &":$driver)>,
  ];
}

#endif // COMM_INTERFACES_REGIONTANGENTOPINTERFACE
