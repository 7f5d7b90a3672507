// RUN: comm-opt %s --convert-comm-to-runtime --split-input-file --verify-diagnostics

comm.mesh @mesh [tp = 4]
func.func @tensor(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{is on tensors here: bufferize it first}}
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

comm.mesh @mesh [tp = 4]
func.func @dim(%x: memref<2x1xf32>, %y: memref<2x4xf32>) {
  // expected-error @+1 {{is along dimension 1 here: 'comm-normalize-layout' makes it dimension 0}}
  comm.all_gather %x into %y dim 1 over @mesh["tp"] : memref<2x1xf32> -> memref<2x4xf32>
  return
}

// -----

comm.mesh @mesh [tp = 4]
func.func @strided(%x: memref<2x2xf32, strided<[1, 2]>>) {
  // expected-error @+1 {{expects contiguous memory, got 'memref<2x2xf32, strided<[1, 2]>>'}}
  comm.all_reduce sum %x over @mesh["tp"] : memref<2x2xf32, strided<[1, 2]>>
  return
}

// -----

func.func @layout(%x: f32) {
  %zero = arith.constant 0 : index
  // expected-error @+1 {{of a buffer with a layout has no lowering}}
  %buffer = memref.alloc() : memref<4xf32, strided<[2]>>
  memref.store %x, %buffer[%zero] : memref<4xf32, strided<[2]>>
  return
}
