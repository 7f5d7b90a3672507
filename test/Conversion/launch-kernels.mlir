// RUN: comm-opt %s -comm-launch-kernels -comm-launch-kernels=schedule -canonicalize | FileCheck %s

// A sum along the last dimension: a block for each row, whose threads read
// neighbouring elements.
// CHECK-LABEL: func.func @rows(
// CHECK: gpu.launch_func @comm_kernels::@rows blocks in (%c4, %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK-SAME: args(%{{.*}} : memref<4x300xf32>, %{{.*}} : memref<4xf32>)
func.func @rows(%x: memref<4x300xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<4x300xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// A maximum along the first dimension of a wide matrix: a thread for each
// column, so that neighbouring threads read neighbouring elements.
// CHECK-LABEL: func.func @columns(
// CHECK: gpu.launch_func @comm_kernels::@columns blocks in (%c20, %c1, %c1) threads in (%c256, %c1, %c1)
func.func @columns(%x: memref<300x5000xf32>, %y: memref<5000xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<300x5000xf32>) outs(%y : memref<5000xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// Dimensions that step as one are one loop. The number of blocks is that of the
// run.
// CHECK-LABEL: func.func @scale(
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %{{.*}}, %c256 : index
// CHECK: gpu.launch_func @comm_kernels::@scale blocks in (%[[BLOCKS]], %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK-SAME: args(%{{.*}} : memref<?xf32>, %{{.*}} : f32, %{{.*}} : memref<?xf32>)
func.func @scale(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %c: f32) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %c : f32
    linalg.yield %s : f32
  }
  return
}

// Whole warps, also for few elements.
// CHECK-LABEL: func.func @transpose(
// CHECK: gpu.launch_func @comm_kernels::@transpose blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
func.func @transpose(%x: memref<3x5xf32>, %y: memref<5x3xf32>) {
  linalg.transpose ins(%x : memref<3x5xf32>) outs(%y : memref<5x3xf32>) permutation = [1, 0]
  return
}

// Nothing to do is no launch.
// CHECK-LABEL: func.func @nothing(
// CHECK-NEXT: return
func.func @nothing(%y: memref<0x3xf32>, %c: f32) {
  linalg.fill ins(%c : f32) outs(%y : memref<0x3xf32>)
  return
}

// From many elements on, a thread computes several.
// CHECK-LABEL: func.func @many(
// CHECK: gpu.launch_func @comm_kernels::@many blocks in (%c1024, %c1, %c1) threads in (%c256, %c1, %c1)
func.func @many(%y: memref<1024x1024xf32>, %c: f32) {
  linalg.fill ins(%c : f32) outs(%y : memref<1024x1024xf32>)
  return
}

// A reduction that has no neutral element cannot be divided.
// CHECK-LABEL: func.func @divide(
// CHECK: gpu.launch_func @comm_kernels::@divide blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
func.func @divide(%x: memref<300xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
    ins(%x : memref<300xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.divf %b, %a : f32
    linalg.yield %s : f32
  }
  return
}

// The largest of indices, which have the width of 64 bits.
// CHECK-LABEL: func.func @indices(
// CHECK: gpu.launch_func @comm_kernels::@indices blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
func.func @indices(%x: memref<64xindex>, %y: memref<index>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
    ins(%x : memref<64xindex>) outs(%y : memref<index>) {
  ^bb0(%a: index, %b: index):
    %s = arith.maxsi %a, %b : index
    linalg.yield %s : index
  }
  return
}

// The launches of a kernel are its callers', of which both run the same code.
// Its arguments are different buffers, where one of them is written.
// CHECK-NOT: func.func private @comm_kernel
// CHECK-LABEL: func.func @calls(
// CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>
// CHECK: gpu.launch_func @comm_kernels::@comm_kernel {{.*}} args(%[[X]] : memref<8xf32>, %[[Y]] : memref<8xf32>)
// CHECK: gpu.launch_func @comm_kernels::@comm_kernel {{.*}} args(%[[Y]] : memref<8xf32>, %[[X]] : memref<8xf32>)
func.func private @comm_kernel(%x: memref<8xf32>, %y: memref<8xf32>) attributes {comm.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = math.tanh %a : f32
    linalg.yield %s : f32
  }
  return
}
func.func @calls(%x: memref<8xf32>, %y: memref<8xf32>) {
  call @comm_kernel(%x, %y) {comm.kernel} : (memref<8xf32>, memref<8xf32>) -> ()
  call @comm_kernel(%y, %x) {comm.kernel} : (memref<8xf32>, memref<8xf32>) -> ()
  return
}

// Much is reduced to one number: by more blocks than one.
// CHECK-LABEL: func.func @loss(
// CHECK: %[[PARTS:.*]] = memref.alloc() : memref<128xf32>
// CHECK: gpu.launch_func @comm_kernels::@comm_sum blocks in (%c128, %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK-SAME: %[[PARTS]] : memref<128xf32>
// CHECK: gpu.launch_func @comm_kernels::@comm_sum_0 blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
// CHECK-SAME: %[[PARTS]] : memref<128xf32>
// CHECK: memref.dealloc %[[PARTS]]
func.func private @comm_sum(%x: memref<1000x1000xf32>, %y: memref<f32>) attributes {comm.kernel} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
    ins(%x : memref<1000x1000xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}
func.func @loss(%x: memref<1000x1000xf32>, %y: memref<f32>) {
  call @comm_sum(%x, %y) {comm.kernel} : (memref<1000x1000xf32>, memref<f32>) -> ()
  return
}

// A reduction starts at what its result was filled with.
// CHECK-LABEL: func.func @sum(
// CHECK-NOT: linalg
// CHECK: gpu.launch_func @comm_kernels::@sum
// CHECK-NOT: launch
// CHECK: return
func.func @sum(%x: memref<4x300xf32>, %y: memref<4xf32>, %c: f32) {
  linalg.fill ins(%c : f32) outs(%y : memref<4xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<4x300xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// What reads the fill otherwise needs it.
// CHECK-LABEL: func.func @twice(
// CHECK: gpu.launch_func @comm_kernels::@twice
// CHECK: gpu.launch_func @comm_kernels::@twice_0
func.func @twice(%y: memref<4xf32>, %z: memref<f32>, %c: f32) {
  linalg.fill ins(%c : f32) outs(%y : memref<4xf32>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
    ins(%y : memref<4xf32>) outs(%z : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}

// CHECK: gpu.module @comm_kernels {

// CHECK-LABEL: gpu.func @comm_kernel(
// CHECK-SAME: %{{.*}}: memref<8xf32> {llvm.noalias}, %{{.*}}: memref<8xf32> {llvm.noalias}

// CHECK-LABEL: gpu.func @rows(%{{.*}}: memref<4x300xf32> {llvm.noalias}, %{{.*}}: memref<4xf32> {llvm.noalias})
// CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<256xf32, #gpu.address_space<workgroup>>) kernel
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[PARTIAL:.*]] = scf.for %[[I:.*]] = %[[THREAD]] to %c300 step %c256 iter_args(%{{.*}} = %cst) -> (f32)
// CHECK: memref.load %{{.*}}[%[[BLOCK]], %[[I]]] : memref<4x300xf32>
// CHECK: memref.store %[[PARTIAL]], %[[SHARED]][%[[THREAD]]]
// CHECK: scf.for
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[HALF:.*]] = arith.shrui %c256
// CHECK-NEXT: arith.cmpi ult, %[[THREAD]], %[[HALF]] : index
// CHECK-DAG: memref.load %{{.*}}[%[[BLOCK]]] : memref<4xf32>
// CHECK-DAG: memref.load %[[SHARED]][%[[THREAD]]]
// CHECK: arith.addf
// CHECK-NEXT: memref.store %{{.*}}[%[[BLOCK]]] : memref<4xf32>

// CHECK-LABEL: gpu.func @columns(
// CHECK: scf.if
// CHECK: scf.for %[[I:.*]] = %c0 to %c300
// CHECK: memref.load %{{.*}}[%[[I]], %{{.*}}] : memref<300x5000xf32>
// CHECK: arith.maximumf

// CHECK-LABEL: gpu.func @sum(
// CHECK-SAME: %[[C:arg[0-9]+]]: f32
// CHECK: arith.addf %[[C]], %{{.*}} : f32
// CHECK-NEXT: memref.store
