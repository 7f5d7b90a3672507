//===- GpuPasses.td - Passes to kernels of a GPU -----------*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CONVERSION_GPUPASSES
#define COMM_CONVERSION_GPUPASSES

include "mlir/Pass/PassBase.td"

def ScaleAverages : Pass<"comm-scale-averages", "ModuleOp"> {
  let summary = "Turns averages over ranks into sums of scaled values";
  let description = [{
    Divides by the size of the group what goes into the average, in the kernel
    that computes it: a plain sum is the reduction that networks do themselves.
    In f16 a sum could overflow where the average does not.

    Before:
    ```mlir
    %y = comm.all_reduce avg %x over @mesh["dp"] : tensor<4xf32>
    ```
    After:
    ```mlir
    %part = arith.divf %x, %n : tensor<4xf32>
    %y = comm.all_reduce sum %part over @mesh["dp"] : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
}

def UseDeviceMemory : Pass<"comm-use-device-memory", "ModuleOp"> {
  let summary = "Lets the host reach the device's memory by calls";
  let description = [{
    All memrefs are the device's. Outside of the bodies of linalg ops, a load
    becomes a call of commRead, which waits for what computes the element; a
    store a fill of one element; a copy a call of commCopy, or a linalg op where
    its memory is strided; a global constant a call of commConstant. Runs on
    functions with the calling convention of docs/Runtime.md.

    Before:
    ```mlir
    %n = memref.load %counts[%i] : memref<4xi32>
    ```
    After:
    ```mlir
    llvm.call @commRead(%context, %address, %host, %four, %site)
    %n = llvm.load %host : !llvm.ptr -> i32
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "LLVM::LLVMDialect", "memref::MemRefDialect"];
}

def LaunchKernels : Pass<"comm-launch-kernels", "ModuleOp"> {
  let summary = "Turns linalg ops on memrefs into kernels of a GPU";
  let description = [{
    Each op of a kernel becomes one launch on a grid of one dimension; what it
    runs is a function of the module `@comm_kernels`. What is left of the kernel
    moves to its callers. A thread computes one element of the
    result, or a block does where much is reduced: its threads then take turns
    at the elements, and combine what they have in shared memory, in an order
    that is always the same.

    Before:
    ```mlir
    call @comm_kernel(%x, %y) : (memref<1024xf32>, memref<1024xf32>) -> ()
    ```
    After:
    ```mlir
    gpu.launch_func @comm_kernels::@comm_kernel blocks in (%c4, %c1, %c1) threads in (%c256, %c1, %c1)
      args(%x : memref<1024xf32>, %y : memref<1024xf32>)
    ```
  }];
  let options = [Option<"schedule", "schedule", "bool", /*default=*/"false",
                        "Launch the ops of schedules, not those of kernels">];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "gpu::GPUDialect", "linalg::LinalgDialect",
                           "memref::MemRefDialect", "scf::SCFDialect"];
}

def ConvertLaunches : Pass<"comm-convert-launches", "ModuleOp"> {
  let summary = "Passes the addresses of memory to the kernels of a GPU";
  let description = [{
    A kernel takes a pointer to the first element for each memref, then its
    dynamic sizes and its dynamic strides; numbers of type `index` are i64.
    Pointers to different buffers are `llvm.noalias`.

    Before:
    ```mlir
    gpu.launch_func @comm_kernels::@f blocks in (...) threads in (...) args(%x : memref<?xf32>)
    ```
    After:
    ```mlir
    gpu.launch_func @comm_kernels::@f blocks in (...) threads in (...) args(%address : !llvm.ptr, %size : i64)
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "gpu::GPUDialect",
                           "LLVM::LLVMDialect", "memref::MemRefDialect"];
}

def GroupMessages : Pass<"comm-group-messages", "ModuleOp"> {
  let summary = "Finds neighbouring messages, which go at once";
  let description = [{
    Marks the first and the last of two or more sends and receives that follow
    one another in a block, where none reads or writes memory that another one
    writes: one group of NCCL's. Places in one allocation are told apart by
    their bytes, other buffers by upstream's alias analysis; what is not proved
    to be different memory ends the run. So does everything that works on memory
    or ranks. A group is over several lists of axes only if it holds both ends
    of each message. Allocations and ops without effects that stand between move
    before the run, deallocations behind it. Runs on memrefs.

    Before:
    ```mlir
    %m = comm.send %x from 0 to 1 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
    %y = memref.alloc() : memref<4xf32>
    comm.recv %m into %y : !comm.message<tensor<4xf32>> -> memref<4xf32>
    ```
    After:
    ```mlir
    %y = memref.alloc() : memref<4xf32>
    %m = comm.send %x from 0 to 1 over @mesh["pp"] {group_start} : memref<4xf32> -> !comm.message<tensor<4xf32>>
    comm.recv %m into %y {group_end} : !comm.message<tensor<4xf32>> -> memref<4xf32>
    ```
  }];
}

def AttachGpuTarget : Pass<"comm-attach-gpu-target", "ModuleOp"> {
  let summary = "Says what the kernels of a module are compiled for";
  let description = [{
    As upstream's `nvvm-attach-target`, with the version of PTX that the chip
    needs. A chip that LLVM does not know, or a CUDA toolkit that is not there,
    is an error here: later, code would be made that does not load.

    Before:
    ```mlir
    gpu.module @comm_kernels {...}
    ```
    After:
    ```mlir
    gpu.module @comm_kernels [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx80">] {...}
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_80\"", "The GPU">,
    Option<"format", "format", "std::string", /*default=*/"\"isa\"",
           "The kind of code: isa, bin or fatbin">,
    Option<"toolkit", "toolkit", "std::string", /*default=*/"\"\"",
           "The folder of the CUDA toolkit">];
  let dependentDialects = ["gpu::GPUDialect", "NVVM::NVVMDialect"];
}

def EmbedKernels : Pass<"comm-embed-kernels", "ModuleOp"> {
  let summary = "Makes a device's code data, and launches calls of the runtime";
  let description = [{
    The first object of the module's gpu.binary becomes a constant. Launches
    become calls of commLaunch.

    Before:
    ```mlir
    gpu.launch_func @comm_kernels::@f blocks in (%c4, %c1, %c1) threads in (%c256, %c1, %c1) args(%x : !llvm.ptr)
    gpu.binary @comm_kernels [#gpu.object<#nvvm.target, "...">]
    ```
    After:
    ```mlir
    llvm.store %x, %slot
    llvm.call @commLaunch(%context, %kernel, %four, %256, %slots, %site)
    llvm.mlir.global internal constant @comm_text("...")
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect"];
}

#endif // COMM_CONVERSION_GPUPASSES
