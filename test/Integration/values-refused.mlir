// Rows of the table of known values that are refused, at the right line.

// RUN: split-file %s %t

// V26: all_reduce of a value that is one already.
// RUN: comm-run %t/v26.mlir --input=x=1 --expect=y=16 2>&1 | FileCheck %t/v26.mlir
// V28: a claim that does not hold.
// RUN: %exits 3 comm-run %t/v28.mlir 2>&1 | FileCheck %t/v28.mlir
// V39: the sum of flags.
// RUN: %exits 3 comm-run %t/v39.mlir 2>&1 | FileCheck %t/v39.mlir
// V40: a float that comes back from an integer.
// RUN: comm-run %t/v40.mlir --input=x@0=3.5 --input=x@1=4.5 --expect=y=7
// RUN: %exits 3 comm-run %t/v40.mlir --grad 2>&1 | FileCheck %t/v40.mlir
// V45: a condition that differs from rank to rank.
// RUN: %exits 3 comm-run %t/v45.mlir 2>&1 | FileCheck %t/v45.mlir
// V50: the slice of a value that was not reduced.
// RUN: %exits 3 comm-run %t/v50.mlir 2>&1 | FileCheck %t/v50.mlir

//--- v26.mlir
comm.mesh @mesh [tp = 4]
func.func @main(%x: tensor<1xf32>) -> (tensor<1xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<1xf32>
  // CHECK: v26.mlir:[[#@LINE+1]]:{{[0-9]+}}: warning: {{.*}}'comm.all_reduce'
  %y = comm.all_reduce sum %s over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

//--- v28.mlir
comm.mesh @mesh [tp = 2]
func.func @main(%w: tensor<1xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}, %d: tensor<1xf32>)
    -> (tensor<1xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  // CHECK: error: {{.*}}result 0{{.*}}
  // CHECK: v28.mlir:[[#@LINE+1]]:{{[0-9]+}}: note:
  %y = arith.mulf %w, %d : tensor<1xf32>
  return %y : tensor<1xf32>
}

//--- v39.mlir
comm.mesh @mesh [tp = 2]
func.func @main(%x: tensor<1xi1>) -> tensor<1xi1> {
  // CHECK: v39.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}'or'
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<1xi1>
  return %y : tensor<1xi1>
}

//--- v40.mlir
comm.mesh @mesh [tp = 2]
func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
  %i = arith.fptosi %x : tensor<1xf32> to tensor<1xi32>
  %s = comm.all_reduce sum %i over @mesh["tp"] : tensor<1xi32>
  // CHECK: v40.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: 'arith.sitofp' {{.*}} its derivative would be lost
  %y = arith.sitofp %s : tensor<1xi32> to tensor<1xf32>
  return %y : tensor<1xf32>
}

//--- v45.mlir
comm.mesh @mesh [tp = 2]
func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 0 : index
  %e = tensor.extract %x[%i] : tensor<1xf32>
  %c = arith.cmpf ogt, %e, %zero : f32
  %y = scf.if %c -> tensor<1xf32> {
    %sq = arith.mulf %x, %x : tensor<1xf32>
    // CHECK: v45.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: 'comm.all_reduce'
    %s = comm.all_reduce sum %sq over @mesh["tp"] : tensor<1xf32>
    scf.yield %s : tensor<1xf32>
  } else {
    scf.yield %x : tensor<1xf32>
  }
  // CHECK: note:
  return %y : tensor<1xf32>
}

//--- v50.mlir
comm.mesh @mesh [tp = 2]
func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  // CHECK: v50.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: 'comm.all_slice'
  %y = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<2xf32>
  // CHECK: note: {{.*}}tensor.extract_slice
  return %y : tensor<2xf32>
}
