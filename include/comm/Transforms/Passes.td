//===- Passes.td - Passes on tensors -----------------------*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_PASSES
#define COMM_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def AnnotateActivity : Pass<"comm-annotate-activity", "::mlir::ModuleOp"> {
  let summary = "Prints the activity analysis as attributes";
  let description = [{
    Marks with `comm.active` what lies on a path from a float argument to a float
    result, and so will have a cotangent: function arguments and the ops at the
    top level of a function. Nothing reads the marks.

    Before:
    ```mlir
    %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
    ```
    After, where %y reaches a result:
    ```mlir
    %y = comm.all_reduce sum %x over @mesh["tp"] {comm.active} : tensor<4xf32>
    ```
  }];
}

def AnnotateReplication : Pass<"comm-annotate-replication", "::mlir::ModuleOp"> {
  let summary = "Prints the replication states as attributes";
  let description = [{
    Runs the replication analysis and prints the axes over which each value
    varies: `comm.state` on function arguments, function results and ops (one
    list per result where an op has several), `comm.argument_states` on ops
    with regions, one list per block argument. Nothing reads them. Axes of size
    1 never appear. Reports no wrong state: comm-materialize-replication does.

    Before:
    ```mlir
    %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
    ```
    After, on a mesh [dp = 2, tp = 4]:
    ```mlir
    %y = comm.all_reduce sum %x over @mesh["tp"] {comm.state = ["dp"]} : tensor<4xf32>
    ```
  }];
}

def MaterializeReplication : Pass<"comm-materialize-replication", "::mlir::ModuleOp"> {
  let summary = "Makes every change of state an explicit comm.vary";
  let description = [{
    Proves the claims of marked results, refuses what would deadlock, and
    inserts a `comm.vary` where a replicated float value that depends on a float
    argument is used as each rank's own: at most one for each value and set of
    axes, right after the value's definition, so that its uses share it. After
    this pass the adjoint of an op is decided by the op alone. A second run
    changes nothing.

    Before, with %w marked replicated over ["tp"]:
    ```mlir
    %y = arith.mulf %w, %x : tensor<4xf32>
    ```
    After:
    ```mlir
    %v = comm.vary %w over @mesh["tp"] : tensor<4xf32>
    %y = arith.mulf %v, %x : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::comm::CommDialect",
                           "::mlir::tensor::TensorDialect"];
}

def Differentiate : Pass<"comm-differentiate", "::mlir::ModuleOp"> {
  let summary = "Generates derivative functions";
  let description = [{
    For a function @f generates @f_fwd, @f_bwd and @f_vjp, or with `mode=forward`
    @f_jvp, plain functions in the same dialects, and replaces `comm.vjp`,
    `comm.jvp` and `comm.value_and_grad` by calls of them. State changes are made
    explicit first (comm-materialize-replication), what is generated is simplified
    by the laws (comm-simplify-collectives); the user's own functions are not
    changed otherwise.

    Differentiates the functions named by `functions`; without the option what
    the ops name; without ops every public function with a float argument.

    Before:
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<16xf32> {
      %y = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
      %v = comm.vary %y over @mesh["tp"] : tensor<16xf32>
      return %v : tensor<16xf32>
    }
    ```
    After, in addition:
    ```mlir
    func.func private @f_bwd(%dy: tensor<16xf32>) -> tensor<4xf32> {
      %dx = comm.reduce_scatter sum %dy dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
      return %dx : tensor<4xf32>
    }
    ```
  }];
  let options = [
    ListOption<"functions", "functions", "std::string",
               "The functions to differentiate, such as f,g">,
    ListOption<"recompute", "recompute", "std::string",
               "Ops that are computed again in the backward instead of being kept, such as comm.all_gather">,
    Option<"mode", "mode", "::mlir::comm::DerivativeMode",
           "::mlir::comm::DerivativeMode::Reverse",
           "Which derivative of these functions is generated; ops say themselves",
           [{::llvm::cl::values(
               clEnumValN(::mlir::comm::DerivativeMode::Reverse, "reverse",
                          "@f_vjp: cotangents of results to cotangents of arguments"),
               clEnumValN(::mlir::comm::DerivativeMode::Forward, "forward",
                          "@f_jvp: tangents of arguments to tangents of results"),
               clEnumValN(::mlir::comm::DerivativeMode::Split, "split",
                          "@f_fwd and @f_bwd alone, as visible as @f, to be run apart"))}]>
  ];
  let dependentDialects = ["::mlir::comm::CommDialect",
                           "::mlir::func::FuncDialect"];
}

def SimplifyCollectives : Pass<"comm-simplify-collectives"> {
  let summary = "Applies the laws of the collectives";
  let description = [{
    Applies the laws of the collectives, each in the direction of fewer bytes,
    then fewer ops; the description of an op (CommOps.td) lists those whose
    outermost op it is. vary and all_reduce match their axes as sets, all other ops need equal
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
