//===- StateOps.td - Changes of replication state ----------*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_STATEOPS
#define COMM_IR_STATEOPS

include "comm/IR/CommBase.td"

def Comm_VaryOp : Comm_LocalOp<"vary", (ins), [ViewLikeOpInterface]> {
  let summary = "Uses one replicated value as each rank's own";
  let description = [{
    Turns one value that is replicated over the axes into a value of each rank's
    own. Copies nothing.

    Semantics: y_i = x.

    Constraints:
    - vary_c1: the result has the type of the operand;
    - vary_c2: the operand is replicated over every axis of the group (checked
      by the state analysis).

    **Adjoint.** x̄ = all_reduce sum ȳ: each rank's use contributes. The place of
    a `vary` is where the backward all_reduce will be.

    **Replication.** rep -> var.

    **Laws.** vary over A of vary over B is rewritten to vary over A ∪ B. A vary over
    B moves outward past an op over disjoint axes where that lets the op meet
    the collective behind the vary. vary x + vary y is rewritten to vary (x + y)
    (equal sets of axes).

    Example:
    ```mlir
    %v = comm.vary %x over @mesh["tp"] : tensor<4xf32>
    ```
  }];
  let builders = [Comm_SameTypeBuilder<(ins), "">];
  let extraClassDeclaration = [{
    /// The operand: nothing is copied.
    ::mlir::Value getViewSource() { return getInput(); }
  }];
  let assemblyFormat = [{
    $input `over` custom<Axes>($axes) attr-dict `:`
    custom<TensorTypes>(type($input), type($result))
  }];
}

def Comm_AllSliceOp : Comm_LocalOp<"all_slice", (ins I64Attr:$dim)> {
  let summary = "Each rank's own chunk of one replicated value";
  let description = [{
    Takes chunk i along dimension `dim` of a replicated value on rank i of the
    group. Moves nothing.

    Semantics: y_i = x[.., i·k : (i+1)·k, ..], k = size / n.

    Constraints:
    - all_slice_c1: 0 <= dim < rank;
    - all_slice_c2: the group size divides dimension `dim` of the operand;
    - all_slice_c3: the result has the operand's type but for dimension `dim`,
      which is divided by the group size;
    - all_slice_c4: the operand is replicated over every axis of the group
      (checked by the state analysis). For a varying operand write
      `tensor.extract_slice` at `comm.axis_index`.

    **Adjoint.** x̄ = all_gather ȳ along `dim`: the chunks put together.

    **Replication.** rep -> var.

    **Laws.** Rewritten to the right side (S is the list of this op):
    - all_slice over S of all_reduce over A = all_reduce over A−S of
      reduce_scatter over S, S ⊆ A (sum, avg);
    - all_slice over S of all_reduce over A = all_reduce over A of all_slice over
      S, disjoint (any reduction); a list that is neither is split in two;
    - all_slice of all_gather = identity (equal dims), all_to_all (different
      dims);
    - all_slice of broadcast = scatter;
    - all_slice of an elementwise op = the op on the all_slice of each operand,
      where one of the laws above then applies to an operand.

    Example:
    ```mlir
    %y = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
    ```
  }];
  let builders = [Comm_ResultTypeBuilder<(ins "int64_t":$dim),
    "properties.dim = $_builder.getI64IntegerAttr(dim);">];
  let assemblyFormat = [{
    $input `dim` $dim `over` custom<Axes>($axes) attr-dict `:`
    custom<TensorTypes>(type($input), type($result))
  }];
}

def Comm_RootMaskOp : Comm_LocalOp<"root_mask", (ins I64Attr:$root)> {
  let summary = "One replicated value on the root, zeros elsewhere";
  let description = [{
    Keeps a replicated value on rank `root` of the group and is zero on the
    others. Moves nothing.

    Semantics: y_i = x where i = root, else 0.

    Constraints:
    - root_mask_c1: 0 <= root < group size;
    - root_mask_c2: the result has the type of the operand;
    - root_mask_c3: the operand is replicated over every axis of the group
      (checked by the state analysis). For a varying operand write
      `comm.permute [(k, k)]`.

    **Adjoint.** x̄ = broadcast ȳ from `root`.

    **Replication.** rep -> var.

    **Laws.** root_mask of all_reduce over the same set of axes is rewritten to
    reduce (sum, avg); root_mask of all_gather to gather. (root_mask over S of
    all_reduce over A = all_reduce over A−S of reduce over S holds for every
    S ⊆ A, but is not applied where S ≠ A: it is two collectives for one.)

    Example:
    ```mlir
    %y = comm.root_mask %x root 1 over @mesh["tp"] : tensor<4xf32>
    ```
  }];
  let builders = [Comm_SameTypeBuilder<(ins "int64_t":$root),
    "properties.root = $_builder.getI64IntegerAttr(root);">];
  let assemblyFormat = [{
    $input `root` $root `over` custom<Axes>($axes) attr-dict `:`
    custom<TensorTypes>(type($input), type($result))
  }];
}

#endif // COMM_IR_STATEOPS
