// RUN: comm-opt %s --split-input-file --verify-diagnostics
// The constraints of the mesh and of axes.
// One test for each label; its name begins with the label.

// mesh_c1

// expected-error @+1 {{'comm.mesh' op expects at least one axis}}
comm.mesh @mesh []

// -----

// mesh_c2

// expected-error @+1 {{'comm.mesh' op names axis 'dp' twice}}
comm.mesh @mesh [dp = 2, dp = 4]

// -----

// mesh_c2_empty

// expected-error @+1 {{'comm.mesh' op has an axis with an empty name}}
comm.mesh @mesh ["" = 2]

// -----

// mesh_c3

// expected-error @+1 {{'comm.mesh' op axis 'tp' has size 0, expected at least 1}}
comm.mesh @mesh [dp = 2, tp = 0]

// -----

// mesh_c3_negative

// expected-error @+1 {{'comm.mesh' op axis 'dp' has size -2, expected at least 1}}
comm.mesh @mesh [dp = -2]

// -----

// mesh_c3_product

// expected-error @+1 {{'comm.mesh' op has more than 2147483647 ranks}}
comm.mesh @mesh [dp = 65536, tp = 65536]

// -----

// mesh_c3_huge

// expected-error @+1 {{'comm.mesh' op has more than 2147483647 ranks}}
comm.mesh @mesh [dp = 9223372036854775807, tp = 9223372036854775807]

// -----

// mesh_c4

// expected-error @+1 {{'comm.mesh' op has 65 axes, at most 64 are possible}}
comm.mesh @mesh [a0 = 1, a1 = 1, a2 = 1, a3 = 1, a4 = 1, a5 = 1, a6 = 1, a7 = 1, a8 = 1, a9 = 1, a10 = 1, a11 = 1, a12 = 1, a13 = 1, a14 = 1, a15 = 1, a16 = 1, a17 = 1, a18 = 1, a19 = 1, a20 = 1, a21 = 1, a22 = 1, a23 = 1, a24 = 1, a25 = 1, a26 = 1, a27 = 1, a28 = 1, a29 = 1, a30 = 1, a31 = 1, a32 = 1, a33 = 1, a34 = 1, a35 = 1, a36 = 1, a37 = 1, a38 = 1, a39 = 1, a40 = 1, a41 = 1, a42 = 1, a43 = 1, a44 = 1, a45 = 1, a46 = 1, a47 = 1, a48 = 1, a49 = 1, a50 = 1, a51 = 1, a52 = 1, a53 = 1, a54 = 1, a55 = 1, a56 = 1, a57 = 1, a58 = 1, a59 = 1, a60 = 1, a61 = 1, a62 = 1, a63 = 1, a64 = 1]

// -----

// mesh_c5

// expected-note @+1 {{the first mesh is here}}
comm.mesh @mesh [dp = 2]
// expected-error @+1 {{'comm.mesh' op is the second mesh of its module, one is possible}}
comm.mesh @other [dp = 2]

// -----

// mesh_c5_nested

func.func @f() {
  // expected-error @+1 {{'comm.mesh' op symbol's parent must have the SymbolTable trait}}
  comm.mesh @mesh [dp = 2]
  return
}

// -----

// expected-note @+1 {{the mesh is here}}
comm.mesh @mesh [dp = 2, tp = 4]
func.func @axes_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.vary' op is over axis 'pp', which @mesh does not have}}
  %0 = comm.vary %x over @mesh["pp"] : tensor<4xf32>
  return
}

// -----

func.func @axes_c3_no_mesh(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.vary' op is over @mesh, which is not a mesh}}
  %0 = comm.vary %x over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @axes_c3_not_a_mesh(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.vary' op is over @axes_c3_not_a_mesh, which is not a mesh}}
  %0 = comm.vary %x over @axes_c3_not_a_mesh["tp"] : tensor<4xf32>
  return
}

// -----

// expected-note @+1 {{the mesh is here}}
comm.mesh @mesh [dp = 2, tp = 4]
func.func @axes_c3_barrier() {
  // expected-error @+1 {{'comm.barrier' op is over axis 'pp', which @mesh does not have}}
  comm.barrier over @mesh["dp", "pp"]
  %0 = comm.axis_index over @other["dp"] : index
  return
}

// -----

// axes_c3: the mesh of the outer module is not seen

comm.mesh @mesh [dp = 2, tp = 4]
module {
  func.func @axes_c3_nested(%x: tensor<4xf32>) {
    // expected-error @+1 {{'comm.vary' op is over @mesh, which is not a mesh}}
    %0 = comm.vary %x over @mesh["tp"] : tensor<4xf32>
    return
  }
}

// -----

// mesh_c3_product_of_one_axis

// expected-error @+1 {{'comm.mesh' op has more than 2147483647 ranks}}
comm.mesh @mesh [tp = 4294967296]

// -----

// mesh_c3_before_huge

// expected-error @+1 {{'comm.mesh' op axis 'c' has size 0, expected at least 1}}
comm.mesh @mesh [a = 2, b = 2, c = 0, d = 9223372036854775807]
