// What control flow keeps, and how its backward reads it.

// RUN: comm-opt %s -comm-differentiate | FileCheck %s

// Residuals of a loop go on tapes, one run after the other. Views of what the
// loop captures are made again.
// CHECK-LABEL: func.func private @layers_fwd
// CHECK:         %[[TAPE:.*]] = tensor.empty() : tensor<12x4xf32>
// CHECK-NOT:     tensor.empty
// CHECK:         %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[T:.*]] = %[[TAPE]])
// CHECK:           %[[PUT:.*]] = tensor.insert_slice %[[X]] into %[[T]][%[[I]], 0] [1, 4] [1, 1]
// CHECK:           scf.yield %{{.*}}, %[[PUT]]
// CHECK:         return %[[LOOP]]#0, %[[LOOP]]#1, %arg1 : tensor<4xf32>, tensor<12x4xf32>, tensor<12x4xf32>
// CHECK-LABEL: func.func private @layers_bwd
// CHECK-SAME:    %[[TAPE:[^:]*]]: tensor<12x4xf32>, %[[W:[^:]*]]: tensor<12x4xf32>, %[[DY:[^:]*]]: tensor<4xf32>
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<12x4xf32>
// CHECK:         %[[LOOP:.*]]:2 = scf.for %[[K:.*]] = %{{.*}} iter_args(%[[D:.*]] = %[[DY]], %[[SUM:.*]] = %[[ZERO]])
// CHECK:           %[[AT:.*]] = arith.subi %{{.*}}, %[[K]]
// CHECK:           %[[X:.*]] = tensor.extract_slice %[[TAPE]][%[[AT]], 0]
// CHECK:           %[[WI:.*]] = tensor.extract_slice %[[W]][%[[AT]], 0]
// CHECK:           %[[DX:.*]] = arith.mulf %[[D]], %[[WI]]
// CHECK:           %[[DW:.*]] = arith.mulf %[[D]], %[[X]]
// The gradient of a slice is added to the slice, and to nothing else.
// CHECK:           %[[OLD:.*]] = tensor.extract_slice %[[SUM]][%[[AT]], 0] [1, 4] [1, 1]
// CHECK:           %[[NEW:.*]] = arith.addf %[[OLD]], %[[DW]] : tensor<4xf32>
// CHECK:           %[[ALL:.*]] = tensor.insert_slice %[[NEW]] into %[[SUM]][%[[AT]], 0]
// CHECK:           scf.yield %[[DX]], %[[ALL]]
func.func @layers(%x: tensor<4xf32>, %w: tensor<12x4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %y = scf.for %i = %c0 to %c12 step %c1 iter_args(%v = %x) -> tensor<4xf32> {
    %wi = tensor.extract_slice %w[%i, 0] [1, 4] [1, 1] : tensor<12x4xf32> to tensor<4xf32>
    %next = arith.mulf %v, %wi : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// Sizes that the loop does not change are read before it.
// CHECK-LABEL: func.func private @sizes_fwd
// CHECK:         %[[N:.*]] = tensor.dim %arg0, %{{.*}} : tensor<?xf32>
// CHECK:         tensor.empty(%{{.*}}, %[[N]]) {comm.tape} : tensor<?x?xf32>
// CHECK:         scf.for
func.func @sizes(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<?xf32> {
    %next = math.sin %v : tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// Each branch hands out what it keeps. A linear branch keeps nothing.
// CHECK-LABEL: func.func private @branches_fwd
// CHECK:         %{{.*}}:3 = scf.if %{{.*}} -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
// CHECK-LABEL: func.func private @branches_bwd
// CHECK-SAME:    %[[C:[^:]*]]: i1, %[[SUM:[^:]*]]: tensor<4xf32>, %[[EXP:[^:]*]]: tensor<4xf32>, %[[DY:[^:]*]]: tensor<4xf32>
// CHECK:         scf.if %[[C]] -> (tensor<4xf32>) {
// CHECK:           math.cos %[[SUM]]
// CHECK:         } else {
// CHECK:           arith.mulf %[[DY]], %[[EXP]]
func.func @branches(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = scf.if %c -> tensor<4xf32> {
    %s = arith.addf %x, %x : tensor<4xf32>
    %z = math.sin %s : tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  } else {
    %z = math.exp %x : tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func private @linear_branches_fwd(
// CHECK-SAME:    -> (tensor<4xf32>, i1)
func.func @linear_branches(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = scf.if %c -> tensor<4xf32> {
    %s = arith.addf %x, %x : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// The tapes of a loop of unknown length grow.
// CHECK-LABEL: func.func private @until_fwd
// CHECK:         %[[C8:.*]] = arith.constant 8 : index
// CHECK:         %[[TAPE:.*]] = tensor.empty(%[[C8]]) {comm.tape} : tensor<?x4xf32>
// CHECK:         scf.while
// CHECK:           %[[ROOM:.*]] = tensor.dim
// CHECK:           %[[FULL:.*]] = arith.cmpi eq, %{{.*}}, %[[ROOM]]
// CHECK:           scf.if %[[FULL]]
func.func @until(%x: tensor<4xf32>, %limit: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %y = scf.while (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %first = tensor.extract %v[%c0] : tensor<4xf32>
    %more = arith.cmpf olt, %first, %limit : f32
    scf.condition(%more) %v : tensor<4xf32>
  } do {
  ^bb0(%v: tensor<4xf32>):
    %next = arith.mulf %v, %v : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
