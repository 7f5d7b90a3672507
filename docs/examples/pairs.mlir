// The ten forward/adjoint pairs of the table, unmarked: every result is each
// rank's own and the gradient is the literal transpose of the world's linear
// map. Look at one:
//
//   comm-opt pairs.mlir -comm-differentiate="functions=all_gather"
//   comm-run pairs.mlir --function=all_gather --grad
//
//   forward          backward
//   all_reduce       all_reduce
//   broadcast        reduce
//   reduce           broadcast
//   scatter          gather
//   gather           scatter
//   all_gather       reduce_scatter
//   reduce_scatter   all_gather
//   all_to_all       all_to_all, split and concat swapped
//   send             recv
//   recv             send

comm.mesh @mesh [tp = 3]

func.func @all_reduce(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<2xf32>
  %own = comm.vary %y over @mesh["tp"] : tensor<2xf32>
  return %own : tensor<2xf32>
}

func.func @broadcast(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = comm.broadcast %x root 1 over @mesh["tp"] : tensor<2xf32>
  %own = comm.vary %y over @mesh["tp"] : tensor<2xf32>
  return %own : tensor<2xf32>
}

// Zeros on every rank but the root.
func.func @reduce(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = comm.reduce sum %x root 1 over @mesh["tp"] : tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @scatter(%x: tensor<3xf32>) -> tensor<1xf32> {
  %y = comm.scatter %x dim 0 root 1 over @mesh["tp"] : tensor<3xf32> -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// Zeros on every rank but the root.
func.func @gather(%x: tensor<1xf32>) -> tensor<3xf32> {
  %y = comm.gather %x dim 0 root 1 over @mesh["tp"] : tensor<1xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}

func.func @all_gather(%x: tensor<1xf32>) -> tensor<3xf32> {
  %y = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<1xf32> -> tensor<3xf32>
  %own = comm.vary %y over @mesh["tp"] : tensor<3xf32>
  return %own : tensor<3xf32>
}

func.func @reduce_scatter(%x: tensor<3xf32>) -> tensor<1xf32> {
  %y = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<3xf32> -> tensor<1xf32>
  return %y : tensor<1xf32>
}

func.func @all_to_all(%x: tensor<3x2xf32>) -> tensor<1x6xf32> {
  %y = comm.all_to_all %x split 0 concat 1 over @mesh["tp"] : tensor<3x2xf32> -> tensor<1x6xf32>
  return %y : tensor<1x6xf32>
}

// A message has two ends, and so has its adjoint: the send's is a recv, the
// recv's is a send, and the message goes the other way.
func.func @send_recv(%x: tensor<2xf32>) -> tensor<2xf32> {
  %m = comm.send %x from 0 to 2 over @mesh["tp"] : tensor<2xf32> -> !comm.message<tensor<2xf32>>
  %y = comm.recv %m : !comm.message<tensor<2xf32>> -> tensor<2xf32>
  return %y : tensor<2xf32>
}
