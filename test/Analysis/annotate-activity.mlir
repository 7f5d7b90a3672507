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
