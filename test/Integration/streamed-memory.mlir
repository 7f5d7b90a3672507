// Kernels that write past the caches, of a size that no vector divides: every
// element, what other ranks read of it, and gradients.

// Most kernels do so here, those of the gradient too.
// RUN: comm-opt %s --comm-to-host | FileCheck %s --check-prefix=PLAIN
// PLAIN-COUNT-5: llvm.func {{.*}}"comm-streamed"
// PLAIN-NOT: "comm-streamed"
// RUN: comm-opt %s -comm-differentiate=functions=scaled --comm-to-host | FileCheck %s --check-prefix=GRAD
// GRAD-COUNT-6: llvm.func {{.*}}"comm-streamed"

// RUN: comm-run %s --function=shared --input=x=iota --input=r=rank --expect=0=iota --expect=1=iota
// RUN: comm-run %s --function=scaled --input=x=ones --input=r=rank --grad --wrt=x --seed=0=iota --expect=grad.x=iota
// RUN: comm-run %s --function=rows --input=x=iota --expect=0=iota

comm.mesh @mesh [dp = 3]

!t = tensor<4194307xf32>
!rows = tensor<1027x4099xf32>

// x + r on each rank; the sum is 3 x + 3. All of it is exact.
func.func @shared(%x: !t {comm.replicated = #comm.axes<@mesh["dp"]>}, %r: f32) -> (!t {comm.replicated = #comm.axes<@mesh["dp"]>}, !t {comm.replicated = #comm.axes<@mesh["dp"]>}) {
  %rank = tensor.splat %r : !t
  %three = arith.constant dense<3.0> : !t
  %own = arith.addf %x, %rank : !t
  %sum = comm.all_reduce sum %own over @mesh["dp"] : !t
  %triple = arith.subf %sum, %three : !t
  %y = arith.divf %triple, %three : !t
  %rest = arith.subf %triple, %x : !t
  %z = arith.subf %rest, %x : !t
  return %y, %z : !t, !t
}

// s x^2 / 2 where s = 2 r^2 - 3 r is 0, -1 and 2, so that the gradient sums to
// that of x^2 / 2.
func.func @scaled(%x: !t {comm.replicated = #comm.axes<@mesh["dp"]>}, %r: f32) -> !t {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %r2 = arith.mulf %two, %r : f32
  %factor = arith.subf %r2, %three : f32
  %s = arith.mulf %r, %factor : f32
  %scale = tensor.splat %s : !t
  %half = arith.constant dense<0.5> : !t
  %square = arith.mulf %x, %x : !t
  %halved = arith.mulf %square, %half : !t
  %y = arith.mulf %halved, %scale : !t
  return %y : !t
}

// No row but the first starts where a vector may.
func.func @rows(%x: !rows) -> !rows {
  %one = arith.constant dense<1.0> : !rows
  %more = arith.addf %x, %one : !rows
  %y = arith.subf %more, %one : !rows
  return %y : !rows
}
