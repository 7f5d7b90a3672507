// RUN: comm-opt %s --split-input-file --verify-diagnostics
// The constraints of the collectives that reduce.
// One test for each label; its name begins with the label.

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
func.func @all_reduce_c2_i1(%x: tensor<4xi1>) {
  // expected-error @+1 {{'comm.all_reduce' op reduction 'avg' needs a float element type, got 'i1'}}
  %0 = comm.all_reduce avg %x over @mesh["tp"] : tensor<4xi1>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_signed(%x: tensor<4xsi32>) {
  // expected-error @+1 {{'comm.all_reduce' op operand #0 must be ranked tensor or memref of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got 'tensor<4xsi32>'}}
  %0 = comm.all_reduce max %x over @mesh["tp"] : tensor<4xsi32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_index_memref(%x: memref<4xindex>) {
  // expected-error @+1 {{'comm.all_reduce' op operand #0 must be ranked tensor or memref of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got 'memref<4xindex>'}}
  comm.all_reduce max %x over @mesh["tp"] : memref<4xindex>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_unranked_memref(%x: memref<*xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op operand #0 must be ranked tensor or memref of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got 'memref<*xf32>'}}
  comm.all_reduce max %x over @mesh["tp"] : memref<*xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_vector(%x: vector<4xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op operand #0 must be ranked tensor or memref of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, but got 'vector<4xf32>'}}
  %0 = comm.all_reduce max %x over @mesh["tp"] : vector<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @all_reduce_c1_dynamic(%x: tensor<?xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op expects a result of the operand's type 'tensor<?xf32>', got 'tensor<4xf32>'}}
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<?xf32> -> tensor<4xf32>
  return
}
