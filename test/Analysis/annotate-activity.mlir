// RUN: comm-opt %s -comm-annotate-activity | FileCheck %s

comm.mesh @mesh [tp = 3]

// V43: only what connects an argument to a result is active.
// CHECK-LABEL: func.func @unused(
// CHECK-SAME:    %{{.*}}: tensor<1xf32>, %{{.*}}: tensor<1xf32> {comm.active})
// CHECK:         comm.all_reduce sum %{{.*}} over @mesh["tp"] : tensor<1xf32>
// CHECK:         comm.all_reduce sum %{{.*}} over @mesh["tp"] {comm.active} : tensor<1xf32>
func.func @unused(%a: tensor<1xf32>, %b: tensor<1xf32>) -> (tensor<1xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %c = comm.all_reduce sum %a over @mesh["tp"] : tensor<1xf32>
  %d = comm.all_reduce sum %b over @mesh["tp"] : tensor<1xf32>
  return %d : tensor<1xf32>
}

// An integer carries no derivative, and neither does what only it decides.
// CHECK-LABEL: func.func @flag(
// CHECK:         arith.cmpf oeq, %{{.*}}, %{{.*}} : f32
// CHECK:         arith.select {{.*}} {comm.active} : f32
func.func @flag(%x: f32, %y: f32) -> f32 {
  %c = arith.cmpf oeq, %x, %y : f32
  %s = arith.select %c, %x, %y : f32
  return %s : f32
}

// Activity goes round a loop: %b becomes active by way of %a. A bound decides
// only how often.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %{{.*}}: f32 {comm.active}, %{{.*}}: index)
// CHECK:         scf.for
// CHECK-NEXT:      arith.mulf %{{.*}} {comm.active} : f32
// CHECK-NEXT:      arith.cmpf
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        arith.addf %{{.*}} {comm.active} : f32
// CHECK:           {comm.active}
// CHECK:         {comm.active}
func.func @loop(%x: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %y:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %zero) -> (f32, f32) {
    %square = arith.mulf %a, %a : f32
    %positive = arith.cmpf ogt, %a, %zero : f32
    %next = scf.if %positive -> f32 {
      %sum = arith.addf %b, %a : f32
      scf.yield %sum : f32
    } else {
      scf.yield %b : f32
    }
    scf.yield %square, %next : f32, f32
  }
  return %y#1 : f32
}
