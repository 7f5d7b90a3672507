// V48: tensors without elements go through every collective and its adjoint.

// RUN: comm-run %s --grad --expect=ar=[[],[]] --expect=grad.x=[[],[]] | FileCheck %s
// CHECK: ar: 2x0xf32
// CHECK-NEXT: ranks 0..2: {{\[\[\], \[\]\]}}
// CHECK: grad.x: 2x0xf32
// CHECK-NEXT: ranks 0..2: {{\[\[\], \[\]\]}}

comm.mesh @mesh [tp = 3]

func.func @main(%x: tensor<2x0xf32>, %z: tensor<2x0xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<2x0xf32>, tensor<2x0xf32>, tensor<2x0xf32>, tensor<2x0xf32>, tensor<6x0xf32>,
        tensor<2x0xf32>, tensor<2x0xf32>, tensor<2x0xf32>, tensor<2x0xf32>, tensor<2x0xf32>,
        tensor<2x0xf32>, tensor<2x0xf32>, tensor<2x0xf32>, tensor<2x0xf32>) {
  %ar = comm.all_reduce sum %x over @mesh["tp"] : tensor<2x0xf32>
  %mx = comm.all_reduce max %x over @mesh["tp"] : tensor<2x0xf32>
  %pr = comm.all_reduce prod %x over @mesh["tp"] : tensor<2x0xf32>
  %av = comm.all_reduce avg %x over @mesh["tp"] : tensor<2x0xf32>
  %ag = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<2x0xf32> -> tensor<6x0xf32>
  %rs = comm.reduce_scatter sum %x dim 1 over @mesh["tp"] : tensor<2x0xf32> -> tensor<2x0xf32>
  %a2 = comm.all_to_all %x split 1 concat 1 over @mesh["tp"] : tensor<2x0xf32> -> tensor<2x0xf32>
  %pm = comm.permute %x [(0, 1), (1, 2)] over @mesh["tp"] : tensor<2x0xf32>
  %bc = comm.broadcast %x root 1 over @mesh["tp"] : tensor<2x0xf32>
  %rd = comm.reduce sum %x root 1 over @mesh["tp"] : tensor<2x0xf32>
  %ga = comm.gather %x dim 1 root 1 over @mesh["tp"] : tensor<2x0xf32> -> tensor<2x0xf32>
  %sc = comm.scatter %x dim 1 root 1 over @mesh["tp"] : tensor<2x0xf32> -> tensor<2x0xf32>
  %sl = comm.all_slice %z dim 1 over @mesh["tp"] : tensor<2x0xf32> -> tensor<2x0xf32>
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<2x0xf32> -> !comm.message<tensor<2x0xf32>>
  %sr = comm.recv %m : !comm.message<tensor<2x0xf32>> -> tensor<2x0xf32>
  return %ar, %mx, %pr, %av, %ag, %rs, %a2, %pm, %bc, %rd, %ga, %sc, %sl, %sr
      : tensor<2x0xf32>, tensor<2x0xf32>, tensor<2x0xf32>, tensor<2x0xf32>, tensor<6x0xf32>,
        tensor<2x0xf32>, tensor<2x0xf32>, tensor<2x0xf32>, tensor<2x0xf32>, tensor<2x0xf32>,
        tensor<2x0xf32>, tensor<2x0xf32>, tensor<2x0xf32>, tensor<2x0xf32>
}
