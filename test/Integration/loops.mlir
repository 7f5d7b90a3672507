// Control flow runs, though it is not differentiated: tensors go round a loop,
// collectives included.

// RUN: comm-run %s --input=x@0=1,2 --input=x@1=3,4 --input=x@2=5,6 --input=a=[[2,0],[0,1]] --expect=0=648,108

comm.mesh @mesh [tp = 3]

// Three times: sum over ranks of A x.
func.func @power(%a: tensor<2x2xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}, %x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> tensor<2xf32> {
    %av = linalg.matvec ins(%a, %v : tensor<2x2xf32>, tensor<2xf32>) outs(%zero : tensor<2xf32>) -> tensor<2xf32>
    %s = comm.all_reduce sum %av over @mesh["tp"] : tensor<2xf32>
    %own = comm.vary %s over @mesh["tp"] : tensor<2xf32>
    scf.yield %own : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}
