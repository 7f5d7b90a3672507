// Forward mode on real ranks: tangents of collectives, and both modes after one
// another.

comm.mesh @mesh [tp = 3]

// V44 on three ranks: ẏ = sum_j ẋ_j.
// RUN: comm-run %s --function=sum_t --input=x@0=1 --input=x@1=2 --input=x@2=3 \
// RUN:   --input=t@0=1 --input=t@1=10 --input=t@2=100 --expect=0=6 --expect=1=111
func.func private @sum(%x: tensor<1xf64>) -> (tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<1xf64>
  return %y : tensor<1xf64>
}
func.func @sum_t(%x: tensor<1xf64>, %t: tensor<1xf64>)
    -> (tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>},
        tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y, %ty = comm.jvp @sum(%x) tangents(%t) : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %y, %ty : tensor<1xf64>, tensor<1xf64>
}

// Ties share evenly: ẏ = (ẋ_0 + ẋ_1)/2.
// RUN: comm-run %s --function=max_t --input=x@0=3 --input=x@1=3 --input=x@2=1 \
// RUN:   --input=t@0=1 --input=t@1=10 --input=t@2=100 --expect=0=3 --expect=1=5.5
func.func private @max(%x: tensor<1xf64>) -> (tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_reduce max %x over @mesh["tp"] : tensor<1xf64>
  return %y : tensor<1xf64>
}
func.func @max_t(%x: tensor<1xf64>, %t: tensor<1xf64>)
    -> (tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>},
        tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y, %ty = comm.jvp @max(%x) tangents(%t) : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %y, %ty : tensor<1xf64>, tensor<1xf64>
}

// With a zero: ẏ = ẋ_0·3·4. Without: ẏ = ẋ_0·3·4 + ẋ_1·2·4 + ẋ_2·2·3.
// RUN: comm-run %s --function=prod_t --input=x@0=0 --input=x@1=3 --input=x@2=4 \
// RUN:   --input=t@0=1 --input=t@1=10 --input=t@2=100 --expect=0=0 --expect=1=12
// RUN: comm-run %s --function=prod_t --input=x@0=2 --input=x@1=3 --input=x@2=4 \
// RUN:   --input=t@0=1 --input=t@1=10 --input=t@2=100 --expect=0=24 --expect=1=692
func.func private @prod(%x: tensor<1xf64>) -> (tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_reduce prod %x over @mesh["tp"] : tensor<1xf64>
  return %y : tensor<1xf64>
}
func.func @prod_t(%x: tensor<1xf64>, %t: tensor<1xf64>)
    -> (tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>},
        tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y, %ty = comm.jvp @prod(%x) tangents(%t) : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %y, %ty : tensor<1xf64>, tensor<1xf64>
}

// The second derivative of a product with a zero, forward over reverse:
// x̄_i = prod_{j≠i} x_j, so d x̄_1 = x_2·ẋ_0 + x_0·ẋ_2 = 4 and
// d x̄_2 = x_1·ẋ_0 + x_0·ẋ_1 = 3 for ẋ = (1, 0, 0).
// RUN: comm-run %s --function=prod_hvp --input=x@0=0 --input=x@1=3 --input=x@2=4 \
// RUN:   --input=t@0=1 --input=t@1=0 --input=t@2=0 --expect=0@0=0 --expect=0@1=4 --expect=0@2=3
func.func private @prod_grad(%x: tensor<1xf64>) -> tensor<1xf64> {
  %one = arith.constant dense<1.0> : tensor<1xf64>
  %y, %dx = comm.vjp @prod(%x) cotangents(%one) : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %dx : tensor<1xf64>
}
func.func @prod_hvp(%x: tensor<1xf64>, %t: tensor<1xf64>) -> tensor<1xf64> {
  %g, %h = comm.jvp @prod_grad(%x) tangents(%t) : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %h : tensor<1xf64>
}

// A Hessian-vector product: L = sum_r (x_r·s)² with s = sum_j x_j, x = (1, 2, -1),
// t = (1, 10, 100). With q = sum x², T = sum t, D = sum x·t:
//   x̄_r = 2·x_r·s² + 2·q·s = (32, 40, 16)
//   (H t)_r = 2·t_r·s² + 4·x_r·s·T + 4·D·s + 2·q·T = (1596, 2556, 612)
// Forward over reverse:
// RUN: comm-run %s --function=hvp --input=x@0=1 --input=x@1=2 --input=x@2=-1 \
// RUN:   --input=t@0=1 --input=t@1=10 --input=t@2=100 \
// RUN:   --expect=0@0=32 --expect=0@1=40 --expect=0@2=16 \
// RUN:   --expect=1@0=1596 --expect=1@1=2556 --expect=1@2=612
func.func private @quartic(%x: tensor<1xf64>) -> tensor<1xf64> {
  %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<1xf64>
  %own = comm.vary %s over @mesh["tp"] : tensor<1xf64>
  %p = arith.mulf %x, %own : tensor<1xf64>
  %y = arith.mulf %p, %p : tensor<1xf64>
  return %y : tensor<1xf64>
}
func.func private @quartic_grad(%x: tensor<1xf64>) -> tensor<1xf64> {
  %one = arith.constant dense<1.0> : tensor<1xf64>
  %y, %dx = comm.vjp @quartic(%x) cotangents(%one) : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %dx : tensor<1xf64>
}
func.func @hvp(%x: tensor<1xf64>, %t: tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>) {
  %g, %h = comm.jvp @quartic_grad(%x) tangents(%t) : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %g, %h : tensor<1xf64>, tensor<1xf64>
}

// Reverse over forward: the gradient by x of sum_r L̇_r.
// RUN: comm-run %s --function=directional --grad --seed=0=1 --input=x@0=1 --input=x@1=2 --input=x@2=-1 \
// RUN:   --input=t@0=1 --input=t@1=10 --input=t@2=100 \
// RUN:   --expect=grad.x@0=1596 --expect=grad.x@1=2556 --expect=grad.x@2=612 \
// RUN:   --expect=grad.t@0=32 --expect=grad.t@1=40 --expect=grad.t@2=16
func.func @directional(%x: tensor<1xf64>, %t: tensor<1xf64>) -> tensor<1xf64> {
  %y, %ty = comm.jvp @quartic(%x) tangents(%t) : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %ty : tensor<1xf64>
}

// Forward over forward: t^T H t, of each rank's share of L. L_r = x_r²·s²:
// 2·t²·s² + 8·x·t·s·T + 2·x²·T².
// RUN: comm-run %s --function=twice --input=x@0=1 --input=x@1=2 --input=x@2=-1 \
// RUN:   --input=t@0=1 --input=t@1=10 --input=t@2=100 \
// RUN:   --expect=0@0=26426 --expect=0@1=134888 --expect=0@2=-72958
func.func @twice(%x: tensor<1xf64>, %t: tensor<1xf64>) -> tensor<1xf64> {
  %ty, %tty = comm.jvp @directional(%x, %t) tangents(%t) wrt [0]
    : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %tty : tensor<1xf64>
}

// The tangent of a message is a second message, right behind it: ranks 0 and 1
// exchange, rank 2 takes from 1 what that got from 0.
// RUN: comm-run %s --function=ring_t --input=x@0=1,2 --input=x@1=3,4 --input=x@2=5,6 \
// RUN:   --input=t@0=10,20 --input=t@1=30,40 --input=t@2=50,60 \
// RUN:   --expect=0@0=3,4 --expect=0@1=1,2 --expect=0@2=1,4 \
// RUN:   --expect=1@0=30,40 --expect=1@1=10,20 --expect=1@2=20,80
func.func private @ring(%x: tensor<2xf64>) -> tensor<2xf64> {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<2xf64> -> !comm.message<tensor<2xf64>>
  %a = comm.recv %m : !comm.message<tensor<2xf64>> -> tensor<2xf64>
  %n = comm.send %x from 1 to 0 over @mesh["tp"] : tensor<2xf64> -> !comm.message<tensor<2xf64>>
  %b = comm.recv %n : !comm.message<tensor<2xf64>> -> tensor<2xf64>
  %square = arith.mulf %a, %a : tensor<2xf64>
  %o = comm.send %square from 1 to 2 over @mesh["tp"] : tensor<2xf64> -> !comm.message<tensor<2xf64>>
  %c = comm.recv %o : !comm.message<tensor<2xf64>> -> tensor<2xf64>
  %ab = arith.addf %a, %b : tensor<2xf64>
  %y = arith.addf %ab, %c : tensor<2xf64>
  return %y : tensor<2xf64>
}
func.func @ring_t(%x: tensor<2xf64>, %t: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %y, %ty = comm.jvp @ring(%x) tangents(%t) : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return %y, %ty : tensor<2xf64>, tensor<2xf64>
}

// A weight that is held fixed: J by x alone, and the tangent of a result that x
// does not reach is zero.
// RUN: comm-run %s --function=some_t --input=x@0=1 --input=x@1=2 --input=x@2=3 --input=w=5 \
// RUN:   --input=t@0=1 --input=t@1=10 --input=t@2=100 --expect=0@0=5 --expect=0@1=50 --expect=0@2=500 --expect=1=0
func.func private @some(%x: tensor<1xf64>, %w: tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<1xf64>, tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = arith.mulf %x, %w : tensor<1xf64>
  return %y, %w : tensor<1xf64>, tensor<1xf64>
}
func.func @some_t(%x: tensor<1xf64>, %w: tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>}, %t: tensor<1xf64>)
    -> (tensor<1xf64>, tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y:4 = comm.jvp @some(%x, %w) tangents(%t) wrt [0]
    : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  return %y#2, %y#3 : tensor<1xf64>, tensor<1xf64>
}
