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
    then fewer ops; the description of an op lists those whose outermost op it
    is. vary and all_reduce match their axes as sets, all other ops need equal
    lists of axes, dims and roots. A law that swallows a collective fires only
    where that collective has no other use. The new collective stands where the
    swallowed one stood. Over groups of one rank every op is the identity, and
    an axis of size 1 is dropped from the others.

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
