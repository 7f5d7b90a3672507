// What measure.cpp measures, each beside the same written by hand
// (ByHand.cu), on one rank. The collectives are kept by --keep-groups-of-one.
comm.mesh @mesh [tp = 1]

func.func @product(%x: tensor<4096x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<4096x4096xf16>
  %zeros = linalg.fill ins(%zero : f16) outs(%empty : tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  %y = linalg.matmul ins(%x, %w : tensor<4096x4096xf16>, tensor<4096x4096xf16>) outs(%zeros : tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %y : tensor<4096x4096xf16>
}

// 256 MiB read, 256 MiB written.
func.func @elementwise(%x: tensor<16384x4096xf32>) -> tensor<16384x4096xf32> {
  %two = arith.constant dense<2.0> : tensor<16384x4096xf32>
  %one = arith.constant dense<1.0> : tensor<16384x4096xf32>
  %0 = arith.mulf %x, %two : tensor<16384x4096xf32>
  %y = arith.addf %0, %one : tensor<16384x4096xf32>
  return %y : tensor<16384x4096xf32>
}

func.func @step(%x: tensor<2048x2048xf16>, %w: tensor<2048x2048xf16>, %b: tensor<2048x2048xf16>) -> tensor<2048x2048xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<2048x2048xf16>
  %zeros = linalg.fill ins(%zero : f16) outs(%empty : tensor<2048x2048xf16>) -> tensor<2048x2048xf16>
  %p = linalg.matmul ins(%x, %w : tensor<2048x2048xf16>, tensor<2048x2048xf16>) outs(%zeros : tensor<2048x2048xf16>) -> tensor<2048x2048xf16>
  %s = arith.addf %p, %b : tensor<2048x2048xf16>
  %h = math.tanh %s : tensor<2048x2048xf16>
  %y = comm.all_reduce sum %h over @mesh["tp"] : tensor<2048x2048xf16>
  return %y : tensor<2048x2048xf16>
}

// Four kernels and four calls of NCCL: what the host does for them.
func.func @small(%x: tensor<256xf32>) -> tensor<256xf32> {
  %0 = math.tanh %x : tensor<256xf32>
  %1 = comm.all_reduce sum %0 over @mesh["tp"] : tensor<256xf32>
  %2 = math.tanh %1 : tensor<256xf32>
  %3 = comm.all_reduce sum %2 over @mesh["tp"] : tensor<256xf32>
  %4 = math.tanh %3 : tensor<256xf32>
  %5 = comm.all_reduce sum %4 over @mesh["tp"] : tensor<256xf32>
  %6 = math.tanh %5 : tensor<256xf32>
  %y = comm.all_reduce sum %6 over @mesh["tp"] : tensor<256xf32>
  return %y : tensor<256xf32>
}
