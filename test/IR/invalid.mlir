// RUN: comm-opt %s --split-input-file --verify-diagnostics
// One test for each labelled constraint; its name begins with the label.

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

comm.mesh @mesh [dp = 2, tp = 4]
func.func @vary_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.vary' op expects a result of the operand's type 'tensor<4xf32>', got 'tensor<8xf32>'}}
  %0 = comm.vary %x over @mesh["tp"] : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_slice_c1(%x: tensor<16xf32>) {
  // expected-error @+1 {{'comm.all_slice' op dim (1) is not a dimension of an operand of rank 1}}
  %0 = comm.all_slice %x dim 1 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_slice_c1_negative(%x: tensor<16xf32>) {
  // expected-error @+1 {{'comm.all_slice' op dim (-1) is not a dimension of an operand of rank 1}}
  %0 = comm.all_slice %x dim -1 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_slice_c1_rank_0(%x: tensor<f32>) {
  // expected-error @+1 {{'comm.all_slice' op dim (0) is not a dimension of an operand of rank 0}}
  %0 = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<f32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_slice_c2(%x: tensor<6xf32>) {
  // expected-error @+1 {{'comm.all_slice' op operand dimension 0 (6) is not divisible by the group size (4) of axes ["tp"]}}
  %0 = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<6xf32> -> tensor<1xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_slice_c3(%x: tensor<16xf32>) {
  // expected-error @+1 {{'comm.all_slice' op expects result dimension 0 to be 4, got 2 (operand dimension 16, group size 4 of axes ["tp"])}}
  %0 = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<2xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_slice_c3_element(%x: tensor<16xf32>) {
  // expected-error @+1 {{'comm.all_slice' op expects a result of element type 'f32', got 'f64'}}
  %0 = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf64>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_slice_c3_rank(%x: tensor<16xf32>) {
  // expected-error @+1 {{'comm.all_slice' op expects a result of rank 1, got 2}}
  %0 = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4x1xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_slice_c3_other_dim(%x: tensor<16x3xf32>) {
  // expected-error @+1 {{'comm.all_slice' op expects result dimension 1 to be 3, got 4 (operand dimension 3, group size 4 of axes ["tp"])}}
  %0 = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<16x3xf32> -> tensor<4x4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @root_mask_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.root_mask' op root (4) is not a rank of a group of 4 over axes ["tp"]}}
  %0 = comm.root_mask %x root 4 over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @root_mask_c1_negative(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.root_mask' op root (-1) is not a rank of a group of 4 over axes ["tp"]}}
  %0 = comm.root_mask %x root -1 over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @root_mask_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.root_mask' op expects a result of the operand's type 'tensor<4xf32>', got 'tensor<4xf64>'}}
  %0 = comm.root_mask %x root 0 over @mesh["tp"] : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op expects a result of the operand's type 'tensor<4xf32>', got 'tensor<?xf32>'}}
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32> -> tensor<?xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_c1_memref(%x: memref<4xf32>, %y: memref<8xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op expects a result of the operand's type 'memref<4xf32>', got 'memref<8xf32>'}}
  comm.all_reduce sum %x into %y over @mesh["tp"] : memref<4xf32> -> memref<8xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_c2(%x: tensor<4xi32>) {
  // expected-error @+1 {{'comm.all_reduce' op reduction 'avg' needs a float element type, got 'i32'}}
  %0 = comm.all_reduce avg %x over @mesh["tp"] : tensor<4xi32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op reduction 'or' needs an integer element type, got 'f32'}}
  %0 = comm.all_reduce or %x over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_c4_sum(%x: tensor<4xi1>) {
  // expected-error @+1 {{'comm.all_reduce' op reduction 'sum' of i1 is not defined, use 'or'}}
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xi1>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_c4_prod(%x: tensor<4xi1>) {
  // expected-error @+1 {{'comm.all_reduce' op reduction 'prod' of i1 is not defined, use 'and'}}
  %0 = comm.all_reduce prod %x over @mesh["tp"] : tensor<4xi1>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_c4_max(%x: tensor<4xi1>) {
  // expected-error @+1 {{'comm.all_reduce' op reduction 'max' of i1 is not defined, use 'or'}}
  %0 = comm.all_reduce max %x over @mesh["tp"] : tensor<4xi1>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_c4_min(%x: tensor<4xi1>) {
  // expected-error @+1 {{'comm.all_reduce' op reduction 'min' of i1 is not defined, use 'and'}}
  %0 = comm.all_reduce min %x over @mesh["tp"] : tensor<4xi1>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_c5(%x: tensor<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op on a tensor has no destination}}
  %0 = "comm.all_reduce"(%x, %y) <{axes = #comm.axes<@mesh["tp"]>, reduction = #comm<reduction sum>}> : (tensor<4xf32>, memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_index(%x: tensor<4xindex>) {
  // expected-error @+1 {{'comm.all_reduce' op operand #0 must be ranked tensor or memref of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got 'tensor<4xindex>'}}
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xindex>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op operand #0 must be ranked tensor or memref of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got 'tensor<*xf32>'}}
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<*xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_complex(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'comm.all_reduce' op operand #0 must be ranked tensor or memref of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got 'tensor<4xcomplex<f32>>'}}
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xcomplex<f32>>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_scalar(%x: f32) {
  // expected-error @+1 {{'comm.all_reduce' op operand #0 must be ranked tensor or memref of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got 'f32'}}
  %0 = comm.all_reduce sum %x over @mesh["tp"] : f32
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_gather_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.all_gather' op dim (1) is not a dimension of an operand of rank 1}}
  %0 = comm.all_gather %x dim 1 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_gather_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.all_gather' op expects result dimension 0 to be 16, got 8 (operand dimension 4, group size 4 of axes ["tp"])}}
  %0 = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_gather_c2_overflow(%x: tensor<4611686018427387904xf32>) {
  // expected-error @+1 {{'comm.all_gather' op result dimension 0 overflows}}
  %0 = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<4611686018427387904xf32> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_gather_c3(%x: memref<4xf32>) {
  // expected-error @+1 {{'comm.all_gather' op changes the shape and needs a destination}}
  comm.all_gather %x dim 0 over @mesh["tp"] : memref<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_gather_c3_tensor(%x: tensor<4xf32>, %y: memref<16xf32>) {
  // expected-error @+1 {{'comm.all_gather' op on a tensor has no destination}}
  %0 = "comm.all_gather"(%x, %y) <{axes = #comm.axes<@mesh["tp"]>, dim = 0 : i64}> : (tensor<4xf32>, memref<16xf32>) -> tensor<16xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @broadcast_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.broadcast' op root (8) is not a rank of a group of 8 over axes ["dp", "tp"]}}
  %0 = comm.broadcast %x root 8 over @mesh["dp", "tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @broadcast_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.broadcast' op expects a result of the operand's type 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %0 = comm.broadcast %x root 0 over @mesh["tp"] : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @broadcast_c3(%x: tensor<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'comm.broadcast' op on a tensor has no destination}}
  %0 = "comm.broadcast"(%x, %y) <{axes = #comm.axes<@mesh["tp"]>, root = 0 : i64}> : (tensor<4xf32>, memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @reduce_scatter_c1(%x: tensor<16xf32>) {
  // expected-error @+1 {{'comm.reduce_scatter' op dim (2) is not a dimension of an operand of rank 1}}
  %0 = comm.reduce_scatter sum %x dim 2 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @reduce_scatter_c2(%x: tensor<6xf32>) {
  // expected-error @+1 {{'comm.reduce_scatter' op operand dimension 0 (6) is not divisible by the group size (4) of axes ["tp"]}}
  %0 = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<6xf32> -> tensor<1xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @reduce_scatter_c3(%x: tensor<16xf32>) {
  // expected-error @+1 {{'comm.reduce_scatter' op expects result dimension 0 to be 4, got 16 (operand dimension 16, group size 4 of axes ["tp"])}}
  %0 = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<16xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @reduce_scatter_c4_max(%x: tensor<16xf32>) {
  // expected-error @+1 {{'comm.reduce_scatter' op expects the reduction 'sum' or 'avg', got 'max'}}
  %0 = comm.reduce_scatter max %x dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @reduce_scatter_c4_avg(%x: tensor<16xi8>) {
  // expected-error @+1 {{'comm.reduce_scatter' op reduction 'avg' needs a float element type, got 'i8'}}
  %0 = comm.reduce_scatter avg %x dim 0 over @mesh["tp"] : tensor<16xi8> -> tensor<4xi8>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @reduce_scatter_c4_i1(%x: tensor<16xi1>) {
  // expected-error @+1 {{'comm.reduce_scatter' op reduction 'sum' of i1 is not defined, use 'comm.all_reduce or'}}
  %0 = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<16xi1> -> tensor<4xi1>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @reduce_scatter_c5(%x: memref<16xf32>) {
  // expected-error @+1 {{'comm.reduce_scatter' op changes the shape and needs a destination}}
  comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : memref<16xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_to_all_c1_split(%x: tensor<8x2xf32>) {
  // expected-error @+1 {{'comm.all_to_all' op split (2) is not a dimension of an operand of rank 2}}
  %0 = comm.all_to_all %x split 2 concat 0 over @mesh["tp"] : tensor<8x2xf32> -> tensor<2x8xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_to_all_c1_concat(%x: tensor<8x2xf32>) {
  // expected-error @+1 {{'comm.all_to_all' op concat (-3) is not a dimension of an operand of rank 2}}
  %0 = comm.all_to_all %x split 0 concat -3 over @mesh["tp"] : tensor<8x2xf32> -> tensor<2x8xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_to_all_c2(%x: tensor<6x2xf32>) {
  // expected-error @+1 {{'comm.all_to_all' op operand dimension 0 (6) is not divisible by the group size (4) of axes ["tp"]}}
  %0 = comm.all_to_all %x split 0 concat 1 over @mesh["tp"] : tensor<6x2xf32> -> tensor<1x8xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_to_all_c3(%x: tensor<8x2xf32>) {
  // expected-error @+1 {{'comm.all_to_all' op expects result dimension 1 to be 8, got 2 (operand dimension 2, group size 4 of axes ["tp"])}}
  %0 = comm.all_to_all %x split 0 concat 1 over @mesh["tp"] : tensor<8x2xf32> -> tensor<2x2xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_to_all_c3_equal(%x: tensor<8x2xf32>) {
  // expected-error @+1 {{'comm.all_to_all' op expects result dimension 0 to be 8, got 2 (operand dimension 8, group size 4 of axes ["tp"])}}
  %0 = comm.all_to_all %x split 0 concat 0 over @mesh["tp"] : tensor<8x2xf32> -> tensor<2x8xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_to_all_c4(%x: memref<8x2xf32>) {
  // expected-error @+1 {{'comm.all_to_all' op changes the shape and needs a destination}}
  comm.all_to_all %x split 0 concat 1 over @mesh["tp"] : memref<8x2xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @permute_c1_source(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.permute' op source (4) is not a rank of a group of 4 over axes ["tp"]}}
  %0 = comm.permute %x [(0, 1), (4, 2)] over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @permute_c1_target(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.permute' op target (-1) is not a rank of a group of 4 over axes ["tp"]}}
  %0 = comm.permute %x [(0, -1)] over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @permute_c2_source(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.permute' op source 0 is named twice}}
  %0 = comm.permute %x [(0, 1), (0, 2)] over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @permute_c2_target(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.permute' op target 1 is named twice}}
  %0 = comm.permute %x [(0, 1), (2, 1)] over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @permute_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.permute' op expects a result of the operand's type 'tensor<4xf32>', got 'tensor<3xf32>'}}
  %0 = comm.permute %x [(0, 1)] over @mesh["tp"] : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @permute_c5(%x: tensor<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'comm.permute' op on a tensor has no destination}}
  %0 = "comm.permute"(%x, %y) <{axes = #comm.axes<@mesh["tp"]>, pairs = array<i64: 0, 1>}> : (tensor<4xf32>, memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @reduce_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.reduce' op root (4) is not a rank of a group of 4 over axes ["tp"]}}
  %0 = comm.reduce sum %x root 4 over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @reduce_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.reduce' op expects a result of the operand's type 'tensor<4xf32>', got 'tensor<1xf32>'}}
  %0 = comm.reduce sum %x root 0 over @mesh["tp"] : tensor<4xf32> -> tensor<1xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @reduce_c3_min(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.reduce' op expects the reduction 'sum' or 'avg', got 'min'}}
  %0 = comm.reduce min %x root 0 over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @reduce_c3_avg(%x: tensor<4xi64>) {
  // expected-error @+1 {{'comm.reduce' op reduction 'avg' needs a float element type, got 'i64'}}
  %0 = comm.reduce avg %x root 0 over @mesh["tp"] : tensor<4xi64>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @reduce_c3_i1(%x: tensor<4xi1>) {
  // expected-error @+1 {{'comm.reduce' op reduction 'sum' of i1 is not defined, use 'comm.all_reduce or'}}
  %0 = comm.reduce sum %x root 0 over @mesh["tp"] : tensor<4xi1>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @reduce_c4(%x: tensor<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{'comm.reduce' op on a tensor has no destination}}
  %0 = "comm.reduce"(%x, %y) <{axes = #comm.axes<@mesh["tp"]>, reduction = #comm<reduction sum>, root = 0 : i64}> : (tensor<4xf32>, memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @gather_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.gather' op dim (1) is not a dimension of an operand of rank 1}}
  %0 = comm.gather %x dim 1 root 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @gather_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.gather' op root (4) is not a rank of a group of 4 over axes ["tp"]}}
  %0 = comm.gather %x dim 0 root 4 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @gather_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.gather' op expects result dimension 0 to be 16, got 12 (operand dimension 4, group size 4 of axes ["tp"])}}
  %0 = comm.gather %x dim 0 root 0 over @mesh["tp"] : tensor<4xf32> -> tensor<12xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @gather_c4(%x: memref<4xf32>) {
  // expected-error @+1 {{'comm.gather' op changes the shape and needs a destination}}
  comm.gather %x dim 0 root 0 over @mesh["tp"] : memref<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @scatter_c1(%x: tensor<16xf32>) {
  // expected-error @+1 {{'comm.scatter' op dim (1) is not a dimension of an operand of rank 1}}
  %0 = comm.scatter %x dim 1 root 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @scatter_c2(%x: tensor<16xf32>) {
  // expected-error @+1 {{'comm.scatter' op root (-1) is not a rank of a group of 4 over axes ["tp"]}}
  %0 = comm.scatter %x dim 0 root -1 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @scatter_c3(%x: tensor<15xf32>) {
  // expected-error @+1 {{'comm.scatter' op operand dimension 0 (15) is not divisible by the group size (4) of axes ["tp"]}}
  %0 = comm.scatter %x dim 0 root 0 over @mesh["tp"] : tensor<15xf32> -> tensor<3xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @scatter_c4(%x: tensor<16xf32>) {
  // expected-error @+1 {{'comm.scatter' op expects result dimension 0 to be 4, got 8 (operand dimension 16, group size 4 of axes ["tp"])}}
  %0 = comm.scatter %x dim 0 root 0 over @mesh["tp"] : tensor<16xf32> -> tensor<8xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @scatter_c5(%x: memref<16xf32>) {
  // expected-error @+1 {{'comm.scatter' op changes the shape and needs a destination}}
  comm.scatter %x dim 0 root 0 over @mesh["tp"] : memref<16xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.send' op to (4) is not a rank of a group of 4 over axes ["tp"]}}
  %m = comm.send %x from 0 to 4 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c1_from(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.send' op from (-1) is not a rank of a group of 4 over axes ["tp"]}}
  %m = comm.send %x from -1 to 0 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.send' op sends from rank 1 to itself}}
  %m = comm.send %x from 1 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c3(%x: tensor<8xf32>) {
  // expected-error @+1 {{'comm.send' op expects a message of 'tensor<8xf32>', got 'tensor<4xf32>'}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<8xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.send' op expects exactly one 'comm.recv' of its message, got 0}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c4_twice(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.send' op expects exactly one 'comm.recv' of its message, got 2}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %s = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c4_returned(%x: tensor<4xf32>) -> !comm.message<tensor<4xf32>> {
  // expected-error @+1 {{'comm.send' op expects its message to be taken by a 'comm.recv'}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-note @+1 {{it is used here}}
  return %m : !comm.message<tensor<4xf32>>
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_c1(%x: !comm.message<tensor<4xf32>>) {
  // expected-error @+1 {{'comm.recv' op expects the message of a 'comm.send'}}
  %r = comm.recv %x : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_c1_block(%x: tensor<4xf32>, %c: i1) {
  // expected-note @+1 {{the send is here}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  scf.if %c {
    // expected-error @+1 {{'comm.recv' op stands in another block than its 'comm.send'}}
    %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  }
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_c2(%x: tensor<4xf32>) {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-error @+1 {{'comm.recv' op expects a result of 'tensor<4xf32>', got 'tensor<8xf32>'}}
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<8xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_c2_memref(%x: tensor<4xf32>, %y: memref<8xf32>) {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-error @+1 {{'comm.recv' op expects a result of 'tensor<4xf32>', got 'memref<8xf32>'}}
  comm.recv %m into %y : !comm.message<tensor<4xf32>> -> memref<8xf32>
  return
}
