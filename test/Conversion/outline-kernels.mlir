// RUN: comm-opt %s --comm-outline-kernels -split-input-file | FileCheck %s
// Merging the constants and empty tensors before changes nothing.
// RUN: comm-opt %s --cse --comm-outline-kernels -split-input-file | FileCheck %s

comm.mesh @mesh [tp = 2]

// Two ops are one kernel; the collective and the second kernel follow. The last
// argument is what is written to.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[A:.*]] = call @comm_kernel(%[[X]], %[[E]])
// CHECK-NEXT: %[[S:.*]] = comm.all_reduce sum %[[A]]
// CHECK: %[[B:.*]] = call @comm_kernel(%[[S]], %{{.*}})
// CHECK-NEXT: return %[[B]], %[[S]]
func.func @chain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.map { math.tanh } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
  %e1 = tensor.empty() : tensor<4xf32>
  %1 = linalg.map { arith.mulf } ins(%0, %0 : tensor<4xf32>, tensor<4xf32>) outs(%e1 : tensor<4xf32>)
  %2 = comm.all_reduce sum %1 over @mesh["tp"] : tensor<4xf32>
  // Identical kernels are one, whatever their tensors are called.
  %e2 = tensor.empty() : tensor<4xf32>
  %3 = linalg.map { math.tanh } ins(%2 : tensor<4xf32>) outs(%e2 : tensor<4xf32>)
  %e3 = tensor.empty() : tensor<4xf32>
  %4 = linalg.map { arith.mulf } ins(%3, %3 : tensor<4xf32>, tensor<4xf32>) outs(%e3 : tensor<4xf32>)
  return %4, %2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK: func.func private @comm_kernel(%[[IN:.*]]: tensor<4xf32>, %[[OUT:.*]]: tensor<4xf32>) -> tensor<4xf32> attributes {comm.kernel}
// CHECK: linalg.map { math.tanh } ins(%[[IN]]
// CHECK: linalg.map { arith.mulf } {{.*}} outs(%[[OUT]]

// -----

// What is read by two steps is a kernel of its own; a contraction is a step, and
// its zeros are no kernel.
// CHECK-LABEL: func.func @contraction(
// CHECK: %[[A:.*]] = call @comm_kernel
// CHECK: linalg.matmul ins(%[[A]], %[[A]] : {{.*}}) outs(%{{.*}} : tensor<4x4xf32>)
// CHECK: call @comm_kernel_0
// CHECK: return
func.func @contraction(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %a = linalg.map { math.tanh } ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
  %p = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
  %e1 = tensor.empty() : tensor<4x4xf32>
  %b = linalg.map { arith.addf } ins(%p, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e1 : tensor<4x4xf32>)
  return %b : tensor<4x4xf32>
}

// -----

// Integers have no gemm: the contraction is a kernel. What it adds to is a
// destination that has elements.
// CHECK-LABEL: func.func @integers(
// CHECK-SAME: %[[X:.*]]: tensor<2x2xi32>, %[[C:.*]]: tensor<2x2xi32>)
// CHECK: call @comm_kernel(%[[X]], %[[C]])
func.func @integers(%x: tensor<2x2xi32>, %c: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %p = linalg.matmul ins(%x, %x : tensor<2x2xi32>, tensor<2x2xi32>) outs(%c : tensor<2x2xi32>) -> tensor<2x2xi32>
  return %p : tensor<2x2xi32>
}

// -----

// A slice is taken inside of the kernel, at an offset that is an argument; what
// only looks at memory from outside is not part of it.
// CHECK-LABEL: func.func @slice(
// CHECK-SAME: %[[X:.*]]: tensor<2x8xf32>, %[[I:.*]]: index)
// CHECK: %[[V:.*]] = tensor.collapse_shape %[[X]]
// CHECK: call @comm_kernel(%[[V]], %[[I]], %{{.*}})
// CHECK: func.func private @comm_kernel(
// CHECK: tensor.extract_slice
// CHECK: linalg.map { math.exp }
func.func @slice(%x: tensor<2x8xf32>, %i: index) -> tensor<4xf32> {
  %v = tensor.collapse_shape %x [[0, 1]] : tensor<2x8xf32> into tensor<16xf32>
  %s = tensor.extract_slice %v[%i] [4] [2] : tensor<16xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.map { math.exp } ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>)
  return %y : tensor<4xf32>
}

// -----

// Sizes of the destination are computed in the schedule. A constant with
// different elements is memory of the schedule.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[E:.*]] = tensor.empty(%[[N]])
// CHECK: call @comm_kernel(%[[X]], %[[E]])
// CHECK: %[[C:.*]] = arith.constant dense<[1.0
// CHECK: call @comm_kernel_0(%{{.*}}, %[[C]], %{{.*}})
func.func @dynamic(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.map { math.exp } ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>)
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %h = tensor.extract_slice %y[0] [2] [1] : tensor<?xf32> to tensor<2xf32>
  %e1 = tensor.empty() : tensor<2xf32>
  %z = linalg.map { arith.addf } ins(%h, %c : tensor<2xf32>, tensor<2xf32>) outs(%e1 : tensor<2xf32>)
  return %y, %z : tensor<?xf32>, tensor<2xf32>
}

// -----

// In the body of a loop as anywhere. What a step wants filled is filled right
// before it, for each anew.
// CHECK-LABEL: func.func @loop(
// CHECK: call @comm_kernel(
// CHECK: scf.for
// CHECK: call @comm_kernel_0(
// CHECK-NEXT: scf.yield
func.func @loop(%n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %ones) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %w = linalg.map { arith.addf } ins(%v, %ones : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>)
    scf.yield %w : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

comm.mesh @mesh [tp = 2]

// A kernel overwrites what dies in it and is read, by all of its ops, only for
// the element at the same index. A second result takes another one.
// CHECK-LABEL: func.func @overwrites(
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32>)
// CHECK: %[[S:.*]] = comm.all_reduce sum %[[X]]
// CHECK: %[[Y:.*]] = call @[[ONE:.*]](%[[X]], %[[S]]) :
// CHECK: %[[A:.*]] = comm.all_reduce sum %[[Y]]
// CHECK: %[[B:.*]] = comm.all_reduce max %[[X]]
// CHECK: call @[[TWO:.*]](%[[A]], %[[B]]) :
// CHECK: func.func private @[[ONE]](%[[XIN:.*]]: tensor<4x4xf32>, %[[BOTH:.*]]: tensor<4x4xf32>)
// CHECK: linalg.map { math.tanh } ins(%[[BOTH]] :
// CHECK: linalg.map { arith.addf } ins(%{{.*}}, %[[XIN]] : {{.*}}) outs(%[[BOTH]] :
func.func @overwrites(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.map { math.tanh } ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
  %y = linalg.map { arith.addf } ins(%t, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
  %a = comm.all_reduce sum %y over @mesh["tp"] : tensor<4x4xf32>
  %b = comm.all_reduce max %x over @mesh["tp"] : tensor<4x4xf32>
  %r:2 = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                     affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e, %e : tensor<4x4xf32>, tensor<4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %u: f32, %v: f32):
    %sum = arith.addf %p, %q : f32
    %product = arith.mulf %p, %q : f32
    linalg.yield %sum, %product : f32, f32
  } -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

comm.mesh @mesh [tp = 2]

// Not what is read at another index, by an op in between either,
// CHECK-LABEL: func.func @transposed(
// CHECK: %[[S:.*]] = comm.all_reduce
// CHECK: call @comm_kernel(%[[S]], %{{.*}}) :
func.func @transposed(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %y = linalg.map { math.tanh } ins(%t : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
  return %y : tensor<4x4xf32>
}
// by one of several reads,
// CHECK-LABEL: func.func @symmetric(
// CHECK: %[[S:.*]] = comm.all_reduce
// CHECK: call @comm_kernel_0(%[[S]], %{{.*}}) :
func.func @symmetric(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %y = linalg.map { arith.addf } ins(%s, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
  return %y : tensor<4x4xf32>
}
// in a reduction,
// CHECK-LABEL: func.func @softmax(
// CHECK: %[[S:.*]] = comm.all_reduce
// CHECK: call @comm_kernel_1(%[[S]], %{{.*}}) :
func.func @softmax(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<4x4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %n = linalg.reduce { arith.addf } ins(%s : tensor<4x4xf32>) outs(%zero : tensor<4xf32>) dimensions = [1]
  %b = linalg.broadcast ins(%n : tensor<4xf32>) outs(%e : tensor<4x4xf32>) dimensions = [1]
  %y = linalg.map { arith.divf } ins(%s, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
  return %y : tensor<4x4xf32>
}
// or at an index that is computed;
// CHECK-LABEL: func.func @computed(
// CHECK: %[[S:.*]] = comm.all_reduce
// CHECK: call @comm_kernel_2(%[[S]], %{{.*}}) :
func.func @computed(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %y = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: f32, %u: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %q = tensor.extract %s[%j, %i] : tensor<4x4xf32>
    %sum = arith.addf %p, %q : f32
    linalg.yield %sum : f32
  } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
// nor what lives on, itself or as a view, or belongs to others.
// CHECK-LABEL: func.func @lives_on(
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32>)
// CHECK: call @comm_kernel_3(%[[X]], %{{.*}}) :
// CHECK: %[[S:.*]] = comm.all_reduce
// CHECK: call @comm_kernel_3(%[[S]], %{{.*}}) :
// CHECK: %[[M:.*]] = comm.all_reduce max
// CHECK: call @comm_kernel_3(%[[M]], %{{.*}}) :
func.func @lives_on(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<16xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %a = linalg.map { math.exp } ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
  %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<4x4xf32>
  %b = linalg.map { math.exp } ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
  %m = comm.all_reduce max %x over @mesh["tp"] : tensor<4x4xf32>
  %v = tensor.collapse_shape %m [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %c = linalg.map { math.exp } ins(%m : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
  return %a, %b, %c, %s, %v : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<16xf32>
}
