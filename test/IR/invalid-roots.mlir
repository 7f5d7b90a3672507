// RUN: comm-opt %s --split-input-file --verify-diagnostics
// The constraints of the collectives with a root.
// One test for each label; its name begins with the label.

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
func.func @broadcast_c1_smallest(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.broadcast' op root (-9223372036854775808) is not a rank of a group of 4 over axes ["tp"]}}
  %0 = comm.broadcast %x root -9223372036854775808 over @mesh["tp"] : tensor<4xf32>
  return
}
