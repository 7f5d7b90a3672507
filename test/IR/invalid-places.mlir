// RUN: comm-opt %s --split-input-file --verify-diagnostics
// Ops where they cannot stand.

comm.mesh @mesh [dp = 2, tp = 4]
%x = arith.constant dense<1.0> : tensor<4xf32>
// expected-error @+1 {{'comm.all_reduce' op stands outside of any function}}
%0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>

// -----

comm.mesh @mesh [dp = 2, tp = 4]
// expected-error @+1 {{'comm.axis_index' op stands outside of any function}}
%i = comm.axis_index over @mesh["tp"] : index

// -----

comm.mesh @mesh [dp = 2, tp = 4]
// expected-error @+1 {{'comm.barrier' op stands outside of any function}}
comm.barrier over @mesh["tp"]

// -----

comm.mesh @mesh [dp = 2, tp = 4]
%c = arith.constant true
%x = arith.constant dense<1.0> : tensor<4xf32>
scf.if %c {
  // expected-error @+1 {{'comm.send' op stands outside of any function}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
}

// -----

func.func @f(%x: f32) -> f32 {
  return %x : f32
}
%c = arith.constant 1.0 : f32
// expected-error @+1 {{'comm.vjp' op stands outside of any function}}
%0:2 = comm.vjp @f(%c) cotangents(%c) : (f32, f32) -> (f32, f32)

// -----

func.func @f(%x: f32) -> f32 {
  return %x : f32
}
%c = arith.constant 1.0 : f32
// expected-error @+1 {{'comm.value_and_grad' op stands outside of any function}}
%0:2 = comm.value_and_grad @f(%c) : (f32) -> (f32, f32)

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @mesh_in_region(%c: i1) {
  scf.if %c {
    // expected-error @+1 {{'comm.mesh' op symbol's parent must have the SymbolTable trait}}
    comm.mesh @inner [dp = 2]
  }
  return
}

// -----

// The inner module has a mesh of its own.

comm.mesh @mesh [tp = 4]
module {
  comm.mesh @mesh [tp = 2]
  func.func @nested(%x: tensor<4xf32>) {
    // expected-error @+1 {{'comm.broadcast' op root (3) is not a rank of a group of 2 over axes ["tp"]}}
    %0 = comm.broadcast %x root 3 over @mesh["tp"] : tensor<4xf32>
    return
  }
}

// -----

// expected-note @+1 {{see existing symbol definition here}}
comm.mesh @f [tp = 4]
// expected-error @+1 {{redefinition of symbol named 'f'}}
func.func @f() {
  return
}

// -----

func.func @vjp_of_a_mesh_in_another_module(%x: f32) {
  // expected-error @+1 {{'comm.vjp' op 'inner' is not a function}}
  %0:2 = comm.vjp @inner(%x) cotangents(%x) : (f32, f32) -> (f32, f32)
  return
}
module {
  func.func @inner(%x: f32) -> f32 {
    return %x : f32
  }
}

// -----

// expected-error @+1 {{'comm.replicated' is not an attribute of operations; mark an argument or a result}}
comm.mesh @mesh [tp = 4] {comm.replicated}

// -----

// expected-error @+1 {{'comm.foo' is not an attribute of operations; mark an argument or a result}}
module attributes {comm.foo = 1} {
}

// -----

// expected-error @+1 {{argument 0 is marked replicated over @mesh, which is not a mesh of the module}}
func.func private @declaration(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
