// REQUIRES: cuda-double

// What has been computed wrongly once, or not at all.

// Windows are indexed by sums of loops.
// RUN: %on-double comm-run %s --function=convolution --input=x=[[1,2,3,4],[5,6,7,8],[9,10,11,12]] --input=w=[[1,2],[3,4]] --expect=0=[[44,54,64],[84,94,104]] --backend=cuda-local
func.func @convolution(%x: tensor<3x4xf32>, %w: tensor<2x2xf32>) -> tensor<2x3xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x3xf32>
  %y = linalg.conv_2d ins(%x, %w : tensor<3x4xf32>, tensor<2x2xf32>) outs(%zero : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// RUN: %on-double comm-run %s --function=pooling --input=x=[[[[1,2,3,4],[5,6,7,8],[9,10,11,12],[13,14,15,16]]]] --expect=0=[[[[6,8],[14,16]]]] --backend=cuda-local
func.func @pooling(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32> {
  %window = tensor.empty() : tensor<2x2xf32>
  %least = arith.constant dense<0xFF800000> : tensor<1x1x2x2xf32>
  %y = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
    ins(%x, %window : tensor<1x1x4x4xf32>, tensor<2x2xf32>) outs(%least : tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %y : tensor<1x1x2x2xf32>
}

// A number of indices that changes none of them: upstream's has no width.
// RUN: %on-double comm-run %s --function=indices --input=x=-1,-5,-3,-7 --input=of=-100 --expect=0=-1 --backend=cuda-local
func.func @indices(%x: tensor<4xi64>, %of: tensor<i64>) -> tensor<i64> {
  %i = arith.index_cast %x : tensor<4xi64> to tensor<4xindex>
  %least = arith.index_cast %of : tensor<i64> to tensor<index>
  %most = linalg.reduce { arith.maxsi } ins(%i : tensor<4xindex>) outs(%least : tensor<index>) dimensions = [0]
  %y = arith.index_cast %most : tensor<index> to tensor<i64>
  return %y : tensor<i64>
}

// A constant without elements has the address of the next one.
// RUN: %on-double comm-run %s --function=nothing --input=x=1 --expect=0=2,3,4,5 --backend=cuda-local
func.func @nothing(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x0xf32>) {
  %none = arith.constant dense<> : tensor<2x0xf32>
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = arith.addf %x, %c : tensor<4xf32>
  return %y, %none : tensor<4xf32>, tensor<2x0xf32>
}

// A batch whose results lie between one another.
// RUN: %on-double comm-run %s --function=between --input=a=[[[1,2],[3,4]],[[5,6],[7,8]]] --input=b=[[[1,10],[100,1000]],[[1,0],[0,1]]] --expect=0=[[[201,2010],[5,6]],[[403,4030],[7,8]]] --backend=cuda-local
func.func @between(%a: tensor<2x2x2xf32>, %b: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x2x2xf32>
  %y = linalg.contract indexing_maps = [affine_map<(n, i, j, k) -> (n, i, k)>, affine_map<(n, i, j, k) -> (n, k, j)>, affine_map<(n, i, j, k) -> (i, n, j)>]
    ins(%a, %b : tensor<2x2x2xf32>, tensor<2x2x2xf32>) outs(%zero : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  return %y : tensor<2x2x2xf32>
}

// A device that never comes to its end.
// RUN: %exits 4 %on-double COMM_DOUBLE_FAIL='cudaMemcpyAsync:4=never' comm-run %s --function=gather --timeout=2 --backend=cuda-local 2>&1 | FileCheck %s
// CHECK: comm-run: error: rank {{[01]}}: timeout: the device has not done in 2000 ms what it was given, computing after comm.all_gather at {{.*}}gpu-faults.mlir:[[@LINE+3]]
comm.mesh @mesh [dp = 2]
func.func @gather(%x: tensor<4xf32>) -> tensor<8xf32> {
  %g = comm.all_gather %x dim 0 over @mesh["dp"] : tensor<4xf32> -> tensor<8xf32>
  %y = comm.vary %g over @mesh["dp"] : tensor<8xf32>
  return %y : tensor<8xf32>
}
