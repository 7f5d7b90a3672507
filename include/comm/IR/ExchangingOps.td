//===- ExchangingOps.td - Collectives whose result is each rank's own --*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_EXCHANGINGOPS
#define COMM_IR_EXCHANGINGOPS

include "comm/IR/CommBase.td"

def Comm_ReduceScatterOp : Comm_CollectiveOp<"reduce_scatter", Comm_Exchanged,
    (ins Comm_ReductionAttr:$reduction, I64Attr:$dim)> {
  let summary = "Each rank's own chunk of the sum over ranks";
  let description = [{
    Sums the operands of all ranks of the group and gives rank i chunk i of the
    sum along dimension `dim`.

    Semantics: y_i = chunk i of sum_j x_j (avg: of (1/n) sum_j x_j).

    Constraints:
    - reduce_scatter_c1: 0 <= dim < rank;
    - reduce_scatter_c2: the group size divides dimension `dim`;
    - reduce_scatter_c3: the result has the operand's type but for dimension
      `dim`, which is divided by the group size;
    - reduce_scatter_c4: the reduction is `sum`, or `avg` of floats; sum of i1
      is refused;
    - reduce_scatter_c5: the memref form has a destination, the tensor form none.

    **Adjoint.** x̄ = vary(all_gather ȳ along `dim`) (avg: of ȳ/n).

    **Replication.** var -> var.

    **Laws.** reduce_scatter over S of vary over B is rewritten to n(S) times vary
    over B−S of all_slice over S, S ⊆ B (avg: no factor); reduce_scatter x +
    reduce_scatter y to reduce_scatter (x + y).

    Example:
    ```mlir
    %y = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
    ```
  }];
  let builders = [Comm_ResultTypeBuilder<
    (ins "::mlir::comm::ReductionKind":$reduction, "int64_t":$dim), [{
      properties.reduction = ReductionKindAttr::get($_builder.getContext(), reduction);
      properties.dim = $_builder.getI64IntegerAttr(dim);
    }]>];
  let assemblyFormat = [{
    custom<Reduction>($reduction) $input (`into` $dest^)? `dim` $dim `over` custom<Axes>($axes)
    attr-dict `:`
    custom<CollectiveTypes>(ref($dest), type($input), type($dest), type($result))
  }];
}

def Comm_AllToAllOp : Comm_CollectiveOp<"all_to_all", Comm_Exchanged,
    (ins I64Attr:$split_dim, I64Attr:$concat_dim)> {
  let summary = "Every rank sends a chunk to every rank";
  let description = [{
    Sends chunk j of dimension `split` to rank j of the group, and concatenates
    what arrives along dimension `concat` in group order.

    Semantics: y_i = concatenation over j of chunk i of x_j.

    Constraints:
    - all_to_all_c1: 0 <= split < rank and 0 <= concat < rank;
    - all_to_all_c2: the group size divides dimension `split` of the operand;
    - all_to_all_c3: the result has the operand's type but for dimension
      `split`, which is divided, and `concat`, which is multiplied by the group
      size (equal dimensions: the same type);
    - all_to_all_c4: the memref form has a destination, the tensor form none.

    **Adjoint.** x̄ = all_to_all ȳ with split and concat swapped.

    **Replication.** var -> var.

    **Laws.** all_to_all of its swap is rewritten to the identity, all_to_all x +
    all_to_all y to all_to_all (x + y).

    Example:
    ```mlir
    %y = comm.all_to_all %x split 0 concat 1 over @mesh["tp"] : tensor<8x2xf32> -> tensor<2x8xf32>
    ```
  }];
  let builders = [Comm_ResultTypeBuilder<
    (ins "int64_t":$splitDim, "int64_t":$concatDim), [{
      properties.split_dim = $_builder.getI64IntegerAttr(splitDim);
      properties.concat_dim = $_builder.getI64IntegerAttr(concatDim);
    }]>];
  let assemblyFormat = [{
    $input (`into` $dest^)? `split` $split_dim `concat` $concat_dim
    `over` custom<Axes>($axes) attr-dict `:`
    custom<CollectiveTypes>(ref($dest), type($input), type($dest), type($result))
  }];
}

def Comm_PermuteOp : Comm_CollectiveOp<"permute", Comm_Exchanged,
    (ins DenseI64ArrayAttr:$pairs)> {
  let summary = "Moves operands from sources to targets";
  let description = [{
    Moves the operand of rank s to rank t for every pair (s, t).

    Semantics: y_t = x_s; zeros on ranks that nobody sends to.

    Constraints:
    - permute_c1: sources and targets are in 0 .. group size - 1;
    - permute_c2: sources are distinct, targets are distinct;
    - permute_c3: the result has the type of the operand;
    - permute_c4: the generic form has an even number of numbers;
    - permute_c5: only the memref form has a destination.

    **Adjoint.** x̄ = permute ȳ with the pairs inverted.

    **Replication.** var -> var.

    **Laws.** permute of permute is rewritten to the composed permute, all pairs
    (i, i) to the identity, no pairs to zeros, permute x + permute y to
    permute (x + y).

    Example:
    ```mlir
    %y = comm.permute %x [(0, 1), (1, 2)] over @mesh["tp"] : tensor<4xf32>
    ```
  }];
  let builders = [Comm_SameTypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$pairs),
    "properties.pairs = $_builder.getDenseI64ArrayAttr(pairs);">];
  let assemblyFormat = [{
    $input (`into` $dest^)? custom<Pairs>($pairs) `over` custom<Axes>($axes)
    attr-dict `:`
    custom<CollectiveTypes>(ref($dest), type($input), type($dest), type($result))
  }];
}

def Comm_ReduceOp : Comm_CollectiveOp<"reduce", Comm_Exchanged,
    (ins Comm_ReductionAttr:$reduction, I64Attr:$root)> {
  let summary = "The sum over ranks on the root, zeros elsewhere";
  let description = [{
    Sums the operands of all ranks of the group on rank `root`; the others get
    zeros.

    Semantics: y_root = sum_j x_j (avg: (1/n) sum_j x_j), y_i = 0 elsewhere.

    Constraints:
    - reduce_c1: 0 <= root < group size;
    - reduce_c2: the result has the type of the operand;
    - reduce_c3: the reduction is `sum`, or `avg` of floats; sum of i1 is
      refused;
    - reduce_c4: only the memref form has a destination.

    **Adjoint.** x̄ = vary(broadcast ȳ from `root`) (avg: of ȳ/n).

    **Replication.** var -> var.

    **Laws.** reduce over S of vary over B is rewritten to n(S) times vary over B−S
    of root_mask over S, S ⊆ B (avg: no factor); reduce x + reduce y to
    reduce (x + y).

    Example:
    ```mlir
    %y = comm.reduce sum %x root 0 over @mesh["tp"] : tensor<4xf32>
    ```
  }];
  let builders = [Comm_SameTypeBuilder<
    (ins "::mlir::comm::ReductionKind":$reduction, "int64_t":$root), [{
      properties.reduction = ReductionKindAttr::get($_builder.getContext(), reduction);
      properties.root = $_builder.getI64IntegerAttr(root);
    }]>];
  let assemblyFormat = [{
    custom<Reduction>($reduction) $input (`into` $dest^)? `root` $root `over` custom<Axes>($axes)
    attr-dict `:`
    custom<CollectiveTypes>(ref($dest), type($input), type($dest), type($result))
  }];
}

def Comm_GatherOp : Comm_CollectiveOp<"gather", Comm_Exchanged,
    (ins I64Attr:$dim, I64Attr:$root)> {
  let summary = "The ranks' operands concatenated on the root";
  let description = [{
    Concatenates the operands along dimension `dim`, in group order, on rank
    `root`; the others get zeros.

    Semantics: y_root = concatenation over j of x_j, y_i = 0 elsewhere.

    Constraints:
    - gather_c1: 0 <= dim < rank;
    - gather_c2: 0 <= root < group size;
    - gather_c3: the result has the operand's type but for dimension `dim`,
      which is multiplied by the group size;
    - gather_c4: the memref form has a destination, the tensor form none.

    **Adjoint.** x̄ = scatter ȳ along `dim` from `root`.

    **Replication.** var -> var.

    **Laws.** gather x + gather y is rewritten to gather (x + y).

    Example:
    ```mlir
    %y = comm.gather %x dim 0 root 1 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
    ```
  }];
  let builders = [Comm_ResultTypeBuilder<(ins "int64_t":$dim, "int64_t":$root), [{
      properties.dim = $_builder.getI64IntegerAttr(dim);
      properties.root = $_builder.getI64IntegerAttr(root);
    }]>];
  let assemblyFormat = [{
    $input (`into` $dest^)? `dim` $dim `root` $root `over` custom<Axes>($axes)
    attr-dict `:`
    custom<CollectiveTypes>(ref($dest), type($input), type($dest), type($result))
  }];
}

def Comm_ScatterOp : Comm_CollectiveOp<"scatter", Comm_Exchanged,
    (ins I64Attr:$dim, I64Attr:$root)> {
  let summary = "The root's chunks, one to each rank";
  let description = [{
    Gives rank i of the group chunk i along dimension `dim` of the operand of
    rank `root`.

    Semantics: y_i = chunk i of x_root.

    Constraints:
    - scatter_c1: 0 <= dim < rank;
    - scatter_c2: 0 <= root < group size;
    - scatter_c3: the group size divides dimension `dim`;
    - scatter_c4: the result has the operand's type but for dimension `dim`,
      which is divided by the group size;
    - scatter_c5: the memref form has a destination, the tensor form none.

    **Adjoint.** x̄ = gather ȳ along `dim` to `root`.

    **Replication.** var -> var.

    **Laws.** scatter of gather is rewritten to the identity; scatter over S of
    vary over B to vary over B−S of all_slice over S (S ⊆ B); scatter x +
    scatter y to scatter (x + y).

    Example:
    ```mlir
    %y = comm.scatter %x dim 0 root 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
    ```
  }];
  let builders = [Comm_ResultTypeBuilder<(ins "int64_t":$dim, "int64_t":$root), [{
      properties.dim = $_builder.getI64IntegerAttr(dim);
      properties.root = $_builder.getI64IntegerAttr(root);
    }]>];
  let assemblyFormat = [{
    $input (`into` $dest^)? `dim` $dim `root` $root `over` custom<Axes>($axes)
    attr-dict `:`
    custom<CollectiveTypes>(ref($dest), type($input), type($dest), type($result))
  }];
}

#endif // COMM_IR_EXCHANGINGOPS
