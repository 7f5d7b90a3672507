// RUN: comm-opt %s --comm-to-host --split-input-file --verify-diagnostics

// All at once.
// expected-note @+1 {{it is declared here}}
func.func private @external(%x: tensor<2xf32>) -> tensor<2xf32>
// expected-error @+1 {{argument 0 of '@types' is a 'tensor<2xf8E5M2>', which has no lowering}}
func.func @types(%x: tensor<2xf8E5M2>, %y: tensor<2xf32>, %z: vector<2xf32>, %i: index) {
  // expected-error @-1 {{argument 2 of '@types'}}
  // expected-error @+1 {{'@external' is called but has no body}}
  %0 = call @external(%y) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{'vector.extract' op has no lowering}}
  %1 = vector.extract %z[0] : f32 from vector<2xf32>
  // expected-error @+1 {{'arith.extf' op has a value of type 'tensor<2xf128>', which has no lowering}}
  %2 = arith.extf %y : tensor<2xf32> to tensor<2xf128>
  return
}

// -----

func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @gradient(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'comm.vjp' op is not differentiated yet: run 'comm-differentiate' first}}
  %y, %dx = comm.vjp @f(%x) cotangents(%x) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %dx : tensor<2xf32>
}

// -----

// expected-error @+1 {{'@tanhf' is the name of a function that lowered code calls: rename it}}
func.func @tanhf(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
// expected-error @+1 {{'@branches' has unstructured control flow, which has no lowering}}
func.func @branches(%c: i1) {
  // expected-error @+1 {{'cf.cond_br' op has no lowering}}
  cf.cond_br %c, ^a, ^b
^a:
  return
^b:
  return
}

// -----

func.func @parallel(%x: tensor<4xf32>, %i: tensor<2x1xindex>) -> (tensor<4xf32>, tensor<2xf32>) {
  // expected-error @+1 {{'scf.forall' op has no lowering}}
  %r = scf.forall (%k) in (4) shared_outs(%o = %x) -> tensor<4xf32> {
    %s = tensor.extract_slice %x[%k] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%k] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  // expected-error @+1 {{'tensor.gather' op has no lowering}}
  %g = tensor.gather %x[%i] gather_dims([0]) : (tensor<4xf32>, tensor<2x1xindex>) -> tensor<2xf32>
  return %r, %g : tensor<4xf32>, tensor<2xf32>
}

// -----

func.func @buffers(%x: tensor<4xf32>, %y: memref<4xf32>, %n: index) -> tensor<4xf32> {
  // expected-error @+1 {{'bufferization.alloc_tensor' op has no lowering}}
  %0 = bufferization.alloc_tensor() copy(%x) : tensor<4xf32>
  // expected-error @+1 {{'bufferization.materialize_in_destination' op has no lowering}}
  %1 = bufferization.materialize_in_destination %x in %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'bufferization.to_tensor' op has no lowering}}
  %2 = bufferization.to_tensor %y restrict : memref<4xf32> to tensor<4xf32>
  // expected-error @+1 {{'bufferization.to_buffer' op has no lowering}}
  %3 = bufferization.to_buffer %x : tensor<4xf32> to memref<4xf32>
  // expected-error @+1 {{'bufferization.clone' op has no lowering}}
  %4 = bufferization.clone %y : memref<4xf32> to memref<4xf32>
  // expected-error @+1 {{'memref.realloc' op has no lowering}}
  %5 = memref.realloc %4(%n) : memref<4xf32> to memref<?xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @packed(%x: tensor<8x8xf32>, %y: tensor<2x2x4x4xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{'linalg.pack' op has no lowering}}
  %0 = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %y : tensor<8x8xf32> -> tensor<2x2x4x4xf32>
  // expected-error @+1 {{'linalg.unpack' op has no lowering}}
  %1 = linalg.unpack %0 inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %x : tensor<2x2x4x4xf32> -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// Sizes that no memory has, and memory of another kind.
// expected-error @+1 {{argument 0 of '@sizes' is a 'tensor<4x9223372036854775807xf32>', whose size in bytes overflows}}
func.func @sizes(%x: tensor<4x9223372036854775807xf32>, %y: tensor<2xf32>, %z: memref<4xf32, 1>) {
  // expected-error @-1 {{argument 2 of '@sizes' is a 'memref<4xf32, 1>', which has no lowering}}
  // expected-error @+1 {{'tensor.empty' op has a value of type 'tensor<4611686018427387904xf32>', whose size in bytes overflows}}
  %0 = tensor.empty() : tensor<4611686018427387904xf32>
  return
}

// -----

// Nothing bounds the stack of a cycle of calls. One error for each cycle.
// expected-error @+1 {{'@even' calls itself, which has no lowering}}
func.func @even(%x: tensor<2xf32>, %n: index) -> tensor<2xf32> {
  // expected-note @+1 {{'@odd' is called here}}
  %0 = call @odd(%x, %n) : (tensor<2xf32>, index) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @odd(%x: tensor<2xf32>, %n: index) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %is_last = arith.cmpi eq, %n, %c0 : index
  %0 = scf.if %is_last -> tensor<2xf32> {
    scf.yield %x : tensor<2xf32>
  } else {
    %m = arith.subi %n, %c1 : index
    // expected-note @+1 {{'@even' is called here}}
    %1 = func.call @even(%x, %m) : (tensor<2xf32>, index) -> tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
// expected-error @+1 {{'@of_itself' calls itself, which has no lowering}}
func.func @of_itself() {
  // expected-note @+1 {{'@of_itself' is called here}}
  call @of_itself() : () -> ()
  return
}
// Calls it, and is in no cycle.
func.func @caller() {
  call @of_itself() : () -> ()
  return
}
