// RUN: comm-opt %s --split-input-file --verify-diagnostics
// The constraints of the collectives that move values between all.
// One test for each label; its name begins with the label.

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
func.func @all_gather_c2_dynamic(%x: tensor<?xf32>) {
  // expected-error @+1 {{'comm.all_gather' op expects result dimension 0 to be a multiple of the group size (4) of axes ["tp"], got 6}}
  %0 = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<?xf32> -> tensor<6xf32>
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
func.func @all_gather_f8(%x: tensor<4xf8E5M2>) {
  // expected-error @+1 {{'comm.all_gather' op operand #0 must be ranked tensor or memref of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got 'tensor<4xf8E5M2>'}}
  %0 = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<4xf8E5M2> -> tensor<16xf8E5M2>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @permute_c1_largest(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.permute' op source (9223372036854775807) is not a rank of a group of 4 over axes ["tp"]}}
  %0 = comm.permute %x [(9223372036854775807, 0)] over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_to_all_c1_largest(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{'comm.all_to_all' op concat (9223372036854775807) is not a dimension of an operand of rank 2}}
  %0 = comm.all_to_all %x split 0 concat 9223372036854775807 over @mesh["tp"] : tensor<4x4xf32>
  return
}
