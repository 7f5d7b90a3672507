// What a law leaves of a vary outside of a region stays outside: the region's
// condition may vary over its axes, and not all ranks would reach it inside.

// RUN: comm-opt %s --comm-simplify-collectives | FileCheck %s
// RUN: comm-opt %s --comm-simplify-collectives --comm-materialize-replication -o /dev/null

comm.mesh @mesh [dp = 2, tp = 4]

#all = #comm.axes<@mesh["dp", "tp"]>
#tp = #comm.axes<@mesh["tp"]>

// CHECK-LABEL: @reduce_of_vary
// CHECK:         %[[V:.*]] = comm.vary %arg0 over @mesh["dp"]
// CHECK:         scf.if
// CHECK-NEXT:      %[[M:.*]] = comm.root_mask %[[V]] root 1 over @mesh["tp"]
// CHECK-NEXT:      arith.mulf %[[M]]
func.func @reduce_of_vary(%x: tensor<4xf32> {comm.replicated = #all}, %w: tensor<4xf32>,
                          %c: i1 {comm.replicated = #tp}) -> tensor<4xf32> {
  %v = comm.vary %x over @mesh["dp", "tp"] : tensor<4xf32>
  %y = scf.if %c -> tensor<4xf32> {
    %r = comm.reduce sum %v root 1 over @mesh["tp"] : tensor<4xf32>
    scf.yield %r : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @reduce_scatter_of_vary
// CHECK:         %[[V:.*]] = comm.vary %arg0 over @mesh["dp"]
// CHECK:         scf.if
// CHECK-NEXT:      comm.all_slice %[[V]] dim 0 over @mesh["tp"]
func.func @reduce_scatter_of_vary(%x: tensor<4xf32> {comm.replicated = #all}, %w: tensor<1xf32>,
                                  %c: i1 {comm.replicated = #tp}) -> tensor<1xf32> {
  %v = comm.vary %x over @mesh["dp", "tp"] : tensor<4xf32>
  %y = scf.if %c -> tensor<1xf32> {
    %r = comm.reduce_scatter avg %v dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<1xf32>
    scf.yield %r : tensor<1xf32>
  } else {
    scf.yield %w : tensor<1xf32>
  }
  return %y : tensor<1xf32>
}

// CHECK-LABEL: @scatter_of_vary
// CHECK:         %[[V:.*]] = comm.vary %arg0 over @mesh["dp"]
// CHECK:         scf.if
// CHECK-NEXT:      comm.all_slice %[[V]] dim 0 over @mesh["tp"]
func.func @scatter_of_vary(%x: tensor<4xf32> {comm.replicated = #all}, %w: tensor<1xf32>,
                           %c: i1 {comm.replicated = #tp}) -> tensor<1xf32> {
  %v = comm.vary %x over @mesh["dp", "tp"] : tensor<4xf32>
  %y = scf.if %c -> tensor<1xf32> {
    %r = comm.scatter %v dim 0 root 2 over @mesh["tp"] : tensor<4xf32> -> tensor<1xf32>
    scf.yield %r : tensor<1xf32>
  } else {
    scf.yield %w : tensor<1xf32>
  }
  return %y : tensor<1xf32>
}

// CHECK-LABEL: @broadcast_of_vary
// CHECK:         %[[V:.*]] = comm.vary %arg0 over @mesh["dp"]
// CHECK:         scf.if
// CHECK-NEXT:      arith.addf %[[V]], %[[V]]
func.func @broadcast_of_vary(%x: tensor<4xf32> {comm.replicated = #all}, %w: tensor<4xf32>,
                             %c: i1 {comm.replicated = #tp}) -> tensor<4xf32> {
  %v = comm.vary %x over @mesh["dp", "tp"] : tensor<4xf32>
  %y = scf.if %c -> tensor<4xf32> {
    %b = comm.broadcast %v root 2 over @mesh["tp"] : tensor<4xf32>
    %s = arith.addf %b, %b : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    scf.yield %w : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
