// RUN: comm-opt %s --comm-to-host | FileCheck %s --implicit-check-not=unrealized_conversion_cast
// RUN: comm-opt %s --comm-to-host | mlir-translate --mlir-to-llvmir | llc -filetype=null

comm.mesh @mesh [tp = 4]

// One form for all: a pointer to the results, the context, the arguments.
// CHECK: llvm.func @_mlir_ciface_no_results(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
func.func @no_results(%x: tensor<4xf32>) {
  comm.barrier over @mesh["tp"]
  return
}

// CHECK: llvm.func @_mlir_ciface_one_result(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: bf16, %{{.*}}: i1)
func.func @one_result(%x: tensor<4xf32>, %y: bf16, %c: i1) -> tensor<4xf32> {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-NOT: llvm.func @_mlir_ciface_private
func.func private @private(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
