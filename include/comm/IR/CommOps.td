//===- CommOps.td - The ops --------------------------------*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_COMMOPS
#define COMM_IR_COMMOPS

include "comm/IR/CollectiveOpInterface.td"
include "comm/IR/CommAttrs.td"
include "comm/Interfaces/AdjointOpInterface.td"
include "comm/Interfaces/ReplicationOpInterface.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Element types and bases
//===----------------------------------------------------------------------===//

def Comm_Element : AnyTypeOf<[F16, BF16, F32, F64, I1, I8, I16, I32, I64],
    "f16, bf16, f32, f64, i1, i8, i16, i32 or i64">;
def Comm_Tensor : RankedTensorOf<[Comm_Element]>;
def Comm_MemRef : MemRefOf<[Comm_Element]>;
def Comm_TensorOrMemRef : AnyTypeOf<[Comm_Tensor, Comm_MemRef],
    "ranked tensor or memref of f16, bf16, f32, f64, i1, i8, i16, i32 or i64">;

class Comm_Op<string mnemonic, list<Trait> traits = []>
    : Op<CommDialect, mnemonic, traits>;

/// How the state moves through an op, as in the table of docs/Semantics.md:
/// "Reduced" is var -> rep, "Spread" is rep -> var, "Exchanged" is var -> var.
class Comm_StateMotion<string wanted, string infer> {
  string wantedState = wanted;
  string inferExpression = infer;
}
def Comm_Reduced : Comm_StateMotion<"Varying", "operands - group">;
def Comm_Spread : Comm_StateMotion<"Replicated", "operands | group">;
def Comm_Exchanged : Comm_StateMotion<"Varying", "operands | group">;

/// An op over a group of ranks with an adjoint: its effects are on the resource
/// `comm.ranks`, its axes are verified against the mesh, its state is moved as
/// `motion` says. An op of this class without an adjoint does not link.
class Comm_GroupOp<string mnemonic, Comm_StateMotion motion,
                   list<Trait> traits = [], list<string> adjointMethods = []>
    : Comm_Op<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<AdjointOpInterface, adjointMethods>,
        DeclareOpInterfaceMethods<CollectiveOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<SymbolUserOpInterface>], traits)> {
  let hasVerifier = 1;
  code groupDefinition = [{
    ::mlir::comm::AxesAttrInterface $cppClass::getGroupAxes() {
      return ::llvm::cast_or_null<::mlir::comm::AxesAttrInterface>(
          ::mlir::Attribute(getGroup()));
    }
    ::mlir::comm::ReplicationState $cppClass::inferState(
        ::mlir::comm::ReplicationState operands,
        ::mlir::comm::ReplicationState group) {
      return }] # motion.inferExpression # [{;
    }
    ::mlir::comm::WantedState $cppClass::getWantedState() {
      return ::mlir::comm::WantedState::}] # motion.wantedState # [{;
    }
    void $cppClass::getEffects(::llvm::SmallVectorImpl<
        ::mlir::MemoryEffects::EffectInstance> &effects) {
      ::mlir::comm::getGroupOpEffects(*this, effects);
    }
    ::llvm::LogicalResult $cppClass::verifySymbolUses(
        ::mlir::SymbolTableCollection &symbols) {
      return ::mlir::comm::verifyGroupSymbol(*this, symbols);
    }
  }];
  code axesDefinition = [{
    ::mlir::comm::AxesAttr $cppClass::getGroup() { return getAxes(); }
    ::mlir::Value $cppClass::getInputValue() { return getInput(); }
  }];
}

/// A collective with a tensor and a memref form.
class Comm_CollectiveOp<string mnemonic, Comm_StateMotion motion,
                        dag parameters = (ins), list<string> adjointMethods = []>
    : Comm_GroupOp<mnemonic, motion,
                   [DeclareOpInterfaceMethods<ReplicationOpInterface>],
                   adjointMethods> {
  let arguments = !con((ins Comm_TensorOrMemRef:$input,
                            Optional<Comm_MemRef>:$dest),
                       parameters, (ins Comm_AxesAttr:$axes));
  let results = (outs Optional<Comm_Tensor>:$result);
  let extraClassDefinition = groupDefinition # axesDefinition # [{
    ::mlir::Value $cppClass::getDestValue() { return getDest(); }
    ::mlir::ShapedType $cppClass::getOutputType() {
      ::mlir::Value output = getResult() ? getResult()
                             : getDest() ? ::mlir::Value(getDest())
                                         : ::mlir::Value(getInput());
      return ::llvm::cast<::mlir::ShapedType>(output.getType());
    }
  }];
}

/// An op that moves nothing between ranks but depends on the rank or changes
/// the state. On tensors only: it is lowered before bufferization, and
/// `comm.vary` is bufferized to its operand.
class Comm_LocalOp<string mnemonic, dag parameters = (ins)>
    : Comm_GroupOp<mnemonic, Comm_Spread,
                   [DeclareOpInterfaceMethods<ReplicationOpInterface,
                                              ["getVaryingAlternative"]>]> {
  let arguments = !con((ins Comm_Tensor:$input), parameters,
                       (ins Comm_AxesAttr:$axes));
  let results = (outs Comm_Tensor:$result);
  let extraClassDefinition = groupDefinition # axesDefinition # [{
    ::mlir::Value $cppClass::getDestValue() { return {}; }
    ::mlir::ShapedType $cppClass::getOutputType() {
      return ::llvm::cast<::mlir::ShapedType>(getResult().getType());
    }
  }];
}

/// Builds the tensor form of an op whose result has the input's type.
class Comm_SameTypeBuilder<dag parameters, string set>
    : OpBuilder<!con((ins "::mlir::Value":$input), parameters,
                     (ins "::mlir::comm::AxesAttr":$axes)), [{
        $_state.addOperands(input);
        $_state.addTypes(input.getType());
        auto &properties = $_state.getOrAddProperties<Properties>();
        properties.axes = axes;
      }] # set>;

/// Builds the tensor form of an op that changes the shape.
class Comm_ResultTypeBuilder<dag parameters, string set>
    : OpBuilder<!con((ins "::mlir::Type":$resultType, "::mlir::Value":$input),
                     parameters, (ins "::mlir::comm::AxesAttr":$axes)), [{
        $_state.addOperands(input);
        $_state.addTypes(resultType);
        auto &properties = $_state.getOrAddProperties<Properties>();
        properties.axes = axes;
      }] # set>;

//===----------------------------------------------------------------------===//
// The mesh
//===----------------------------------------------------------------------===//

def Comm_MeshOp : Comm_Op<"mesh", [
    Symbol, DeclareOpInterfaceMethods<MeshOpInterface>]> {
  let summary = "Names the axes of the mesh of ranks";
  let description = [{
    Names the axes of the mesh that the module's program runs on, and their
    sizes.

    Semantics: the number of ranks is the product of the sizes. The world rank
    is row-major: the last axis varies fastest.

    Constraints:
    - mesh_c1: one size per axis name, at least one axis;
    - mesh_c2: axis names are distinct and not empty;
    - mesh_c3: sizes are at least 1 and their product fits 31 bits;
    - mesh_c4: at most 64 axes;
    - mesh_c5: one mesh per module, at its top level.

    Example:
    ```mlir
    comm.mesh @mesh [dp = 2, tp = 4]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$axis_names,
                       DenseI64ArrayAttr:$axis_sizes);
  let assemblyFormat = [{
    $sym_name custom<MeshAxes>($axis_names, $axis_sizes) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The position of an axis, or nothing where the mesh has no such axis.
    std::optional<unsigned> getAxisPosition(::llvm::StringRef axis);
    /// The number of ranks of a group over `axes`, which the mesh has.
    int64_t getGroupSize(::mlir::comm::AxesAttr axes);
  }];
}

def Comm_AxisIndexOp : Comm_Op<"axis_index", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<ReplicationOpInterface, ["isSynchronizing"]>]> {
  let summary = "The rank's number in a group";
  let description = [{
    Yields the number of the executing rank in its group over the axes.

    Semantics: ranks of a group are numbered row-major in the order in which
    the axes are written, from 0.

    **Adjoint.** None: an index carries no derivative.

    **Replication.** Varies over its axes.

    Example:
    ```mlir
    %i = comm.axis_index over @mesh["dp", "tp"] : index
    ```
  }];
  let arguments = (ins Comm_AxesAttr:$axes);
  let results = (outs Index:$index);
  let assemblyFormat = "`over` custom<Axes>($axes) attr-dict `:` type($index)";
}

def Comm_BarrierOp : Comm_Op<"barrier", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<ReplicationOpInterface>]> {
  let summary = "Waits until every rank of the group is here";
  let description = [{
    Waits until every rank of the group has reached this op.

    **Adjoint.** None.

    **Replication.** Has no values.

    Example:
    ```mlir
    comm.barrier over @mesh["dp"]
    ```
  }];
  let arguments = (ins Comm_AxesAttr:$axes);
  let assemblyFormat = "`over` custom<Axes>($axes) attr-dict";
}

//===----------------------------------------------------------------------===//
// Changes of state
//===----------------------------------------------------------------------===//

def Comm_VaryOp : Comm_LocalOp<"vary"> {
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

//===----------------------------------------------------------------------===//
// Collectives whose result is one value
//===----------------------------------------------------------------------===//

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
    - all_reduce x + all_reduce y = all_reduce (x + y) (sum, avg, equal sets);
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

    **Laws.** broadcast of root_mask is rewritten to the identity; broadcast over S
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

//===----------------------------------------------------------------------===//
// Collectives whose result is each rank's own
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

def Comm_SendOp : Comm_GroupOp<"send", Comm_Exchanged,
    [DeclareOpInterfaceMethods<ReplicationOpInterface>]> {
  let summary = "Rank a sends to rank b";
  let description = [{
    Sends the operand of rank `from` of the group to rank `to`. The line stands
    on every rank; the others do nothing.

    Constraints:
    - send_c1: 0 <= from < group size and 0 <= to < group size;
    - send_c2: from and to differ;
    - send_c3: the message carries a tensor of the operand's shape and element
      type;
    - send_c4: the message has exactly one use, a `comm.recv` in the same block.

    **Adjoint.** x̄ = recv m̄.

    **Replication.** var -> var.

    **Laws.** None.

    Example:
    ```mlir
    %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
    %y = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Comm_TensorOrMemRef:$input, I64Attr:$from, I64Attr:$to,
                       Comm_AxesAttr:$axes);
  let results = (outs Comm_MessageType:$message);
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "int64_t":$from,
                                 "int64_t":$to, "::mlir::comm::AxesAttr":$axes)>];
  let assemblyFormat = [{
    $input `from` $from `to` $to `over` custom<Axes>($axes) attr-dict `:`
    type($input) `->` qualified(type($message))
  }];
  let extraClassDefinition = groupDefinition # axesDefinition # [{
    ::mlir::Value $cppClass::getDestValue() { return {}; }
    ::mlir::ShapedType $cppClass::getOutputType() {
      return getMessage().getType().getPayload();
    }
  }];
}

def Comm_RecvOp : Comm_GroupOp<"recv", Comm_Exchanged,
    [DeclareOpInterfaceMethods<ReplicationOpInterface>]> {
  let summary = "Rank b takes what rank a sent";
  let description = [{
    Takes the message on rank `to` of its send; every other rank gets zeros. The
    channel is read off the send.

    Semantics: y_to = x_from, y_i = 0 elsewhere.

    Constraints:
    - recv_c1: the operand is the result of a `comm.send` in the same block;
    - recv_c2: the result has the type that the message carries;
    - recv_c3: receives of one channel stand in the order of their sends
      (checked with the deadlock check of `comm-materialize-replication`);
    - recv_c4: either a result or, in the memref form, a destination.

    **Adjoint.** m̄ = send ȳ from `to` to `from`.

    **Replication.** var -> var.

    **Laws.** None.

    Example:
    ```mlir
    %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
    %y = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Comm_MessageType:$message, Optional<Comm_MemRef>:$dest);
  let results = (outs Optional<Comm_Tensor>:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$message)>];
  let assemblyFormat = [{
    $message (`into` $dest^)? attr-dict `:` qualified(type($message)) `->`
    custom<ResultOrDestType>(ref($dest), type($dest), type($result))
  }];
  let extraClassDeclaration = [{
    /// The send of the message; null in IR that does not verify.
    ::mlir::comm::SendOp getSend();
  }];
  let extraClassDefinition = groupDefinition # [{
    ::mlir::comm::AxesAttr $cppClass::getGroup() {
      ::mlir::comm::SendOp send = getSend();
      return send ? send.getAxes() : ::mlir::comm::AxesAttr();
    }
    ::mlir::Value $cppClass::getInputValue() { return getMessage(); }
    ::mlir::Value $cppClass::getDestValue() { return getDest(); }
    ::mlir::ShapedType $cppClass::getOutputType() {
      return ::llvm::cast<::mlir::ShapedType>(
          (getResult() ? getResult() : ::mlir::Value(getDest())).getType());
    }
  }];
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

class Comm_DerivativeOp<string mnemonic> : Comm_Op<mnemonic, [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<CallBoundaryOpInterface>]>;

def Comm_VjpOp : Comm_DerivativeOp<"vjp"> {
  let summary = "A function and the vector-Jacobian product of it";
  let description = [{
    Calls a function and pulls cotangents of its float results back to its
    arguments. `comm-differentiate` replaces it by a call of the generated
    function.

    Semantics: yields the results of the function, then the cotangents of the
    arguments numbered in `wrt` (default: of all float arguments), in order.

    Constraints:
    - vjp_c1: the symbol is a function with a body;
    - vjp_c2: the operands are its arguments, then one cotangent per float
      result, of the result's type;
    - vjp_c3: `wrt` names float arguments, each once, in ascending order;
    - vjp_c4: the results are the function's results, then one cotangent per
      argument in `wrt`, of the argument's type.

    **Adjoint.** None of its own: it is replaced before an enclosing function
    is differentiated.

    **Replication.** As a call: the marks of the function hold, a cotangent has
    the mark of its primal.

    Example:
    ```mlir
    %y, %dx = comm.vjp @f(%x, %w) cotangents(%dy) wrt [0]
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       I64Attr:$num_arguments,
                       OptionalAttr<DenseI64ArrayAttr>:$wrt);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = [{
    $callee `` custom<VjpOperands>($operands, $num_arguments) (`wrt` $wrt^)?
    attr-dict `:` functional-type($operands, $outputs)
  }];
}

def Comm_ValueAndGradOp : Comm_DerivativeOp<"value_and_grad"> {
  let summary = "A loss and its gradient";
  let description = [{
    Calls a function whose first result is a loss and yields its results and the
    gradient of the loss. `comm-differentiate` replaces it by a call of the
    generated function.

    Semantics: the loss is seeded with 1 on each rank (once where it is marked
    replicated); further results are auxiliary and get no cotangent. Yields the
    results of the function, then the gradients of the arguments numbered in
    `wrt` (default: of all float arguments), in order.

    Constraints:
    - value_and_grad_c1: the symbol is a function with a body;
    - value_and_grad_c2: result 0 is a float scalar or a rank-0 float tensor;
    - value_and_grad_c3: the operands are the function's arguments;
    - value_and_grad_c4: `wrt` names float arguments, each once, in ascending
      order;
    - value_and_grad_c5: the results are the function's results, then one
      gradient per argument in `wrt`, of the argument's type.

    **Adjoint.** None of its own: it is replaced before an enclosing function
    is differentiated.

    **Replication.** As a call: the marks of the function hold, a gradient has
    the mark of its argument.

    Example:
    ```mlir
    %loss, %aux, %dw = comm.value_and_grad @step(%x, %w) wrt [1]
        : (tensor<4xf32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       OptionalAttr<DenseI64ArrayAttr>:$wrt);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = [{
    $callee `` `(` $operands `)` (`wrt` $wrt^)? attr-dict `:`
    functional-type($operands, $outputs)
  }];
}

#endif // COMM_IR_COMMOPS
