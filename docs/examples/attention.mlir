// Tensor-parallel attention, one head per rank: layer norm, the head's query,
// key and value (column split), softmax, the output projection (row split), one
// all_reduce. The backward holds ONE all_reduce: of the gradient of the
// normalised x, which the three projections share.
//
//   comm-run attention.mlir --function=attention --check-grad

comm.mesh @mesh [tp = 4]

#row = affine_map<(i, j) -> (i, j)>
#per_row = affine_map<(i, j) -> (i)>

// (x - mean) / sqrt(variance + eps), row by row; local, so the caller's state is
// kept only if the argument is marked.
func.func private @layer_norm(%x: tensor<3x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<3x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %width = arith.constant dense<8.0> : tensor<3xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<3xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<3x8xf32>) outs(%zero : tensor<3xf32>) dimensions = [1]
  %mean = arith.divf %sum, %width : tensor<3xf32>
  %empty = tensor.empty() : tensor<3x8xf32>
  %means = linalg.broadcast ins(%mean : tensor<3xf32>) outs(%empty : tensor<3x8xf32>) dimensions = [1]
  %centred = arith.subf %x, %means : tensor<3x8xf32>
  %squares = arith.mulf %centred, %centred : tensor<3x8xf32>
  %sum2 = linalg.reduce { arith.addf } ins(%squares : tensor<3x8xf32>) outs(%zero : tensor<3xf32>) dimensions = [1]
  %variance = arith.divf %sum2, %width : tensor<3xf32>
  %shifted = arith.addf %variance, %eps : tensor<3xf32>
  %scale = math.rsqrt %shifted : tensor<3xf32>
  %scales = linalg.broadcast ins(%scale : tensor<3xf32>) outs(%empty : tensor<3x8xf32>) dimensions = [1]
  %y = arith.mulf %centred, %scales : tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// exp(s - max) / sum, row by row; local to a head.
func.func private @softmax(%s: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %lowest = arith.constant dense<0xFF800000> : tensor<3xf32>
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %max = linalg.reduce { arith.maximumf } ins(%s : tensor<3x3xf32>) outs(%lowest : tensor<3xf32>) dimensions = [1]
  %empty = tensor.empty() : tensor<3x3xf32>
  %e = linalg.generic {indexing_maps = [#row, #per_row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%s, %max : tensor<3x3xf32>, tensor<3xf32>) outs(%empty : tensor<3x3xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %d = arith.subf %a, %m : f32
    %x = math.exp %d : f32
    linalg.yield %x : f32
  } -> tensor<3x3xf32>
  %sum = linalg.reduce { arith.addf } ins(%e : tensor<3x3xf32>) outs(%zero : tensor<3xf32>) dimensions = [1]
  %sums = linalg.broadcast ins(%sum : tensor<3xf32>) outs(%empty : tensor<3x3xf32>) dimensions = [1]
  %p = arith.divf %e, %sums : tensor<3x3xf32>
  return %p : tensor<3x3xf32>
}

// One head: softmax(q k^T / sqrt(2)) v.
func.func private @head(%x: tensor<3x8xf32>, %wq: tensor<8x2xf32>, %wk: tensor<8x2xf32>, %wv: tensor<8x2xf32>) -> tensor<3x2xf32> {
  %z = arith.constant dense<0.0> : tensor<3x2xf32>
  %q = linalg.matmul ins(%x, %wq : tensor<3x8xf32>, tensor<8x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  %k = linalg.matmul ins(%x, %wk : tensor<3x8xf32>, tensor<8x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  %v = linalg.matmul ins(%x, %wv : tensor<3x8xf32>, tensor<8x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  %empty = tensor.empty() : tensor<2x3xf32>
  %kt = linalg.transpose ins(%k : tensor<3x2xf32>) outs(%empty : tensor<2x3xf32>) permutation = [1, 0]
  %zs = arith.constant dense<0.0> : tensor<3x3xf32>
  %qk = linalg.matmul ins(%q, %kt : tensor<3x2xf32>, tensor<2x3xf32>) outs(%zs : tensor<3x3xf32>) -> tensor<3x3xf32>
  %root = arith.constant dense<1.41421356> : tensor<3x3xf32>
  %s = arith.divf %qk, %root : tensor<3x3xf32>
  %p = call @softmax(%s) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %h = linalg.matmul ins(%p, %v : tensor<3x3xf32>, tensor<3x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %h : tensor<3x2xf32>
}

func.func @attention(%x: tensor<3x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                     %wq: tensor<8x2xf32>, %wk: tensor<8x2xf32>, %wv: tensor<8x2xf32>, %wo: tensor<2x8xf32>)
    -> (tensor<3x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %n = call @layer_norm(%x) : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %h = call @head(%n, %wq, %wk, %wv) : (tensor<3x8xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
  %z = arith.constant dense<0.0> : tensor<3x8xf32>
  %o = linalg.matmul ins(%h, %wo : tensor<3x2xf32>, tensor<2x8xf32>) outs(%z : tensor<3x8xf32>) -> tensor<3x8xf32>
  %y = comm.all_reduce sum %o over @mesh["tp"] : tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

func.func @attention_from_full(%x: tensor<3x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                               %wq: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                               %wk: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                               %wv: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                               %wo: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<3x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %q = comm.all_slice %wq dim 1 over @mesh["tp"] : tensor<8x8xf32> -> tensor<8x2xf32>
  %k = comm.all_slice %wk dim 1 over @mesh["tp"] : tensor<8x8xf32> -> tensor<8x2xf32>
  %v = comm.all_slice %wv dim 1 over @mesh["tp"] : tensor<8x8xf32> -> tensor<8x2xf32>
  %o = comm.all_slice %wo dim 0 over @mesh["tp"] : tensor<8x8xf32> -> tensor<2x8xf32>
  %y = call @attention(%x, %q, %k, %v, %o) : (tensor<3x8xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<2x8xf32>) -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// The serial twin: all four heads as one batch, no collective.
func.func @attention_serial(%x: tensor<3x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                            %wq: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                            %wk: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                            %wv: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                            %wo: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<3x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %n = call @layer_norm(%x) : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %q = call @heads(%n, %wq) : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<4x3x2xf32>
  %k = call @heads(%n, %wk) : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<4x3x2xf32>
  %v = call @heads(%n, %wv) : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<4x3x2xf32>
  %et = tensor.empty() : tensor<4x2x3xf32>
  %kt = linalg.transpose ins(%k : tensor<4x3x2xf32>) outs(%et : tensor<4x2x3xf32>) permutation = [0, 2, 1]
  %zs = arith.constant dense<0.0> : tensor<4x3x3xf32>
  %qk = linalg.batch_matmul ins(%q, %kt : tensor<4x3x2xf32>, tensor<4x2x3xf32>) outs(%zs : tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
  %root = arith.constant dense<1.41421356> : tensor<4x3x3xf32>
  %s = arith.divf %qk, %root : tensor<4x3x3xf32>
  // No maximum is subtracted here: softmax does not depend on it.
  %e = math.exp %s : tensor<4x3x3xf32>
  %zr = arith.constant dense<0.0> : tensor<4x3xf32>
  %sum = linalg.reduce { arith.addf } ins(%e : tensor<4x3x3xf32>) outs(%zr : tensor<4x3xf32>) dimensions = [2]
  %es = tensor.empty() : tensor<4x3x3xf32>
  %sums = linalg.broadcast ins(%sum : tensor<4x3xf32>) outs(%es : tensor<4x3x3xf32>) dimensions = [2]
  %p = arith.divf %e, %sums : tensor<4x3x3xf32>
  %zh = arith.constant dense<0.0> : tensor<4x3x2xf32>
  %h = linalg.batch_matmul ins(%p, %v : tensor<4x3x3xf32>, tensor<4x3x2xf32>) outs(%zh : tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
  %eh = tensor.empty() : tensor<3x4x2xf32>
  %ht = linalg.transpose ins(%h : tensor<4x3x2xf32>) outs(%eh : tensor<3x4x2xf32>) permutation = [1, 0, 2]
  %hf = tensor.collapse_shape %ht [[0], [1, 2]] : tensor<3x4x2xf32> into tensor<3x8xf32>
  %zy = arith.constant dense<0.0> : tensor<3x8xf32>
  %y = linalg.matmul ins(%hf, %wo : tensor<3x8xf32>, tensor<8x8xf32>) outs(%zy : tensor<3x8xf32>) -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// x·w as [head, row, width].
func.func private @heads(%x: tensor<3x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                         %w: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<4x3x2xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %z = arith.constant dense<0.0> : tensor<3x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<3x8xf32>, tensor<8x8xf32>) outs(%z : tensor<3x8xf32>) -> tensor<3x8xf32>
  %r = tensor.expand_shape %p [[0], [1, 2]] output_shape [3, 4, 2] : tensor<3x8xf32> into tensor<3x4x2xf32>
  %e = tensor.empty() : tensor<4x3x2xf32>
  %t = linalg.transpose ins(%r : tensor<3x4x2xf32>) outs(%e : tensor<4x3x2xf32>) permutation = [1, 0, 2]
  return %t : tensor<4x3x2xf32>
}
