// The gradient check: what it says of right gradients and of wrong ones.

// RUN: comm-run %s --function=layer --check-grad | FileCheck %s
// CHECK:      gradient check of '@layer', random seed 0
// CHECK-NEXT: grad.x: <J x', y~> = {{.*}}, <x', J^T y~> = {{.*}}, relative error {{.*}}; f32 against f64 {{.*}}: right
// CHECK-NEXT: grad.w: {{.*}}: right
// CHECK-NEXT: grad.unused: zero, no result depends on it; f32 against f64 0.0e+00: right
// CHECK-NEXT: gradient check passed

// RUN: comm-run %s --function=layer --check-grad --random-seed=7 --wrt=w --input=n=3 | FileCheck %s --check-prefix=WRT
// WRT: random seed 7
// WRT-NEXT: grad.w: {{.*}}: right
// WRT-NEXT: gradient check passed

// RUN: comm-run %s --function=half --check-grad | FileCheck %s --check-prefix=HALF
// HALF: grad.x: {{.*}}; f16 against f64 {{.*}}: right
// HALF: grad.z: {{.*}}; bf16 against f64 {{.*}}: right
// RUN: comm-run %s --function=dynamic --input=x=3x4xf32=rand --check-grad

// A tolerance that f32 cannot meet, and a point where the program is not defined.
// RUN: %exits 1 comm-run %s --function=layer --check-grad --rtol=1e-14 2>&1 | FileCheck %s --check-prefix=EXACT
// EXACT: grad.x: {{.*}}: WRONG
// EXACT-NEXT: f32 gradient off by more than 1e-14 of the largest element
// EXACT: gradient check failed
// RUN: %exits 1 comm-run %s --function=root --check-grad --input=x=-1 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: grad.x: {{.*}}: WRONG
// NAN-NEXT: not a number: give inputs that the program is defined at

// The adjoint of a step is 0, and at the step the differences are not.
// RUN: %exits 1 comm-run %s --function=step --check-grad --input=x=1 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: grad.x: {{.*}}: WRONG
// STEP-NEXT: relative error above 1e-06
// STEP: gradient check failed
// Results so large that rounding them hides the differences.
// RUN: comm-run %s --function=large --check-grad | FileCheck %s --check-prefix=LARGE
// LARGE: grad.x: {{.*}}: right, as far as rounding in the results lets see (

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

func.func @step(%x: f32) -> f32 {
  %y = math.floor %x : f32
  return %y : f32
}

func.func @large(%x: f32) -> f32 {
  %c = arith.constant 1.0e9 : f32
  %y = arith.addf %x, %c : f32
  return %y : f32
}
