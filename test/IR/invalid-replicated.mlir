// RUN: comm-opt %s --split-input-file --verify-diagnostics
// Where `comm.replicated` may stand, and what it may say.

comm.mesh @mesh [dp = 2, tp = 4]
// expected-error @+1 {{'comm.replicated' of argument 0 expects axes such as #comm.axes<@mesh["tp"]>, got "tp"}}
func.func @mark_of_another_kind(%x: tensor<4xf32> {comm.replicated = "tp"}) {
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
// expected-error @+1 {{'comm.replicated' of argument 0 expects axes such as #comm.axes<@mesh["tp"]>, got unit}}
func.func @mark_unit(%x: tensor<4xf32> {comm.replicated}) {
  return
}

// -----

// expected-note @+1 {{the mesh is here}}
comm.mesh @mesh [dp = 2, tp = 4]
// expected-error @+1 {{argument 0 is marked replicated over axis 'pp', which @mesh does not have}}
func.func @mark_of_unknown_axis(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["pp"]>}) {
  return
}

// -----

// expected-error @+1 {{argument 1 is marked replicated over @mesh, which is not a mesh}}
func.func @mark_without_mesh(%x: tensor<4xf32>, %y: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
// expected-error @+1 {{'comm.replicate' is not an attribute of argument 0}}
func.func @unknown_mark(%x: tensor<4xf32> {comm.replicate = #comm.axes<@mesh["tp"]>}) {
  return
}

// -----

// expected-note @+1 {{the mesh is here}}
comm.mesh @mesh [dp = 2, tp = 4]
// expected-error @+1 {{result 0 is marked replicated over axis 'pp', which @mesh does not have}}
func.func @mark_of_result(%x: tensor<4xf32>) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["pp"]>}) {
  return %x : tensor<4xf32>
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
// expected-error @+1 {{result 1 of a declaration is marked replicated, which cannot be proved: give the function a body or drop the mark}}
func.func private @mark_of_declaration(tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @mark_of_op(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.replicated' is not an attribute of operations; mark an argument or a result}}
  %0 = arith.negf %x {comm.replicated = #comm.axes<@mesh["tp"]>} : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
// expected-error @+1 {{'comm.replicated' is not an attribute of operations; mark an argument or a result}}
func.func @mark_of_function(%x: tensor<4xf32>) attributes {comm.replicated = #comm.axes<@mesh["tp"]>} {
  return
}

// -----

// expected-error @+1 {{'comm.ranks' is not an attribute of operations; mark an argument or a result}}
module attributes {comm.ranks = 4 : i64} {
}
