// V34: on one rank every collective is the identity or local, and no call of the
// runtime that moves data is left.

// RUN: comm-run %s --input=x=3,5 --input=z=7,8 --grad --expect=ar=3,5 --expect=av=3,5 --expect=ag=3,5 --expect=rs=3,5 \
// RUN:   --expect=a2=3,5 --expect=bc=3,5 --expect=rd=3,5 --expect=ga=3,5 --expect=sc=3,5 --expect=pm=3,5 --expect=none=0,0 \
// RUN:   --expect=sl=7,8 --expect=mk=7,8 --expect=grad.x=10,10 --expect=grad.z=2,2
// RUN: comm-opt %s -comm-differentiate -comm-simplify-collectives -comm-to-host \
// RUN:   | FileCheck %s --implicit-check-not="@comm{{AllG|AllR|AllT|Reduce|Broadcast|Gather|Scatter|Permute|Send|Recv}}"
// CHECK: llvm.func @main

comm.mesh @mesh [tp = 1]

func.func @main(%x: tensor<2xf32>, %z: tensor<2xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
        tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
        tensor<2xf32>) {
  %ar = comm.all_reduce sum %x over @mesh["tp"] : tensor<2xf32>
  %av = comm.all_reduce avg %x over @mesh["tp"] : tensor<2xf32>
  %ag = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<2xf32> -> tensor<2xf32>
  %rs = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<2xf32> -> tensor<2xf32>
  %a2 = comm.all_to_all %x split 0 concat 0 over @mesh["tp"] : tensor<2xf32> -> tensor<2xf32>
  %pm = comm.permute %x [(0, 0)] over @mesh["tp"] : tensor<2xf32>
  %none = comm.permute %x [] over @mesh["tp"] : tensor<2xf32>
  %bc = comm.broadcast %x root 0 over @mesh["tp"] : tensor<2xf32>
  %rd = comm.reduce sum %x root 0 over @mesh["tp"] : tensor<2xf32>
  %ga = comm.gather %x dim 0 root 0 over @mesh["tp"] : tensor<2xf32> -> tensor<2xf32>
  %sc = comm.scatter %x dim 0 root 0 over @mesh["tp"] : tensor<2xf32> -> tensor<2xf32>
  %sl = comm.all_slice %z dim 0 over @mesh["tp"] : tensor<2xf32> -> tensor<2xf32>
  %mk = comm.root_mask %z root 0 over @mesh["tp"] : tensor<2xf32>
  return %ar, %av, %ag, %rs, %a2, %pm, %none, %bc, %rd, %ga, %sc, %sl, %mk
      : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
        tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
        tensor<2xf32>
}
