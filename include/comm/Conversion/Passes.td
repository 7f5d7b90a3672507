//===- Passes.td - Passes from tensors to runtime calls ----*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CONVERSION_PASSES
#define COMM_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"
include "comm/Conversion/GpuPasses.td"

def ConvertCommToRuntime : Pass<"convert-comm-to-runtime", "ModuleOp"> {
  let summary = "Turns collectives on memrefs into calls of the runtime";
  let description = [{
    Turns every comm op into calls of the functions of RuntimeFunctions.def and
    gives every function with a body the calling convention of docs/Runtime.md:
    a `CommContext *` first, a status first among the results. The mesh is
    erased.

    Before:
    ```mlir
    func.func @f(%x: memref<4xf32>) {
      comm.all_reduce sum %x over @mesh["tp"] : memref<4xf32>
      return
    }
    ```
    After:
    ```mlir
    func.func @f(%context: !llvm.ptr, %x: memref<4xf32>) -> !llvm.struct<(i32)> {
      %group = llvm.call @commCommunicator(%context, %axes, %n)
      %0 = llvm.call @commAllReduce(%context, %group, %data, %data, %count, %type, %sum, %site)
      %status = llvm.call @commStatus(%context)
      %result = llvm.insertvalue %status, %undefined[0]
      return %result
    }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "LLVM::LLVMDialect", "memref::MemRefDialect"];
}

def CheckLowering : Pass<"comm-check-lowering", "ModuleOp"> {
  let summary = "Says what has no lowering, all at once";
  let description = [{
    Gives an error at every op, type and function that the pipeline cannot
    lower, and for every cycle of calls: nothing bounds the stack that it needs.
    Erases declarations that nothing calls.

    Before:
    ```mlir
    func.func private @unused(tensor<4xf32>)
    func.func @f(%x: tensor<4xf8E5M2>) -> tensor<4xf8E5M2>
    ```
    After: an error: argument 0 of '@f' is a 'tensor<4xf8E5M2>', which has no
    lowering
  }];
}

def LowerLocal : Pass<"comm-lower-local", "ModuleOp"> {
  let summary = "Lowers what moves nothing between ranks";
  let description = [{
    `comm.vary` becomes its operand, `comm.all_slice` an extract_slice at the
    rank's number, `comm.root_mask` a select. In a group of one rank every op
    becomes the identity. A dynamic size that the group size does not divide is
    caught at run time.

    Before:
    ```mlir
    %y = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
    ```
    After:
    ```mlir
    %i = comm.axis_index over @mesh["tp"] : index
    %offset = arith.muli %i, %c4 : index
    %y = tensor.extract_slice %x[%offset] [4] [1] : tensor<16xf32> to tensor<4xf32>
    ```
  }];
  let options = [Option<"keepGroupsOfOne", "keep-groups-of-one", "bool",
                        /*default=*/"false",
                        "Call the runtime for collectives of groups of one rank "
                        "too">];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "linalg::LinalgDialect", "memref::MemRefDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def NormalizeLayout : Pass<"comm-normalize-layout", "ModuleOp"> {
  let summary = "Makes collectives on tensors move along dimension 0";
  let description = [{
    The runtime knows contiguous memory only. A dimension along which a
    collective splits or concatenates is expanded by the number of ranks and
    made outermost, by a transpose on the side that needs one, so that chunks
    are contiguous. Dynamic sizes are checked at run time.

    Before:
    ```mlir
    %y = comm.all_gather %x dim 1 over @mesh["tp"] : tensor<2x3xf32> -> tensor<2x12xf32>
    ```
    After:
    ```mlir
    %0 = tensor.expand_shape %x [[0, 1], [2]] : tensor<2x3xf32> into tensor<1x2x3xf32>
    %1 = comm.all_gather %0 dim 0 over @mesh["tp"] : tensor<1x2x3xf32> -> tensor<4x2x3xf32>
    %2 = linalg.transpose ins(%1) outs(%empty : tensor<2x4x3xf32>) permutation = [1, 0, 2]
    %y = tensor.collapse_shape %2 [[0], [1, 2]] : tensor<2x4x3xf32> into tensor<2x12xf32>
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "linalg::LinalgDialect", "scf::SCFDialect",
                           "tensor::TensorDialect"];
}

def PrepareTensors : Pass<"comm-prepare-tensors", "ModuleOp"> {
  let summary = "Brings tensor ops into the form that kernels are made of";
  let description = [{
    Transposes of the operands of contractions become indexing maps; `concat`
    and aggregated ops such as softmax are decomposed; `pad`, `generate`, `splat`
    and `from_elements` say what they write to.

    Before:
    ```mlir
    %t = linalg.transpose ins(%a : tensor<4x2xf32>) outs(%e : tensor<2x4xf32>) permutation = [1, 0]
    %c = linalg.matmul ins(%t, %b : tensor<2x4xf32>, tensor<4x3xf32>) outs(%d : tensor<2x3xf32>)
    ```
    After:
    ```mlir
    %c = linalg.contract indexing_maps = [(m, n, k) -> (k, m), (m, n, k) -> (k, n), (m, n, k) -> (m, n)]
           ins(%a, %b : tensor<4x2xf32>, tensor<4x3xf32>) outs(%d : tensor<2x3xf32>)
    ```
  }];
  let dependentDialects = ["linalg::LinalgDialect", "tensor::TensorDialect"];
}

def OutlineKernels : Pass<"comm-outline-kernels", "ModuleOp"> {
  let summary = "Makes functions of what is computed between collectives";
  let description = [{
    A function becomes a schedule: collectives, contractions, calls and control
    flow stay, and the local ops between them become calls of kernels, functions
    with the attribute `comm.kernel`. An op joins the kernel of its users where
    all of them are in one. Identical kernels are one function. The last
    arguments of a kernel are the tensors that it overwrites with its results:
    one that dies there, where the indexing maps prove that the kernel computes
    each element from no element of it but the one at the same index.
    Constants, empty tensors and fills are part of every kernel that uses them.

    Before:
    ```mlir
    %0 = linalg.map { arith.addf } ins(%x, %x) outs(%empty : tensor<4xf32>)
    %1 = linalg.map { math.tanh } ins(%0) outs(%empty : tensor<4xf32>)
    %2 = comm.all_reduce sum %1 over @mesh["tp"] : tensor<4xf32>
    ```
    After:
    ```mlir
    %1 = call @comm_kernel(%x, %empty) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = comm.all_reduce sum %1 over @mesh["tp"] : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "linalg::LinalgDialect", "tensor::TensorDialect"];
}

def AssignBuffers : Pass<"comm-assign-buffers", "ModuleOp"> {
  let summary = "Brings schedules and kernels from tensors to memrefs";
  let description = [{
    Each kernel is fused and bufferized alone; it returns nothing and writes to
    its last arguments. A schedule is rewritten in one pass in order: a buffer
    is free after the last op that uses it, and is then used for another value;
    where the last reader can write in place, it does. Buffers of static size
    lie in one allocation of the function, a frame; what is returned or goes
    round a loop, and what has dynamic sizes, is allocated alone.

    Before:
    ```mlir
    %e = tensor.empty() : tensor<4xf32>
    %1 = call @comm_kernel(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = comm.all_reduce sum %1 over @mesh["tp"] : tensor<4xf32>
    ```
    After:
    ```mlir
    %frame = memref.alloc() : memref<64xi8>
    %1 = memref.view %frame[%c0][] : memref<64xi8> to memref<4xf32>
    call @comm_kernel(%x, %1) : (memref<4xf32>, memref<4xf32>) -> ()
    comm.all_reduce sum %1 into %1 over @mesh["tp"] : memref<4xf32>
    ```
  }];
  let dependentDialects = ["arith::ArithDialect",
                           "bufferization::BufferizationDialect",
                           "func::FuncDialect", "linalg::LinalgDialect",
                           "memref::MemRefDialect", "scf::SCFDialect"];
}

def ConvertContractions : Pass<"comm-convert-contractions", "ModuleOp"> {
  let summary = "Turns contractions on memrefs into calls of commGemm";
  let description = [{
    A contraction of one float type whose strides BLAS can express becomes
    calls of commGemm, with transposes as flags; dimensions beyond one batch
    and one of each kind become loops around it. A fill with zeros just before
    it becomes beta = 0. What does not fit is left to loops. Runs on functions
    with the calling convention of docs/Runtime.md.

    Before:
    ```mlir
    linalg.fill ins(%zero : f32) outs(%c : memref<2x3xf32>)
    linalg.matmul ins(%a, %b : memref<2x4xf32>, memref<4x3xf32>) outs(%c : memref<2x3xf32>)
    ```
    After:
    ```mlir
    llvm.call @commGemm(%context, %f32, %no, %no, %1, %2, %3, %4, %a, %4, %0, %b, %3, %0, %no, %c, %3, %0, %site)
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "memref::MemRefDialect", "scf::SCFDialect"];
}

def ConvertKernels : Pass<"comm-convert-kernels", "ModuleOp"> {
  let summary = "Passes the addresses of memory to kernels";
  let description = [{
    A kernel takes a pointer for each memref, and the dynamic sizes after it: its
    strides are known. It may assume that what it writes overlaps nothing else
    (`llvm.noalias`), and that memory starts at a multiple of 64 where all
    callers pass memory of the program's own (`llvm.align`). Arguments of 16 MiB
    or more that it only writes to, each element once and in order, are numbered
    in `passthrough = [["comm-streamed", "1"]]`: their stores go past the caches
    (docs/Runtime.md, "Machine code").

    Before:
    ```mlir
    call @comm_kernel(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
    func.func private @comm_kernel(%x: memref<4xf32>, %y: memref<4xf32>)
    ```
    After:
    ```mlir
    llvm.call @comm_kernel(%0, %1) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.func internal @comm_kernel(%0: !llvm.ptr {llvm.noalias}, %1: !llvm.ptr {llvm.align = 64, llvm.noalias})
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "memref::MemRefDialect"];
}

def ExpandCopies : Pass<"comm-expand-copies", "ModuleOp"> {
  let summary = "Turns copies of strided memory into loops";
  let description = [{
    LLVM's memcpy copies contiguous memory only; what upstream calls for the
    rest is a library function of its runner.

    Before:
    ```mlir
    memref.copy %a, %b : memref<2x3xf32, strided<[1, 2]>> to memref<2x3xf32>
    ```
    After:
    ```mlir
    linalg.generic ... ins(%a : memref<2x3xf32, strided<[1, 2]>>) outs(%b : memref<2x3xf32>)
    ```
  }];
  let dependentDialects = ["linalg::LinalgDialect"];
}

def LowerControlFlow : Pass<"comm-lower-control-flow", "ModuleOp"> {
  let summary = "Turns structured control flow into branches";
  let description = [{
    Upstream's patterns, from the last op to the first: so the time grows with
    the number of loops of a function, and not with its square.

    Before:
    ```mlir
    scf.if %c {
      "a"() : () -> ()
    }
    ```
    After:
    ```mlir
      cf.cond_br %c, ^bb1, ^bb2
    ^bb1:
      "a"() : () -> ()
      cf.br ^bb2
    ^bb2:
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "cf::ControlFlowDialect",
                           "memref::MemRefDialect", "scf::SCFDialect"];
}

def ExpandMath : Pass<"comm-expand-math", "ModuleOp"> {
  let summary = "Expands math ops that upstream lowers nowhere";
  let description = [{
    Turns `isinf`, `isnormal` and `clampf` into comparisons and minima, in the
    type that they are asked in: a small f16 is not normal, though it is as f32.
    Conversions from f64 to f16 and bf16, for which LLVM calls functions that
    not every compiler's library has, go through f32 and still round once.
    `ipowi` becomes a loop over the bits of the power; 0 to a negative power
    is 0.

    Before:
    ```mlir
    %y = math.isinf %x : f32
    ```
    After:
    ```mlir
    %size = math.absf %x : f32
    %y = arith.cmpf oeq, %size, %infinity : f32
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect",
                           "scf::SCFDialect"];
}

def VerifyRuntime : Pass<"comm-verify-runtime", "ModuleOp"> {
  let summary = "Checks what only the run knows about sizes and indices";
  let description = [{
    Puts assertions before local ops whose operands may disagree: sizes of
    operands, casts, slices and indices, as upstream's
    `generate-runtime-verification`. Ops inside of the bodies of linalg ops are
    not checked: they run in kernels, which give no status.

    Before:
    ```mlir
    %p = linalg.matmul ins(%a, %b : tensor<?x4xf32>, tensor<?x3xf32>) outs(%c : tensor<?x3xf32>)
    ```
    After:
    ```mlir
    %isFour = arith.cmpi eq, %k, %c4 : index
    cf.assert %isFour, "linalg.matmul: dimension #0 of input/output operand #1 is incompatible with inferred dimension size"
    %p = linalg.matmul ins(%a, %b : tensor<?x4xf32>, tensor<?x3xf32>) outs(%c : tensor<?x3xf32>)
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "cf::ControlFlowDialect", "index::IndexDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def LowerAssertions : Pass<"comm-lower-assertions", "ModuleOp"> {
  let summary = "Makes an assertion that does not hold end the function";
  let description = [{
    An assertion that does not hold makes the run fail, with the assertion's
    text and line, and the function return at once, with the status and null
    for each result; callers do so too. A size check of the runtime that fails
    ends the function as well. Runs on functions with the calling convention of
    docs/Runtime.md, when their control flow is that of `cf`.

    Before:
    ```mlir
    cf.assert %isFour, "linalg.matmul: dimension ..."
    ```
    After:
    ```mlir
    cf.cond_br %isFour, ^rest, ^failed
    ^failed:
      llvm.call @commFail(%context, %site)
      cf.br ^exit
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "cf::ControlFlowDialect",
                           "LLVM::LLVMDialect"];
}

def CheckLowered : Pass<"comm-check-lowered"> {
  let summary = "Says what the lowering to the LLVM dialect has left";
  let description = [{
    Gives an error at every op that is not of the LLVM dialect, or of NVVM. Runs
    on the module of the host, or on a device's gpu.module.

    Before:
    ```mlir
    %y = "scf.forall"...
    ```
    After: an error: 'scf.forall' op has no lowering to the host
  }];
}

def LowerMath : Pass<"comm-lower-math", "ModuleOp"> {
  let summary = "Turns functions of one number into library calls";
  let description = [{
    Turns the ops of the math dialect that LLVM has no exact intrinsic for into
    calls of the C library.

    Before:
    ```mlir
    %y = math.erf %x : f32
    ```
    After:
    ```mlir
    %y = call @erff(%x) : (f32) -> f32
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "vector::VectorDialect"];
}

#endif // COMM_CONVERSION_PASSES
