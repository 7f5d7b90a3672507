// RUN: comm-opt %s --comm-to-host | FileCheck %s --implicit-check-not="@comm{{(All[^o]|Axis|B|C|G|P|Reduce|Se|Sc)}}"

// V34: on one rank no runtime call is left but those that allocate results and read
// the status.

comm.mesh @mesh [tp = 1]

// CHECK: llvm.func @commStatus
// CHECK: llvm.func @f
// CHECK: llvm.call @commStatus
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = comm.all_reduce avg %x over @mesh["tp"] : tensor<2x4xf32>
  %1 = comm.all_gather %0 dim 1 over @mesh["tp"] : tensor<2x4xf32> -> tensor<2x4xf32>
  %2 = comm.all_to_all %1 split 0 concat 1 over @mesh["tp"] : tensor<2x4xf32> -> tensor<2x4xf32>
  comm.barrier over @mesh["tp"]
  return %2 : tensor<2x4xf32>
}
