// RUN: comm-opt %s --comm-lower-local --comm-normalize-layout --comm-outline-kernels --comm-assign-buffers --convert-comm-to-runtime | FileCheck %s

// The line in the callee, and dimensions as they were written.
// CHECK-DAG: "inner.mlir\00"
// CHECK-DAG: llvm.mlir.constant(77 : i32)
// CHECK-DAG: "dim 1 over @mesh[\22tp\22]\00"
// CHECK-NOT: "dim 0

comm.mesh @mesh [tp = 4]

func.func @inlined(%x: tensor<2x3xf32>) -> tensor<2x12xf32> {
  %y = comm.all_gather %x dim 1 over @mesh["tp"] : tensor<2x3xf32> -> tensor<2x12xf32> loc(callsite("f"("inner.mlir":77:3) at "outer.mlir":5:1))
  return %y : tensor<2x12xf32>
}
