// comm.stop_gradient: the value without its derivative.

// RUN: comm-opt %s -comm-differentiate | FileCheck %s
// RUN: comm-opt %s -comm-annotate-activity | FileCheck %s --check-prefix=ACTIVE
// RUN: comm-opt %s -canonicalize -cse | FileCheck %s --check-prefix=KEPT
// RUN: comm-opt %s --comm-lower-local | FileCheck %s --check-prefix=LOWERED
// LOWERED-NOT: comm.stop_gradient

// The gradient of x times what counts as a constant: that constant. Its own
// derivative is nothing, in @f_vjp as in @f.
// RUN: comm-run %s --function=product --grad --input=x@0=1,2 --input=x@1=3,4 --input=x@2=5,6 \
// RUN:   --seed=y@0=1,1 --seed=y@1=10,10 --seed=y@2=100,100 \
// RUN:   --expect=grad.x@0=1,2 --expect=grad.x@1=30,40 --expect=grad.x@2=500,600
// RUN: comm-opt %s -comm-differentiate=functions=product | comm-run - --function=product_vjp --grad \
// RUN:   --input=arg0@0=1,2 --input=arg0@1=3,4 --input=arg0@2=5,6 --input=arg1=ones --seed=0=zeros --seed=1=ones \
// RUN:   --expect=grad.arg0=0,0 --expect=grad.arg1@0=1,2 --expect=grad.arg1@1=3,4 --expect=grad.arg1@2=5,6

comm.mesh @mesh [tp = 3]
#tp = #comm.axes<@mesh["tp"]>

// CHECK-LABEL: func.func private @product_bwd(
// CHECK-SAME:    %[[S:.*]]: tensor<2xf32>, %[[SEED:.*]]: tensor<2xf32>)
// CHECK-NEXT:    %[[X:.*]] = arith.mulf %[[SEED]], %[[S]]
// CHECK-NEXT:    return %[[X]]
// CHECK-LABEL: func.func @product_vjp(
// CHECK:         comm.stop_gradient
// ACTIVE-LABEL: func.func @product(
// ACTIVE:         comm.stop_gradient %{{.*}} : tensor<2xf32>
// ACTIVE-NEXT:    arith.mulf %{{.*}}, %{{.*}} {comm.active}
// KEPT-LABEL: func.func @product(
// KEPT:         comm.stop_gradient
func.func @product(%x: tensor<2xf32>) -> tensor<2xf32> {
  %s = comm.stop_gradient %x : tensor<2xf32>
  %y = arith.mulf %x, %s : tensor<2xf32>
  return %y : tensor<2xf32>
}

// A replicated value behind it needs no vary, and no all_reduce in the backward.
// CHECK-LABEL: func.func private @replicated_bwd(
// CHECK-NOT:     comm.all_reduce
// CHECK:         return
// CHECK-LABEL: func.func @replicated_vjp(
func.func @replicated(%w: tensor<2xf32> {comm.replicated = #tp}, %x: tensor<2xf32>) -> tensor<2xf32> {
  %s = comm.stop_gradient %w : tensor<2xf32>
  %y = arith.mulf %x, %s : tensor<2xf32>
  return %y : tensor<2xf32>
}

// A collective that only it connects to the result has no adjoint.
// CHECK-LABEL: func.func private @behind_collective_bwd(
// CHECK-NOT:     = comm.
// CHECK:         return
// CHECK-LABEL: func.func @behind_collective_vjp(
// ACTIVE-LABEL: func.func @behind_collective(
// ACTIVE:         comm.all_gather {{.*}} over @mesh["tp"] : tensor<2xf32> -> tensor<6xf32>
func.func @behind_collective(%x: tensor<2xf32>, %y: tensor<6xf32>) -> tensor<6xf32> {
  %g = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<2xf32> -> tensor<6xf32>
  %s = comm.stop_gradient %g : tensor<6xf32>
  %z = arith.mulf %y, %s : tensor<6xf32>
  return %z : tensor<6xf32>
}

// On scalars, in the body of an op.
// CHECK-LABEL: func.func private @body_bwd(
// CHECK:         linalg.generic
// CHECK:         arith.mulf
// CHECK-NOT:     arith.addf
// CHECK:         linalg.yield
func.func @body(%x: tensor<2xf32>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = comm.stop_gradient %a : f32
    %p = arith.mulf %a, %s : f32
    linalg.yield %p : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// What is stopped once, or has no derivative, is not stopped again.
// KEPT-LABEL: func.func @twice(
// KEPT-NEXT:    %[[C:.*]] = arith.constant dense<2.0
// KEPT-NEXT:    %[[S:.*]] = comm.stop_gradient
// KEPT-NEXT:    %[[Y:.*]] = arith.mulf %[[S]], %[[C]]
// KEPT-NEXT:    return %[[Y]]
func.func @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %two = arith.constant dense<2.0> : tensor<2xf32>
  %c = comm.stop_gradient %two : tensor<2xf32>
  %s = comm.stop_gradient %x : tensor<2xf32>
  %t = comm.stop_gradient %s : tensor<2xf32>
  %y = arith.mulf %t, %c : tensor<2xf32>
  return %y : tensor<2xf32>
}
