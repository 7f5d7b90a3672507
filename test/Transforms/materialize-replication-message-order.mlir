// RUN: comm-opt %s --comm-materialize-replication | FileCheck %s

comm.mesh @mesh [tp = 3]

// A change of state between the ends of a message is an all_reduce in the
// backward, which a rank would wait in before it sends: the message is taken at
// once.
// CHECK-LABEL: func.func @between(
// CHECK-NEXT:    %[[M:.*]] = comm.send
// CHECK-NEXT:    %[[R:.*]] = comm.recv %[[M]]
// CHECK-NEXT:    comm.vary
func.func @between(%x: tensor<4xf32>, %w: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xf32> {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %v = comm.vary %w over @mesh["tp"] : tensor<4xf32>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %a = arith.mulf %r, %v : tensor<4xf32>
  return %a : tensor<4xf32>
}

// So it is where the change of state is inserted.
// CHECK-LABEL: func.func @inserted(
// CHECK-NEXT:    %[[M:.*]] = comm.send
// CHECK-NEXT:    %[[R:.*]] = comm.recv %[[M]]
// CHECK-NEXT:    %[[S:.*]] = math.sin
// CHECK-NEXT:    comm.vary %[[S]]
func.func @inserted(%x: tensor<4xf32>, %w: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xf32> {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %s = math.sin %w : tensor<4xf32>
  %p = arith.mulf %s, %x : tensor<4xf32>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %a = arith.mulf %r, %p : tensor<4xf32>
  return %a : tensor<4xf32>
}

// Nothing is moved where nothing is blocked.
// CHECK-LABEL: func.func @free(
// CHECK:         comm.send
// CHECK-NEXT:    math.sin
// CHECK-NEXT:    comm.recv
func.func @free(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %s = math.sin %x : tensor<4xf32>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %a = arith.mulf %r, %s : tensor<4xf32>
  return %a : tensor<4xf32>
}
