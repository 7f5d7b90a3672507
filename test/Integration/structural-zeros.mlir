// Cotangents that are zero on all ranks cost no collective; those that are zero on
// some ranks only are communicated by all.

// RUN: comm-opt %s -comm-differentiate=functions=unused_message,chain,other_root,nobody,nobody_receives,some_ranks | %list-collectives | FileCheck %s
// RUN: comm-opt %s -comm-differentiate=functions=loss_only,subset | %list-collectives | FileCheck %s --check-prefix=ASKED
// RUN: comm-run %s --function=unused_message --check-grad
// RUN: comm-run %s --function=chain --check-grad
// RUN: comm-run %s --function=other_root --check-grad
// RUN: comm-run %s --function=nobody --check-grad
// RUN: comm-run %s --function=nobody_receives --check-grad
// RUN: comm-run %s --function=some_ranks --check-grad
// RUN: comm-run %s --function=some_ranks --grad --input=x=rank --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 \
// RUN:   --expect=y@0=0 --expect=y@1=0 --expect=y@2=1 --expect=grad.x@0=0 --expect=grad.x@1=100 --expect=grad.x@2=0
// RUN: comm-run %s --function=loss_only --input=x@0=1 --input=x@1=2 --input=x@2=3 --expect=dx@0=2 --expect=dx@1=4 --expect=dx@2=6
// RUN: comm-run %s --function=subset --input=x@0=1 --input=x@1=2 --input=x@2=3 --input=dy@0=1 --input=dy@1=2 --input=dy@2=3 --expect=dw@0=2 --expect=dw@1=4 --expect=dw@2=6

comm.mesh @mesh [tp = 3]
#tp = #comm.axes<@mesh["tp"]>

// Nothing reads the message: nothing is sent back.
// CHECK-LABEL: func.func private @unused_message_bwd
// CHECK-NEXT:  func.func
func.func @unused_message(%x: tensor<1xf32>) -> tensor<1xf32> {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<1xf32> -> !comm.message<tensor<1xf32>>
  %r = comm.recv %m : !comm.message<tensor<1xf32>> -> tensor<1xf32>
  %y = arith.mulf %x, %x : tensor<1xf32>
  return %y : tensor<1xf32>
}

// A chain over a root, and back: one reduce and no more.
// CHECK-LABEL: func.func private @chain_bwd
// CHECK-NEXT:  comm.reduce
// CHECK-NEXT:  func.func
func.func @chain(%x: tensor<1xf32>) -> tensor<1xf32> {
  %b = comm.broadcast %x root 1 over @mesh["tp"] : tensor<1xf32>
  %m = comm.root_mask %b root 2 over @mesh["tp"] : tensor<1xf32>
  %c = comm.broadcast %m root 2 over @mesh["tp"] : tensor<1xf32>
  %y = comm.vary %c over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// From a root that holds zeros.
// CHECK-LABEL: func.func private @other_root_bwd
// CHECK-NEXT:  func.func
func.func @other_root(%x: tensor<1xf32>, %z: tensor<1xf32>) -> tensor<1xf32> {
  %b = comm.broadcast %x root 1 over @mesh["tp"] : tensor<1xf32>
  %m = comm.root_mask %b root 2 over @mesh["tp"] : tensor<1xf32>
  %c = comm.broadcast %m root 0 over @mesh["tp"] : tensor<1xf32>
  %y = arith.addf %c, %z : tensor<1xf32>
  return %y : tensor<1xf32>
}

// CHECK-LABEL: func.func private @nobody_bwd
// CHECK-NEXT:  func.func
func.func @nobody(%x: tensor<1xf32>, %z: tensor<1xf32>) -> tensor<1xf32> {
  %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<1xf32>
  %v = comm.vary %s over @mesh["tp"] : tensor<1xf32>
  %p = comm.permute %v [] over @mesh["tp"] : tensor<1xf32>
  %y = arith.addf %p, %z : tensor<1xf32>
  return %y : tensor<1xf32>
}

// Rank 1 sends what nobody has sent to it.
// CHECK-LABEL: func.func private @nobody_receives_bwd
// CHECK-NEXT:  func.func
func.func @nobody_receives(%x: tensor<1xf32>, %z: tensor<1xf32>) -> tensor<1xf32> {
  %p = comm.permute %x [(0, 2)] over @mesh["tp"] : tensor<1xf32>
  %q = comm.permute %p [(1, 0)] over @mesh["tp"] : tensor<1xf32>
  %y = arith.addf %q, %z : tensor<1xf32>
  return %y : tensor<1xf32>
}

// Zero off the receiver, whose rank alone has something to send back: all ranks
// run both.
// CHECK-LABEL: func.func private @some_ranks_bwd
// CHECK-NEXT:  comm.permute
// CHECK-NEXT:  func.func
func.func @some_ranks(%x: tensor<1xf32>) -> tensor<1xf32> {
  %p = comm.permute %x [(0, 0), (1, 1)] over @mesh["tp"] : tensor<1xf32>
  %y = comm.permute %p [(1, 2)] over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// The second result gets no cotangent, nor does what makes it.
func.func private @two_results(%x: tensor<1xf32>) -> (tensor<f32> {comm.replicated = #tp}, tensor<3xf32>) {
  %sq = arith.mulf %x, %x : tensor<1xf32>
  %c = tensor.collapse_shape %sq [] : tensor<1xf32> into tensor<f32>
  %loss = comm.all_reduce sum %c over @mesh["tp"] : tensor<f32>
  %g = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<1xf32> -> tensor<3xf32>
  %aux = comm.vary %g over @mesh["tp"] : tensor<3xf32>
  return %loss, %aux : tensor<f32>, tensor<3xf32>
}
// ASKED-LABEL: func.func private @two_results_bwd_of_0
// ASKED-NEXT:  func.func
func.func @loss_only(%x: tensor<1xf32>) -> tensor<1xf32> {
  %loss, %aux, %dx = comm.value_and_grad @two_results(%x) : (tensor<1xf32>) -> (tensor<f32>, tensor<3xf32>, tensor<1xf32>)
  return %dx : tensor<1xf32>
}

// x is gathered, w is not: without x's gradient nothing is scattered.
func.func private @product(%x: tensor<1xf32>, %w: tensor<1xf32>) -> (tensor<1xf32>) {
  %g = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<1xf32> -> tensor<3xf32>
  %v = comm.vary %g over @mesh["tp"] : tensor<3xf32>
  %first = tensor.extract_slice %v[1] [1] [1] : tensor<3xf32> to tensor<1xf32>
  %y = arith.mulf %first, %w : tensor<1xf32>
  return %y : tensor<1xf32>
}
// ASKED-LABEL: func.func private @product_bwd_wrt_1
// ASKED-NEXT:  func.func
func.func @subset(%x: tensor<1xf32>, %w: tensor<1xf32>, %dy: tensor<1xf32>) -> tensor<1xf32> {
  %y, %dw = comm.vjp @product(%x, %w) cotangents(%dy) wrt [1] : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  return %dw : tensor<1xf32>
}
