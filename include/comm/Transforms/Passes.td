//===- Passes.td - Passes on tensors -----------------------*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_PASSES
#define COMM_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def SimplifyCollectives : Pass<"comm-simplify-collectives"> {
  let summary = "Applies the laws of the collectives";
  let description = [{
    Applies the laws of docs/Semantics.md, each in the direction of fewer bytes,
    then fewer ops. A law that swallows a collective fires only where that
    collective has no other use.

    Before:
    ```mlir
    %0 = comm.all_reduce sum %g over @mesh["tp"] : tensor<16xf32>
    %1 = comm.all_slice %0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
    ```
    After:
    ```mlir
    %1 = comm.reduce_scatter sum %g dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
    ```
  }];
}

#endif // COMM_TRANSFORMS_PASSES
