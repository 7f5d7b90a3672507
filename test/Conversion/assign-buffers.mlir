// RUN: comm-opt %s --comm-outline-kernels --comm-assign-buffers -split-input-file | FileCheck %s

comm.mesh @mesh [tp = 2]

// One allocation, which is returned: the sum is taken in place, and so is what
// only the second kernel reads. A kernel is one loop, and writes where the caller
// says.
// CHECK-LABEL: func.func @straight(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>) -> memref<4xf32>
// CHECK: %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK-NEXT: call @comm_kernel(%[[X]], %[[A]]) {comm.kernel}
// CHECK-NEXT: comm.all_reduce sum %[[A]] into %[[A]]
// CHECK-NEXT: call @comm_kernel_0(%[[A]]) {comm.kernel}
// CHECK-NEXT: return %[[A]]
func.func @straight(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.map { math.tanh } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
  %1 = linalg.map { arith.mulf } ins(%0, %0 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  %2 = comm.all_reduce sum %1 over @mesh["tp"] : tensor<4xf32>
  %3 = linalg.map { math.tanh } ins(%2 : tensor<4xf32>) outs(%e : tensor<4xf32>)
  %4 = linalg.map { arith.mulf } ins(%3, %3 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
  return %4 : tensor<4xf32>
}

// CHECK: func.func private @comm_kernel(%[[IN:.*]]: memref<4xf32>, %[[OUT:.*]]: memref<4xf32>) attributes {comm.kernel}
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic {{.*}} ins(%[[IN]] : memref<4xf32>) outs(%[[OUT]] : memref<4xf32>)
// CHECK: math.tanh
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
// CHECK: func.func private @comm_kernel_0(%[[BOTH:.*]]: memref<4xf32>) attributes {comm.kernel}
// CHECK-NOT: memref.alloc
// CHECK: linalg.generic {{.*}} ins(%[[BOTH]] : memref<4xf32>) outs(%[[BOTH]] : memref<4xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return

// -----

comm.mesh @mesh [tp = 2]

// Every step overwrites what dies in it: the frame has the 256 bytes of one
// value. What kernels cannot overwrite takes a second place.
// CHECK-LABEL: func.func @frame(
// CHECK: memref.alloc() {{.*}} : memref<256xi8>
func.func @frame(%x: tensor<64xf32>) -> tensor<128xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.map { math.tanh } ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>)
  %s = comm.all_reduce sum %a over @mesh["tp"] : tensor<64xf32>
  %b = linalg.map { math.exp } ins(%s : tensor<64xf32>) outs(%e : tensor<64xf32>)
  %t = comm.all_reduce max %b over @mesh["tp"] : tensor<64xf32>
  %c = linalg.map { arith.mulf } ins(%t, %x : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>)
  %g = comm.all_gather %c dim 0 over @mesh["tp"] : tensor<64xf32> -> tensor<128xf32>
  return %g : tensor<128xf32>
}
// CHECK-LABEL: func.func @frame_of_two(
// CHECK: memref.alloc() {{.*}} : memref<512xi8>
func.func @frame_of_two(%x: tensor<8x8xf32>) -> tensor<16x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %a = linalg.map { math.tanh } ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>)
  %s = comm.all_reduce sum %a over @mesh["tp"] : tensor<8x8xf32>
  %b = linalg.transpose ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]
  %g = comm.all_gather %b dim 0 over @mesh["tp"] : tensor<8x8xf32> -> tensor<16x8xf32>
  return %g : tensor<16x8xf32>
}

// -----

comm.mesh @mesh [tp = 2]

// An argument is not written to, nor what is read later: the sum has a place of
// its own. Two places do for three values.
// CHECK-LABEL: func.func @reuse(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>)
// CHECK: memref.alloc() {{.*}} : memref<128xi8>
// CHECK-DAG: %[[A:.*]] = memref.view {{.*}}[%c0]
// CHECK-DAG: %[[B:.*]] = memref.view {{.*}}[%c64]
// CHECK: comm.all_reduce sum %[[X]] into %[[A]]
// CHECK-NEXT: comm.all_reduce max %[[A]] into %[[B]]
// CHECK-NEXT: comm.all_reduce min %[[A]] into %[[A]]
// CHECK-NEXT: %[[Y:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK-NEXT: comm.all_gather %[[B]] into %[[Y]]
// CHECK-NEXT: %[[Z:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK-NEXT: comm.all_gather %[[A]] into %[[Z]]
func.func @reuse(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_reduce max %0 over @mesh["tp"] : tensor<4xf32>
  %2 = comm.all_reduce min %0 over @mesh["tp"] : tensor<4xf32>
  %y = comm.all_gather %1 dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<8xf32>
  %z = comm.all_gather %2 dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<8xf32>
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}

// -----

// A loop owns what goes round it. The argument is copied, and the old value
// overwritten where it was read last.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>
// CHECK: %[[INIT:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[X]], %[[INIT]]
// CHECK-NEXT: %[[Y:.*]] = scf.for {{.*}} iter_args(%[[V:.*]] = %[[INIT]]) -> (memref<4xf32>) {
// CHECK-NEXT: call @comm_kernel(%[[V]]) {comm.kernel} : (memref<4xf32>) -> ()
// CHECK-NEXT: scf.yield %[[V]]
// CHECK: return %[[Y]]
func.func @loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %w = linalg.map { math.exp } ins(%v : tensor<4xf32>) outs(%e : tensor<4xf32>)
    scf.yield %w : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// A value that is returned twice is two; so is an argument.
// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>)
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: call @comm_kernel(%[[X]], %[[A]])
// CHECK: %[[B:.*]] = memref.alloc()
// CHECK: memref.copy %[[A]], %[[B]]
// CHECK: %[[C:.*]] = memref.alloc()
// CHECK: memref.copy %[[X]], %[[C]]
// CHECK: return %[[A]], %[[B]], %[[C]]
func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.map { math.exp } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
  return %y, %y, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Zeros are written by the contraction itself; another one goes on from its sum
// in place.
// CHECK-LABEL: func.func @gemm(
// CHECK: %[[P:.*]] = memref.alloc() {{.*}} : memref<2x2xf32>
// CHECK: linalg.fill {{.*}} outs(%[[P]]
// CHECK-NEXT: linalg.matmul {{.*}} outs(%[[P]]
// CHECK-NEXT: linalg.matmul {{.*}} outs(%[[P]]
// CHECK-NEXT: return %[[P]]
func.func @gemm(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x2xf32>
  %p = linalg.matmul ins(%x, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
  %q = linalg.matmul ins(%x, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%p : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %q : tensor<2x2xf32>
}

// -----

// What a kernel needs besides is the caller's.
// CHECK-LABEL: func.func @scratch(
// CHECK: call @comm_kernel(%{{.*}}, %{{.*}}, %{{.*}}) {comm.kernel} : (memref<4x4xf32>, memref<4x4xf32>, memref<4xf32>) -> ()
// CHECK: func.func private @comm_kernel(
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @scratch(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x4xf32>) outs(%zero : tensor<4xf32>) dimensions = [1]
  %e = tensor.empty() : tensor<4x4xf32>
  %b = linalg.broadcast ins(%s : tensor<4xf32>) outs(%e : tensor<4x4xf32>) dimensions = [1]
  %y = linalg.map { arith.divf } ins(%x, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
  return %y : tensor<4x4xf32>
}
