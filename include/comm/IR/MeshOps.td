//===- MeshOps.td - The mesh, and ops that only ask for it --*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_MESHOPS
#define COMM_IR_MESHOPS

include "comm/IR/CommBase.td"

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

#endif // COMM_IR_MESHOPS
