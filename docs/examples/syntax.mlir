// Every op of the dialect once, in its custom syntax. `comm-opt syntax.mlir` reads
// it; `--mlir-print-op-generic` shows the names of the attributes.

comm.mesh @mesh [dp = 2, tp = 4]
func.func @every_op(%x: tensor<4xf32>, %w: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>}, %big: tensor<16xf32>, %x2: tensor<8x2xf32>) -> tensor<4xf32> {
  %i = comm.axis_index over @mesh["dp", "tp"] : index
  %v = comm.vary %w over @mesh["dp"] : tensor<4xf32>
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %g = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  %t = comm.all_to_all %x2 split 0 concat 1 over @mesh["tp"] : tensor<8x2xf32> -> tensor<2x8xf32>
  %b = comm.broadcast %x root 1 over @mesh["tp"] : tensor<4xf32>
  %p = comm.permute %x [(0, 1), (1, 2)] over @mesh["tp"] : tensor<4xf32>
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %s = comm.all_slice %big dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %rm = comm.root_mask %x root 1 over @mesh["tp"] : tensor<4xf32>
  %rs = comm.reduce_scatter sum %big dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %rd = comm.reduce avg %x root 2 over @mesh["tp", "dp"] : tensor<4xf32>
  %ga = comm.gather %x dim 0 root 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  %sc = comm.scatter %big dim 0 root 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %st = comm.stop_gradient %x : tensor<4xf32>
  comm.barrier over @mesh["dp"]
  return %y : tensor<4xf32>
}

// On memrefs an op writes into a destination, or in place without one.
func.func @memrefs(%in: memref<4xf32>, %out: memref<4xf32>, %o16: memref<16xf32>) {
  comm.all_reduce sum %in into %out over @mesh["tp"] : memref<4xf32>
  comm.all_reduce sum %in over @mesh["tp"] : memref<4xf32>
  comm.all_gather %in into %o16 dim 0 over @mesh["tp"] : memref<4xf32> -> memref<16xf32>
  %m = comm.send %in from 0 to 1 over @mesh["tp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  comm.recv %m into %out : !comm.message<tensor<4xf32>> -> memref<4xf32>
  return
}

func.func @loss(%x: tensor<4xf32>, %labels: tensor<4xi32>) -> (tensor<f32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}, tensor<4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %own = linalg.dot ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %loss = comm.all_reduce avg %own over @mesh["dp", "tp"] : tensor<f32>
  return %loss, %x : tensor<f32>, tensor<4xf32>
}

// Derivatives from inside a program. Cotangents stand for the float results,
// tangents for the float arguments; `wrt` names float arguments by position.
func.func @derivatives(%x: tensor<4xf32>, %labels: tensor<4xi32>, %dloss: tensor<f32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}, %daux: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %l1, %aux1, %dx1 = comm.vjp @loss(%x, %labels) cotangents(%dloss, %daux) wrt [0]
      : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  %l2, %aux2, %dx2 = comm.value_and_grad @loss(%x, %labels) wrt [0]
      : (tensor<4xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  %l3, %aux3, %tl, %taux = comm.jvp @loss(%x, %labels) tangents(%daux) wrt [0]
      : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>)
  return %dx1, %dx2 : tensor<4xf32>, tensor<4xf32>
}
