// The halves run apart: what the forward hands out goes to the backward by files.

// RUN: rm -rf %t && mkdir %t
// RUN: comm-opt %s -comm-differentiate=mode=split -o %t/halves.mlir
// RUN: FileCheck %s --input-file=%t/halves.mlir
// RUN: comm-run %t/halves.mlir --function=f_fwd --input=0@0=1 --input=0@1=2 --input=0@2=3 --input=1=2 \
// RUN:   --expect=0@0=2 --expect=0@1=4 --expect=0@2=6 --output=1=@%t/x.{rank}.npy --output=2=@%t/w.{rank}.npy
// RUN: comm-run %t/halves.mlir --function=f_bwd --input=0=@%t/x.{rank}.npy --input=1=@%t/w.{rank}.npy \
// RUN:   --input=2@0=1 --input=2@1=10 --input=2@2=100 --expect=0@0=2 --expect=0@1=20 --expect=0@2=200 --expect=1=321

comm.mesh @mesh [tp = 3]

// CHECK:     func.func @f_fwd(
// CHECK:     func.func @f_bwd(
// CHECK-NOT: @f_vjp
// CHECK:     func.func private @helper_fwd(
// CHECK:     func.func private @helper_bwd(
func.func @f(%x: tensor<1xf32>, %w: tensor<1xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<1xf32> {
  %y = call @helper(%x, %w) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  return %y : tensor<1xf32>
}

func.func private @helper(%x: tensor<1xf32>, %w: tensor<1xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<1xf32> {
  %y = arith.mulf %x, %w : tensor<1xf32>
  return %y : tensor<1xf32>
}
