//===- CommDialect.td - The comm dialect -------------------*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_COMMDIALECT
#define COMM_IR_COMMDIALECT

include "mlir/IR/DialectBase.td"

def CommDialect : Dialect {
  let name = "comm";
  let cppNamespace = "::mlir::comm";
  let summary = "Collectives with adjoints";
  let description = [{
    SPMD programs over a named mesh of ranks: every rank runs the same function
    on its own values, and collectives move data between the ranks of a group.
    Every collective carries its adjoint, decided by the replication state of
    values; `docs/Semantics.md` says what that means.

    Collectives are not pure: an op here reads the resource `comm.ranks` (so
    that an unused one can be dropped and equal ones merged, and none is moved
    into or out of a region), and what orders ranks also writes it.
  }];
  // What the adjoints and laws emit.
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // COMM_IR_COMMDIALECT
