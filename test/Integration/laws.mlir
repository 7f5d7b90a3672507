// Every law keeps values and gradients: a program before and after
// comm-simplify-collectives, on six ranks with data of their own. That each law
// fires is test/Transforms/simplify-collectives*.mlir's to show.

// RUN: comm-opt %s -comm-simplify-collectives -o %t.mlir
// RUN: comm-run %s --function=slice_of_reduce --grad --seed=0=rand --output=0=@%t-slice_of_reduce-0.{rank}.npy --output=grad.0=@%t-slice_of_reduce-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=slice_of_reduce --grad --seed=0=rand --expect=0=@%t-slice_of_reduce-0.{rank}.npy --expect=grad.0=@%t-slice_of_reduce-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=slice_of_reduce --check-grad
// RUN: comm-run %s --function=mask_of_reduce --grad --seed=0=rand --output=0=@%t-mask_of_reduce-0.{rank}.npy --output=grad.0=@%t-mask_of_reduce-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=mask_of_reduce --grad --seed=0=rand --expect=0=@%t-mask_of_reduce-0.{rank}.npy --expect=grad.0=@%t-mask_of_reduce-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=mask_of_reduce --check-grad
// RUN: comm-run %s --function=reduce_of_vary --grad --seed=0=rand --output=0=@%t-reduce_of_vary-0.{rank}.npy --output=grad.0=@%t-reduce_of_vary-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=reduce_of_vary --grad --seed=0=rand --expect=0=@%t-reduce_of_vary-0.{rank}.npy --expect=grad.0=@%t-reduce_of_vary-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=reduce_of_vary --check-grad
// RUN: comm-run %s --function=reduce_of_reduce --grad --seed=0=rand --output=0=@%t-reduce_of_reduce-0.{rank}.npy --output=grad.0=@%t-reduce_of_reduce-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=reduce_of_reduce --grad --seed=0=rand --expect=0=@%t-reduce_of_reduce-0.{rank}.npy --expect=grad.0=@%t-reduce_of_reduce-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=reduce_of_reduce --check-grad
// RUN: comm-run %s --function=vary_of_vary --grad --seed=0=rand --output=0=@%t-vary_of_vary-0.{rank}.npy --output=grad.0=@%t-vary_of_vary-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=vary_of_vary --grad --seed=0=rand --expect=0=@%t-vary_of_vary-0.{rank}.npy --expect=grad.0=@%t-vary_of_vary-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=vary_of_vary --check-grad
// RUN: comm-run %s --function=sum_of_reduces --grad --seed=0=rand --output=0=@%t-sum_of_reduces-0.{rank}.npy --output=grad.0=@%t-sum_of_reduces-grad.x.{rank}.npy --output=grad.1=@%t-sum_of_reduces-grad.z.{rank}.npy
// RUN: comm-run %t.mlir --function=sum_of_reduces --grad --seed=0=rand --expect=0=@%t-sum_of_reduces-0.{rank}.npy --expect=grad.0=@%t-sum_of_reduces-grad.x.{rank}.npy --expect=grad.1=@%t-sum_of_reduces-grad.z.{rank}.npy
// RUN: comm-run %t.mlir --function=sum_of_reduces --check-grad
// RUN: comm-run %s --function=sum_of_rearranged --grad --seed=0=rand --output=0=@%t-sum_of_rearranged-0.{rank}.npy --output=grad.0=@%t-sum_of_rearranged-grad.x.{rank}.npy --output=grad.1=@%t-sum_of_rearranged-grad.z.{rank}.npy
// RUN: comm-run %t.mlir --function=sum_of_rearranged --grad --seed=0=rand --expect=0=@%t-sum_of_rearranged-0.{rank}.npy --expect=grad.0=@%t-sum_of_rearranged-grad.x.{rank}.npy --expect=grad.1=@%t-sum_of_rearranged-grad.z.{rank}.npy
// RUN: comm-run %t.mlir --function=sum_of_rearranged --check-grad
// RUN: comm-run %s --function=scaled --grad --seed=0=rand --output=0=@%t-scaled-0.{rank}.npy --output=grad.0=@%t-scaled-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=scaled --grad --seed=0=rand --expect=0=@%t-scaled-0.{rank}.npy --expect=grad.0=@%t-scaled-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=scaled --check-grad
// RUN: comm-run %s --function=slice_of_gather --grad --seed=0=rand --output=0=@%t-slice_of_gather-0.{rank}.npy --output=grad.0=@%t-slice_of_gather-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=slice_of_gather --grad --seed=0=rand --expect=0=@%t-slice_of_gather-0.{rank}.npy --expect=grad.0=@%t-slice_of_gather-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=slice_of_gather --check-grad
// RUN: comm-run %s --function=slice_of_gather_elsewhere --grad --seed=0=rand --output=0=@%t-slice_of_gather_elsewhere-0.{rank}.npy --output=grad.0=@%t-slice_of_gather_elsewhere-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=slice_of_gather_elsewhere --grad --seed=0=rand --expect=0=@%t-slice_of_gather_elsewhere-0.{rank}.npy --expect=grad.0=@%t-slice_of_gather_elsewhere-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=slice_of_gather_elsewhere --check-grad
// RUN: comm-run %s --function=gather_of_slice --grad --seed=0=rand --output=0=@%t-gather_of_slice-0.{rank}.npy --output=grad.0=@%t-gather_of_slice-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=gather_of_slice --grad --seed=0=rand --expect=0=@%t-gather_of_slice-0.{rank}.npy --expect=grad.0=@%t-gather_of_slice-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=gather_of_slice --check-grad
// RUN: comm-run %s --function=gather_of_reduce_scatter --grad --seed=0=rand --output=0=@%t-gather_of_reduce_scatter-0.{rank}.npy --output=grad.0=@%t-gather_of_reduce_scatter-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=gather_of_reduce_scatter --grad --seed=0=rand --expect=0=@%t-gather_of_reduce_scatter-0.{rank}.npy --expect=grad.0=@%t-gather_of_reduce_scatter-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=gather_of_reduce_scatter --check-grad
// RUN: comm-run %s --function=scatter_of_gather --grad --seed=0=rand --output=0=@%t-scatter_of_gather-0.{rank}.npy --output=grad.0=@%t-scatter_of_gather-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=scatter_of_gather --grad --seed=0=rand --expect=0=@%t-scatter_of_gather-0.{rank}.npy --expect=grad.0=@%t-scatter_of_gather-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=scatter_of_gather --check-grad
// RUN: comm-run %s --function=broadcast_of_reduce --grad --seed=0=rand --output=0=@%t-broadcast_of_reduce-0.{rank}.npy --output=grad.0=@%t-broadcast_of_reduce-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=broadcast_of_reduce --grad --seed=0=rand --expect=0=@%t-broadcast_of_reduce-0.{rank}.npy --expect=grad.0=@%t-broadcast_of_reduce-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=broadcast_of_reduce --check-grad
// RUN: comm-run %s --function=broadcast_of_mask --grad --seed=0=rand --output=0=@%t-broadcast_of_mask-0.{rank}.npy --output=grad.0=@%t-broadcast_of_mask-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=broadcast_of_mask --grad --seed=0=rand --expect=0=@%t-broadcast_of_mask-0.{rank}.npy --expect=grad.0=@%t-broadcast_of_mask-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=broadcast_of_mask --check-grad
// RUN: comm-run %s --function=broadcast_of_vary --grad --seed=0=rand --output=0=@%t-broadcast_of_vary-0.{rank}.npy --output=grad.0=@%t-broadcast_of_vary-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=broadcast_of_vary --grad --seed=0=rand --expect=0=@%t-broadcast_of_vary-0.{rank}.npy --expect=grad.0=@%t-broadcast_of_vary-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=broadcast_of_vary --check-grad
// RUN: comm-run %s --function=reduce_of_mask --grad --seed=0=rand --output=0=@%t-reduce_of_mask-0.{rank}.npy --output=grad.0=@%t-reduce_of_mask-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=reduce_of_mask --grad --seed=0=rand --expect=0=@%t-reduce_of_mask-0.{rank}.npy --expect=grad.0=@%t-reduce_of_mask-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=reduce_of_mask --check-grad
// RUN: comm-run %s --function=scatter_of_vary --grad --seed=0=rand --output=0=@%t-scatter_of_vary-0.{rank}.npy --output=grad.0=@%t-scatter_of_vary-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=scatter_of_vary --grad --seed=0=rand --expect=0=@%t-scatter_of_vary-0.{rank}.npy --expect=grad.0=@%t-scatter_of_vary-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=scatter_of_vary --check-grad
// RUN: comm-run %s --function=reduce_scatter_of_vary --grad --seed=0=rand --output=0=@%t-reduce_scatter_of_vary-0.{rank}.npy --output=grad.0=@%t-reduce_scatter_of_vary-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=reduce_scatter_of_vary --grad --seed=0=rand --expect=0=@%t-reduce_scatter_of_vary-0.{rank}.npy --expect=grad.0=@%t-reduce_scatter_of_vary-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=reduce_scatter_of_vary --check-grad
// RUN: comm-run %s --function=rooted_reduce_of_vary --grad --seed=0=rand --output=0=@%t-rooted_reduce_of_vary-0.{rank}.npy --output=grad.0=@%t-rooted_reduce_of_vary-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=rooted_reduce_of_vary --grad --seed=0=rand --expect=0=@%t-rooted_reduce_of_vary-0.{rank}.npy --expect=grad.0=@%t-rooted_reduce_of_vary-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=rooted_reduce_of_vary --check-grad
// RUN: comm-run %s --function=mask_of_gather --grad --seed=0=rand --output=0=@%t-mask_of_gather-0.{rank}.npy --output=grad.0=@%t-mask_of_gather-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=mask_of_gather --grad --seed=0=rand --expect=0=@%t-mask_of_gather-0.{rank}.npy --expect=grad.0=@%t-mask_of_gather-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=mask_of_gather --check-grad
// RUN: comm-run %s --function=slice_of_broadcast --grad --seed=0=rand --output=0=@%t-slice_of_broadcast-0.{rank}.npy --output=grad.0=@%t-slice_of_broadcast-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=slice_of_broadcast --grad --seed=0=rand --expect=0=@%t-slice_of_broadcast-0.{rank}.npy --expect=grad.0=@%t-slice_of_broadcast-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=slice_of_broadcast --check-grad
// RUN: comm-run %s --function=permute_of_permute --grad --seed=0=rand --output=0=@%t-permute_of_permute-0.{rank}.npy --output=grad.0=@%t-permute_of_permute-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=permute_of_permute --grad --seed=0=rand --expect=0=@%t-permute_of_permute-0.{rank}.npy --expect=grad.0=@%t-permute_of_permute-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=permute_of_permute --check-grad
// RUN: comm-run %s --function=all_to_all_of_swap --grad --seed=0=rand --output=0=@%t-all_to_all_of_swap-0.{rank}.npy --output=grad.0=@%t-all_to_all_of_swap-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=all_to_all_of_swap --grad --seed=0=rand --expect=0=@%t-all_to_all_of_swap-0.{rank}.npy --expect=grad.0=@%t-all_to_all_of_swap-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=all_to_all_of_swap --check-grad
// RUN: comm-run %s --function=slice_of_elementwise --grad --seed=0=rand --output=0=@%t-slice_of_elementwise-0.{rank}.npy --output=grad.0=@%t-slice_of_elementwise-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=slice_of_elementwise --grad --seed=0=rand --expect=0=@%t-slice_of_elementwise-0.{rank}.npy --expect=grad.0=@%t-slice_of_elementwise-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=slice_of_elementwise --check-grad
// RUN: comm-run %s --function=sum_of_reduced --grad --seed=0=rand --output=0=@%t-sum_of_reduced-0.{rank}.npy --output=grad.0=@%t-sum_of_reduced-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=sum_of_reduced --grad --seed=0=rand --expect=0=@%t-sum_of_reduced-0.{rank}.npy --expect=grad.0=@%t-sum_of_reduced-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=sum_of_reduced --check-grad
// RUN: comm-run %s --function=one_rank --grad --seed=0=rand --output=0=@%t-one_rank-0.{rank}.npy --output=grad.0=@%t-one_rank-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=one_rank --grad --seed=0=rand --expect=0=@%t-one_rank-0.{rank}.npy --expect=grad.0=@%t-one_rank-grad.x.{rank}.npy
// RUN: comm-run %t.mlir --function=one_rank --check-grad

comm.mesh @mesh [a = 2, b = 3, c = 1]

// all_slice of all_reduce = all_reduce of reduce_scatter
func.func @slice_of_reduce(%x: tensor<6x6xf32>) -> tensor<6x2xf32> {
  %0 = comm.all_reduce sum %x over @mesh["a", "b"] : tensor<6x6xf32>
  %y = comm.all_slice %0 dim 1 over @mesh["b"] : tensor<6x6xf32> -> tensor<6x2xf32>
  return %y : tensor<6x2xf32>
}

// root_mask of all_reduce = reduce
func.func @mask_of_reduce(%x: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %0 = comm.all_reduce sum %x over @mesh["b"] : tensor<6x6xf32>
  %y = comm.root_mask %0 root 1 over @mesh["b"] : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// all_reduce over A of vary over B = n times all_reduce over A-B
func.func @reduce_of_vary(%x: tensor<6x6xf32> {comm.replicated = #comm.axes<@mesh["b"]>}) -> tensor<6x6xf32> {
  %0 = comm.vary %x over @mesh["b"] : tensor<6x6xf32>
  %y = comm.all_reduce sum %0 over @mesh["a", "b"] : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// all_reduce of all_reduce = all_reduce over both
func.func @reduce_of_reduce(%x: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %0 = comm.all_reduce avg %x over @mesh["b"] : tensor<6x6xf32>
  %y = comm.all_reduce avg %0 over @mesh["a"] : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// vary of vary = vary over both
func.func @vary_of_vary(%x: tensor<6x6xf32> {comm.replicated = #comm.axes<@mesh["a", "b"]>}) -> tensor<6x6xf32> {
  %0 = comm.vary %x over @mesh["b"] : tensor<6x6xf32>
  %y = comm.vary %0 over @mesh["a"] : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// all_reduce x + all_reduce z = all_reduce (x + z)
func.func @sum_of_reduces(%x: tensor<6x6xf32>, %z: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %0 = comm.all_reduce sum %x over @mesh["a"] : tensor<6x6xf32>
  %1 = comm.all_reduce sum %z over @mesh["a"] : tensor<6x6xf32>
  %y = arith.addf %0, %1 : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// T(all_reduce x) + all_reduce z = all_reduce (T x + z)
func.func @sum_of_rearranged(%x: tensor<6x6xf32>, %z: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %0 = comm.all_reduce sum %x over @mesh["a"] : tensor<6x6xf32>
  %1 = comm.all_reduce sum %z over @mesh["a"] : tensor<6x6xf32>
  %e = tensor.empty() : tensor<6x6xf32>
  %t = linalg.transpose ins(%0 : tensor<6x6xf32>) outs(%e : tensor<6x6xf32>) permutation = [1, 0]
  %y = arith.addf %t, %1 : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// all_reduce (c x) = c all_reduce x
func.func @scaled(%x: tensor<6x6xf32> {comm.replicated = #comm.axes<@mesh["b"]>}) -> tensor<6x6xf32> {
  %c = arith.constant dense<3.0> : tensor<6x6xf32>
  %0 = comm.vary %x over @mesh["b"] : tensor<6x6xf32>
  %1 = arith.mulf %0, %c : tensor<6x6xf32>
  %y = comm.all_reduce sum %1 over @mesh["b"] : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// all_slice of all_gather = identity
func.func @slice_of_gather(%x: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %0 = comm.all_gather %x dim 0 over @mesh["b"] : tensor<6x6xf32> -> tensor<18x6xf32>
  %y = comm.all_slice %0 dim 0 over @mesh["b"] : tensor<18x6xf32> -> tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// all_slice of all_gather, different dims = all_to_all
func.func @slice_of_gather_elsewhere(%x: tensor<6x6xf32>) -> tensor<36x1xf32> {
  %0 = comm.all_gather %x dim 0 over @mesh["b", "a"] : tensor<6x6xf32> -> tensor<36x6xf32>
  %y = comm.all_slice %0 dim 1 over @mesh["b", "a"] : tensor<36x6xf32> -> tensor<36x1xf32>
  return %y : tensor<36x1xf32>
}

// all_gather of all_slice = identity
func.func @gather_of_slice(%x: tensor<6x6xf32> {comm.replicated = #comm.axes<@mesh["b"]>}) -> tensor<6x6xf32> {
  %0 = comm.all_slice %x dim 1 over @mesh["b"] : tensor<6x6xf32> -> tensor<6x2xf32>
  %y = comm.all_gather %0 dim 1 over @mesh["b"] : tensor<6x2xf32> -> tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// all_gather of reduce_scatter = all_reduce
func.func @gather_of_reduce_scatter(%x: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %0 = comm.reduce_scatter sum %x dim 1 over @mesh["b"] : tensor<6x6xf32> -> tensor<6x2xf32>
  %y = comm.all_gather %0 dim 1 over @mesh["b"] : tensor<6x2xf32> -> tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// scatter of gather = identity
func.func @scatter_of_gather(%x: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %0 = comm.gather %x dim 0 root 2 over @mesh["b"] : tensor<6x6xf32> -> tensor<18x6xf32>
  %y = comm.scatter %0 dim 0 root 2 over @mesh["b"] : tensor<18x6xf32> -> tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// broadcast of reduce = all_reduce
func.func @broadcast_of_reduce(%x: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %0 = comm.reduce sum %x root 2 over @mesh["b"] : tensor<6x6xf32>
  %y = comm.broadcast %0 root 2 over @mesh["b"] : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// broadcast of root_mask = identity
func.func @broadcast_of_mask(%x: tensor<6x6xf32> {comm.replicated = #comm.axes<@mesh["b"]>}) -> tensor<6x6xf32> {
  %0 = comm.root_mask %x root 1 over @mesh["b"] : tensor<6x6xf32>
  %y = comm.broadcast %0 root 1 over @mesh["b"] : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// broadcast of vary = identity
func.func @broadcast_of_vary(%x: tensor<6x6xf32> {comm.replicated = #comm.axes<@mesh["b"]>}) -> tensor<6x6xf32> {
  %0 = comm.vary %x over @mesh["b"] : tensor<6x6xf32>
  %y = comm.broadcast %0 root 1 over @mesh["b"] : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// all_reduce of root_mask = identity
func.func @reduce_of_mask(%x: tensor<6x6xf32> {comm.replicated = #comm.axes<@mesh["b"]>}) -> tensor<6x6xf32> {
  %0 = comm.root_mask %x root 2 over @mesh["b"] : tensor<6x6xf32>
  %y = comm.all_reduce sum %0 over @mesh["b"] : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// scatter of vary = all_slice
func.func @scatter_of_vary(%x: tensor<6x6xf32> {comm.replicated = #comm.axes<@mesh["b"]>}) -> tensor<2x6xf32> {
  %0 = comm.vary %x over @mesh["b"] : tensor<6x6xf32>
  %y = comm.scatter %0 dim 0 root 1 over @mesh["b"] : tensor<6x6xf32> -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// reduce_scatter of vary = n all_slice
func.func @reduce_scatter_of_vary(%x: tensor<6x6xf32> {comm.replicated = #comm.axes<@mesh["b"]>}) -> tensor<2x6xf32> {
  %0 = comm.vary %x over @mesh["b"] : tensor<6x6xf32>
  %y = comm.reduce_scatter sum %0 dim 0 over @mesh["b"] : tensor<6x6xf32> -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// reduce of vary = n root_mask
func.func @rooted_reduce_of_vary(%x: tensor<6x6xf32> {comm.replicated = #comm.axes<@mesh["b"]>}) -> tensor<6x6xf32> {
  %0 = comm.vary %x over @mesh["b"] : tensor<6x6xf32>
  %y = comm.reduce sum %0 root 1 over @mesh["b"] : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// root_mask of all_gather = gather
func.func @mask_of_gather(%x: tensor<6x6xf32>) -> tensor<6x18xf32> {
  %0 = comm.all_gather %x dim 1 over @mesh["b"] : tensor<6x6xf32> -> tensor<6x18xf32>
  %y = comm.root_mask %0 root 2 over @mesh["b"] : tensor<6x18xf32>
  return %y : tensor<6x18xf32>
}

// all_slice of broadcast = scatter
func.func @slice_of_broadcast(%x: tensor<6x6xf32>) -> tensor<2x6xf32> {
  %0 = comm.broadcast %x root 1 over @mesh["b"] : tensor<6x6xf32>
  %y = comm.all_slice %0 dim 0 over @mesh["b"] : tensor<6x6xf32> -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// permute of permute = the composed permute
func.func @permute_of_permute(%x: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %0 = comm.permute %x [(0, 1), (1, 2)] over @mesh["b"] : tensor<6x6xf32>
  %y = comm.permute %0 [(1, 0), (2, 2)] over @mesh["b"] : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// all_to_all of its swap = identity
func.func @all_to_all_of_swap(%x: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %0 = comm.all_to_all %x split 0 concat 1 over @mesh["b"] : tensor<6x6xf32> -> tensor<2x18xf32>
  %y = comm.all_to_all %0 split 1 concat 0 over @mesh["b"] : tensor<2x18xf32> -> tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}

// all_slice commutes with elementwise ops
func.func @slice_of_elementwise(%x: tensor<6x6xf32>) -> tensor<2x6xf32> {
  %c = arith.constant dense<3.0> : tensor<6x6xf32>
  %0 = comm.all_reduce sum %x over @mesh["b"] : tensor<6x6xf32>
  %1 = arith.mulf %0, %c : tensor<6x6xf32>
  %y = comm.all_slice %1 dim 0 over @mesh["b"] : tensor<6x6xf32> -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// a local sum of all_reduce = all_reduce of the local sum
func.func @sum_of_reduced(%x: tensor<6x6xf32>) -> tensor<6xf32> {
  %zero = arith.constant dense<0.0> : tensor<6xf32>
  %0 = comm.all_reduce sum %x over @mesh["a"] : tensor<6x6xf32>
  %y = linalg.reduce { arith.addf } ins(%0 : tensor<6x6xf32>) outs(%zero : tensor<6xf32>) dimensions = [0]
  return %y : tensor<6xf32>
}

// over a group of one rank every op is the identity
func.func @one_rank(%x: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %0 = comm.all_gather %x dim 0 over @mesh["c"] : tensor<6x6xf32>
  %1 = comm.reduce sum %0 root 0 over @mesh["c"] : tensor<6x6xf32>
  %y = comm.all_reduce sum %1 over @mesh["c", "a"] : tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}
