// The gradient check: what it says of right gradients and of wrong ones.

// RUN: comm-run %s --function=layer --check-grad | FileCheck %s
// CHECK:      gradient check of '@layer' on 3 ranks, random seed 0
// CHECK-NEXT: value        type   state               adjoint  difference  precision  replicas  reference  verdict      worst
// CHECK-NEXT: y            3x4xf32 replicated over tp - - - equal - right
// CHECK-NEXT: grad.x       3x2xf32 replicated over tp {{[0-9.]+e-1[0-9]}} {{[0-9.]+e-[0-9]+}} {{[0-9.]+e-0[0-9]}} equal - right {{.*}}rank
// CHECK-NEXT: grad.w       2x4xf32 varying {{[0-9.]+e-1[0-9]}} {{[0-9.]+e-[0-9]+}} {{[0-9.]+e-0[0-9]}} - - right {{.*}}rank
// CHECK-NEXT: grad.unused  f32     varying 0.0e+00 0.0e+00 0.0e+00 - - right, zero
// CHECK-NEXT: gradient check passed

// RUN: comm-run %s --function=layer --check-grad --random-seed=7 --wrt=w --input=n=3 | FileCheck %s --check-prefix=WRT
// WRT: random seed 7
// WRT-NOT: grad.x
// WRT: grad.w {{.*}} right
// WRT-NEXT: gradient check passed

// RUN: comm-run %s --function=half --check-grad | FileCheck %s --check-prefix=HALF
// HALF: grad.x 4xf16 {{.*}} right
// HALF: grad.z bf16 {{.*}} right
// RUN: comm-run %s --function=dynamic --input=x=3x4xf32=rand --check-grad

// A tolerance that f32 cannot meet, and a point where the program is not defined.
// RUN: %exits 1 comm-run %s --function=layer --check-grad --rtol=1e-14 2>&1 | FileCheck %s --check-prefix=EXACT
// EXACT: grad.x {{.*}} WRONG rank [[#]], [[[#]], [[#]]]: got {{.*}}, expected
// EXACT: gradient check failed: 2 wrong
// RUN: %exits 1 comm-run %s --function=root --check-grad --input=x@0=-1 --input=x@1=4 --input=x@2=9 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: grad.x {{.*}} nan {{.*}} WRONG rank 0: got nan, expected nan
// NAN: grad.x: not a number: give inputs that the program is defined at

// Results so large that rounding them hides the differences.
// RUN: comm-run %s --function=large --check-grad | FileCheck %s --check-prefix=LARGE
// LARGE: grad.x {{.*}} right
// LARGE: grad.x: the results are so large against their changes that rounding hides what is smaller than the difference error

// RUN: %exits 2 comm-run %s --function=layer --check-grad --expect=y=1 2>&1 | FileCheck %s --check-prefix=USAGE
// USAGE: comm-run: error: --check-grad runs the program many times
// RUN: %exits 3 comm-run %s --function=bits --check-grad 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: check-grad.mlir:[[#%u,]]:{{[0-9]+}}: error: {{.*}}cannot be widened to f64

comm.mesh @mesh [tp = 3]
#tp = #comm.axes<@mesh["tp"]>

func.func @layer(%x: tensor<3x2xf32> {comm.replicated = #tp}, %w: tensor<2x4xf32>, %unused: f32, %n: i32)
    -> (tensor<3x4xf32> {comm.replicated = #tp}, tensor<3x4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %h = linalg.matmul ins(%x, %w : tensor<3x2xf32>, tensor<2x4xf32>) outs(%zero : tensor<3x4xf32>) -> tensor<3x4xf32>
  %a = math.tanh %h : tensor<3x4xf32>
  %third = arith.constant dense<0.333> : tensor<3x4xf32>
  %s = arith.mulf %a, %third : tensor<3x4xf32>
  %y = comm.all_reduce sum %s over @mesh["tp"] : tensor<3x4xf32>
  return %y, %a : tensor<3x4xf32>, tensor<3x4xf32>
}

func.func @half(%x: tensor<4xf16>, %z: bf16) -> (tensor<4xf32>, bf16) {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf16>
  %p = arith.mulf %x, %c : tensor<4xf16>
  %wide = arith.extf %p : tensor<4xf16> to tensor<4xf32>
  %y = comm.reduce sum %wide root 1 over @mesh["tp"] : tensor<4xf32>
  %e = math.exp %z : bf16
  return %y, %e : tensor<4xf32>, bf16
}

func.func @dynamic(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = comm.all_reduce avg %x over @mesh["tp"] : tensor<?x?xf32>
  %v = comm.vary %y over @mesh["tp"] : tensor<?x?xf32>
  %z = arith.mulf %x, %v : tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

func.func @root(%x: f32) -> f32 {
  %y = math.sqrt %x : f32
  return %y : f32
}

func.func @bits(%x: f32) -> f32 {
  %i = arith.bitcast %x : f32 to i32
  %y = arith.bitcast %i : i32 to f32
  return %x : f32
}

func.func @large(%x: f32) -> f32 {
  %c = arith.constant 1.0e9 : f32
  %y = arith.addf %x, %c : f32
  return %y : f32
}
