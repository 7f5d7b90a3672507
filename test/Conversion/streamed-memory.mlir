// What kernels write past the caches: the numbers count the pointers and sizes
// that a kernel takes.

// RUN: comm-opt %s --pass-pipeline="builtin.module(func.func(convert-linalg-to-loops),comm-convert-kernels)" | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#turned = affine_map<(i, j) -> (j, i)>
#every = affine_map<(i) -> (i)>

// Only written, each element once, in the order of the addresses: 16 MiB or more.
// CHECK: llvm.func internal @written(
// CHECK-SAME: passthrough = {{\[\[}}"comm-streamed", "3,4"]]
func.func private @written(%x: memref<4096x1024xf32>, %b: memref<?xf32>, %y: memref<1024x4096xf32>, %z: memref<1024x4096xi64>) attributes {comm.kernel} {
  linalg.generic {indexing_maps = [#turned, #rows, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : memref<4096x1024xf32>, memref<?xf32>) outs(%y, %z : memref<1024x4096xf32>, memref<1024x4096xi64>) {
  ^bb0(%in: f32, %bias: f32, %out: f32, %number: i64):
    %s = arith.addf %in, %bias : f32
    %i = arith.fptosi %s : f32 to i64
    linalg.yield %s, %i : f32, i64
  }
  return
}

// As another shape.
// CHECK: llvm.func internal @flat(
// CHECK-SAME: passthrough = {{\[\[}}"comm-streamed", "1"]]
func.func private @flat(%x: memref<4194304xf32>, %y: memref<4096x1024xf32>) attributes {comm.kernel} {
  %f = memref.collapse_shape %y [[0, 1]] : memref<4096x1024xf32> into memref<4194304xf32>
  linalg.map { math.tanh } ins(%x : memref<4194304xf32>) outs(%f : memref<4194304xf32>)
  return
}

// An i1 takes a byte: one is missing to 16 MiB.
// CHECK: llvm.func internal @small(
// CHECK-NOT: comm-streamed
// CHECK-SAME: {
func.func private @small(%x: memref<16777215xf32>, %y: memref<16777215xi1>) attributes {comm.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#every, #every], iterator_types = ["parallel"]}
      ins(%x : memref<16777215xf32>) outs(%y : memref<16777215xi1>) {
  ^bb0(%in: f32, %out: i1):
    %s = arith.cmpf ogt, %in, %zero : f32
    linalg.yield %s : i1
  }
  return
}
// CHECK: llvm.func internal @bytes(
// CHECK-SAME: passthrough = {{\[\[}}"comm-streamed", "1"]]
func.func private @bytes(%x: memref<16777216xf32>, %y: memref<16777216xi1>) attributes {comm.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#every, #every], iterator_types = ["parallel"]}
      ins(%x : memref<16777216xf32>) outs(%y : memref<16777216xi1>) {
  ^bb0(%in: f32, %out: i1):
    %s = arith.cmpf ogt, %in, %zero : f32
    linalg.yield %s : i1
  }
  return
}

// Read by another op: the second output alone.
// CHECK: llvm.func internal @read_again(
// CHECK-SAME: passthrough = {{\[\[}}"comm-streamed", "2"]]
func.func private @read_again(%x: memref<4194304xf32>, %t: memref<4194304xf32>, %y: memref<4194304xf32>) attributes {comm.kernel} {
  linalg.map { math.tanh } ins(%x : memref<4194304xf32>) outs(%t : memref<4194304xf32>)
  linalg.map { math.exp } ins(%t : memref<4194304xf32>) outs(%y : memref<4194304xf32>)
  return
}

// Read as well, in place or by the body; written more than once, out of order,
// under a condition or in part; of a size that only the run knows.
// CHECK-NOT: comm-streamed
func.func private @in_place(%y: memref<4194304xf32>) attributes {comm.kernel} {
  linalg.map { math.tanh } ins(%y : memref<4194304xf32>) outs(%y : memref<4194304xf32>)
  return
}
func.func private @accumulated(%x: memref<4194304xf32>, %y: memref<4194304xf32>) attributes {comm.kernel} {
  linalg.generic {indexing_maps = [#every, #every], iterator_types = ["parallel"]}
      ins(%x : memref<4194304xf32>) outs(%y : memref<4194304xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  return
}
func.func private @reduced(%x: memref<4194304x2xf32>, %y: memref<4194304xf32>) attributes {comm.kernel} {
  linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4194304x2xf32>) outs(%y : memref<4194304xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}
func.func private @turned(%x: memref<4096x1024xf32>, %y: memref<1024x4096xf32>) attributes {comm.kernel} {
  linalg.generic {indexing_maps = [#id, #turned], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4096x1024xf32>) outs(%y : memref<1024x4096xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}
func.func private @square(%x: memref<4096x4096xf32>, %y: memref<4096x4096xf32>) attributes {comm.kernel} {
  linalg.generic {indexing_maps = [#id, #turned], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4096x4096xf32>) outs(%y : memref<4096x4096xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}
func.func private @part(%x: memref<4194304xf32>, %y: memref<8388608xf32>) attributes {comm.kernel} {
  %half = memref.subview %y[0] [4194304] [1] : memref<8388608xf32> to memref<4194304xf32, strided<[1]>>
  linalg.map { math.tanh } ins(%x : memref<4194304xf32>) outs(%half : memref<4194304xf32, strided<[1]>>)
  return
}
func.func private @repeated(%x: memref<4194304xf32>, %y: memref<4194304xf32>) attributes {comm.kernel} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %two step %one {
    linalg.map { math.tanh } ins(%x : memref<4194304xf32>) outs(%y : memref<4194304xf32>)
  }
  return
}
func.func private @where(%x: memref<4194304xf32>, %y: memref<4194304xf32>) attributes {comm.kernel} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 4194304 : index
  %number = arith.constant 0.0 : f32
  scf.for %i = %zero to %size step %one {
    %v = memref.load %x[%i] : memref<4194304xf32>
    %is = arith.cmpf ogt, %v, %number : f32
    scf.if %is {
      memref.store %v, %y[%i] : memref<4194304xf32>
    }
  }
  return
}
func.func private @every_other(%x: memref<4194304xf32>, %y: memref<4194304xf32>) attributes {comm.kernel} {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %size = arith.constant 4194304 : index
  scf.for %i = %zero to %size step %two {
    %v = memref.load %x[%i] : memref<4194304xf32>
    memref.store %v, %y[%i] : memref<4194304xf32>
  }
  return
}
func.func private @but_the_last(%x: memref<4194304xf32>, %y: memref<4194304xf32>) attributes {comm.kernel} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 4194303 : index
  scf.for %i = %zero to %size step %one {
    %v = memref.load %x[%i] : memref<4194304xf32>
    memref.store %v, %y[%i] : memref<4194304xf32>
  }
  return
}
func.func private @unknown(%x: memref<?xf32>, %y: memref<?xf32>) attributes {comm.kernel} {
  linalg.map { math.tanh } ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  return
}
// CHECK: llvm.func internal @unknown(
// CHECK-NOT: comm-streamed
