// A serial twin: the same whole values, no collective.

// RUN: comm-run %s --function=layer_from_full --check-grad --reference=@layer_serial | FileCheck %s
// CHECK:      gradient check of '@layer_from_full' on 3 ranks, reference '@layer_serial', random seed 0
// CHECK-NEXT: value type state adjoint difference precision replicas reference verdict worst
// CHECK-NEXT: y 2xf32 replicated over tp - - - equal {{[0-9.e+-]+}} right
// CHECK-NEXT: grad.x 3xf32 replicated over tp {{.*}} equal {{[0-9.e+-]+}} right
// CHECK-NEXT: grad.w 3x2xf32 replicated over tp {{.*}} equal {{[0-9.e+-]+}} right
// CHECK-NEXT: gradient check passed

// Without marks, named without the at sign.
// RUN: comm-run %s --function=layer_from_full --check-grad --reference=layer_unmarked --wrt=w

// Each rank has a result and a seed of its own: the twin's one result stands for all.
// RUN: comm-run %s --function=copies --check-grad --reference=@square | FileCheck %s --check-prefix=COPIES
// COPIES: y 2xf32 varying {{.*}} right
// COPIES: grad.x 2xf32 replicated over tp {{.*}} right

// Another function: its values and gradients differ, on every rank.
// RUN: %exits 1 comm-run %s --function=layer_from_full --check-grad --reference=@layer_mean | FileCheck %s --check-prefix=MEAN
// MEAN: y {{.*}} 2.0e+00 WRONG rank {{[0-2]}}, [{{[01]}}]: got {{.*}}, expected
// MEAN-NEXT: grad.x {{.*}} 2.0e+00 WRONG rank {{[0-2]}}, [{{[0-2]}}]: got {{.*}}, expected
// MEAN-NEXT: grad.w {{.*}} 2.0e+00 WRONG rank
// MEAN: gradient check failed: 3 wrong

// RUN: %exits 2 comm-run %s --function=layer_from_full --check-grad --reference=@copies 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: comm-run: error: --reference=@copies: '@copies' has 1 argument, and '@layer_from_full' has 2
// RUN: %exits 2 comm-run %s --function=layer_from_full --check-grad --reference=@transposed 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: comm-run: error: --reference=@transposed: argument 'w' of '@transposed' is tensor<2x3xf32>, expected tensor<3x2xf32> as of '@layer_from_full'
// RUN: %exits 2 comm-run %s --function=layer_from_full --check-grad --reference=@serial 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: comm-run: error: --reference=@serial: no function '@serial': the module has
// RUN: %exits 2 comm-run %s --function=layer --check-grad --reference=@layer_part 2>&1 | FileCheck %s --check-prefix=SHARD
// SHARD: comm-run: error: --reference=@layer_part: argument 'x' of '@layer' varies over 'tp', and a function of one rank has whole values: check a function of replicated arguments that slices them (comm.all_slice) and calls '@layer'
// RUN: %exits 3 comm-run %s --function=layer_from_full --check-grad --reference=@layer_from_full 2>&1 | FileCheck %s --check-prefix=RANKS
// RANKS-DAG: check-grad-reference.mlir:[[#%u,]]:{{[0-9]+}}: error: 'comm.all_slice' in a reference, which is a function of one rank
// RANKS-DAG: error: 'comm.all_reduce' in a reference

comm.mesh @mesh [tp = 3]
#tp = #comm.axes<@mesh["tp"]>

// A row of w and an element of x on each rank.
func.func @layer(%x: tensor<1xf32>, %w: tensor<1x2xf32>) -> (tensor<2xf32> {comm.replicated = #tp}) {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %p = linalg.vecmat ins(%x, %w : tensor<1xf32>, tensor<1x2xf32>) outs(%zero : tensor<2xf32>) -> tensor<2xf32>
  %y = comm.all_reduce sum %p over @mesh["tp"] : tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @layer_part(%x: tensor<1xf32>, %w: tensor<1x2xf32>) -> tensor<2xf32> {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %y = linalg.vecmat ins(%x, %w : tensor<1xf32>, tensor<1x2xf32>) outs(%zero : tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @layer_from_full(%x: tensor<3xf32> {comm.replicated = #tp}, %w: tensor<3x2xf32> {comm.replicated = #tp})
    -> (tensor<2xf32> {comm.replicated = #tp}) {
  %xs = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<3xf32> -> tensor<1xf32>
  %ws = comm.all_slice %w dim 0 over @mesh["tp"] : tensor<3x2xf32> -> tensor<1x2xf32>
  %y = call @layer(%xs, %ws) : (tensor<1xf32>, tensor<1x2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @layer_serial(%x: tensor<3xf32> {comm.replicated = #tp}, %w: tensor<3x2xf32> {comm.replicated = #tp})
    -> (tensor<2xf32> {comm.replicated = #tp}) {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %y = linalg.vecmat ins(%x, %w : tensor<3xf32>, tensor<3x2xf32>) outs(%zero : tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @layer_unmarked(%a: tensor<3xf32>, %b: tensor<3x2xf32>) -> tensor<2xf32> {
  %y = call @layer_serial(%a, %b) : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @layer_mean(%x: tensor<3xf32> {comm.replicated = #tp}, %w: tensor<3x2xf32> {comm.replicated = #tp})
    -> (tensor<2xf32> {comm.replicated = #tp}) {
  %sum = call @layer_serial(%x, %w) : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<2xf32>
  %three = arith.constant dense<3.0> : tensor<2xf32>
  %y = arith.divf %sum, %three : tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @transposed(%x: tensor<3xf32>, %w: tensor<2x3xf32>) -> tensor<2xf32> {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %y = linalg.matvec ins(%w, %x : tensor<2x3xf32>, tensor<3xf32>) outs(%zero : tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @copies(%x: tensor<2xf32> {comm.replicated = #tp}) -> tensor<2xf32> {
  %v = comm.vary %x over @mesh["tp"] : tensor<2xf32>
  %y = arith.mulf %v, %v : tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @square(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = arith.mulf %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
