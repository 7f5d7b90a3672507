//===- ReplicatingOps.td - Collectives whose result is one value --*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_REPLICATINGOPS
#define COMM_IR_REPLICATINGOPS

include "comm/IR/CommBase.td"

def Comm_AllReduceOp : Comm_CollectiveOp<"all_reduce", Comm_Reduced,
    (ins Comm_ReductionAttr:$reduction), ["getResiduals", "verifyAdjoint"]> {
  let summary = "Reduces over the ranks of the group";
  let description = [{
    Reduces the operands of all ranks of the group elementwise; every rank has
    the result.

    Semantics: sum: y = sum_j x_j; avg: y = (1/n) sum_j x_j; prod, max, min
    elementwise (NaN wins in max and min; integers compare as signed); and, or,
    xor bitwise. Integers wrap around.

    Constraints:
    - all_reduce_c1: the result has the type of the operand;
    - all_reduce_c2: `avg` needs a float element type;
    - all_reduce_c3: `and`, `or`, `xor` need an integer element type;
    - all_reduce_c4: an i1 takes `and`, `or`, `xor` only;
    - all_reduce_c5: only the memref form has a destination.

    **Adjoint.** sum: x̄ = vary ȳ. avg: x̄ = vary (ȳ/n). max, min:
    x̄ = vary(ȳ)·w with w = 1[x = vary y] / vary(all_reduce sum 1[x = vary y]):
    an even split between ties. prod: x̄ = vary(ȳ) · the product over j≠i of the
    chunks of vary(all_gather x). and, or, xor: none.

    **Replication.** var -> rep.

    **Laws.** Rewritten to the right side, with n(S) the number of ranks over S:
    - all_reduce over A of vary over B = n(A∩B) times vary over B−A of
      all_reduce over A−B (avg, max, min, and, or: no factor; prod and xor:
      only where A and B are disjoint);
    - all_reduce over A of all_reduce over B = n(A∩B) times all_reduce over A ∪ B
      (sum; avg: no factor), where no send, recv or barrier stands between them
      or A ⊆ B;
    - all_reduce over A of root_mask over S = all_reduce over A−S, S ⊆ A (sum;
      avg: divided by n(S));
    - all_reduce x + all_reduce y = all_reduce (x + y) (sum, avg, equal sets),
      also through transposes and reshapes T: T(all_reduce x) + all_reduce y =
      all_reduce (T x + y), where T has static sizes or is a transpose;
    - all_reduce (c·x) = c·all_reduce x for replicated c (sum, avg), where x is
      a vary or a root_mask that the all_reduce then meets;
    - linalg.reduce with addf, or a static tensor.extract_slice, of all_reduce x
      = all_reduce of the reduced or sliced x (sum, avg; no other use).
    A float factor that is not a number of the element type keeps a law from
    being applied; an integer factor wraps around, as the sum does.

    Example:
    ```mlir
    %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
    comm.all_reduce sum %in into %out over @mesh["tp"] : memref<4xf32>
    ```
  }];
  let builders = [Comm_SameTypeBuilder<(ins "::mlir::comm::ReductionKind":$reduction),
    "properties.reduction = ReductionKindAttr::get($_builder.getContext(), reduction);">];
  let assemblyFormat = [{
    custom<Reduction>($reduction) $input (`into` $dest^)? `over` custom<Axes>($axes) attr-dict `:`
    custom<CollectiveTypes>(ref($dest), type($input), type($dest), type($result))
  }];
}

def Comm_AllGatherOp : Comm_CollectiveOp<"all_gather", Comm_Reduced,
    (ins I64Attr:$dim)> {
  let summary = "Concatenates the ranks' operands";
  let description = [{
    Concatenates the operands of the ranks of the group along dimension `dim`,
    in group order; every rank has the result.

    Semantics: y = concatenation over j of x_j.

    ```
    rank 0: [1, 2]                    rank 0: [1, 2, 3, 4]
    rank 1: [3, 4]   all_gather -->   rank 1: [1, 2, 3, 4]
    ```

    Constraints:
    - all_gather_c1: 0 <= dim < rank;
    - all_gather_c2: the result has the operand's type but for dimension `dim`,
      which is multiplied by the group size;
    - all_gather_c3: the memref form has a destination, the tensor form none.

    **Adjoint.** x̄ = all_slice ȳ along `dim` (local).

    **Replication.** var -> rep.

    **Laws.** all_gather of all_slice is rewritten to the identity, all_gather of
    reduce_scatter to all_reduce, all_gather x + all_gather y to
    all_gather (x + y).

    Example:
    ```mlir
    %y = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
    ```
  }];
  let builders = [Comm_ResultTypeBuilder<(ins "int64_t":$dim),
    "properties.dim = $_builder.getI64IntegerAttr(dim);">];
  let assemblyFormat = [{
    $input (`into` $dest^)? `dim` $dim `over` custom<Axes>($axes) attr-dict `:`
    custom<CollectiveTypes>(ref($dest), type($input), type($dest), type($result))
  }];
}

def Comm_BroadcastOp : Comm_CollectiveOp<"broadcast", Comm_Reduced,
    (ins I64Attr:$root)> {
  let summary = "Every rank gets the root's operand";
  let description = [{
    Gives every rank of the group the operand of rank `root`.

    Semantics: y = x_root.

    Constraints:
    - broadcast_c1: 0 <= root < group size;
    - broadcast_c2: the result has the type of the operand;
    - broadcast_c3: only the memref form has a destination.

    **Adjoint.** x̄ = root_mask ȳ (local).

    **Replication.** var -> rep.

    **Laws.** broadcast of root_mask is rewritten to the identity, or to zeros
    where their roots differ; broadcast over S
    of vary over B to vary over B−S (S ⊆ B); broadcast of reduce to all_reduce;
    broadcast x + broadcast y to broadcast (x + y).

    Example:
    ```mlir
    %y = comm.broadcast %x root 1 over @mesh["tp"] : tensor<4xf32>
    ```
  }];
  let builders = [Comm_SameTypeBuilder<(ins "int64_t":$root),
    "properties.root = $_builder.getI64IntegerAttr(root);">];
  let assemblyFormat = [{
    $input (`into` $dest^)? `root` $root `over` custom<Axes>($axes) attr-dict `:`
    custom<CollectiveTypes>(ref($dest), type($input), type($dest), type($result))
  }];
}

#endif // COMM_IR_REPLICATINGOPS
