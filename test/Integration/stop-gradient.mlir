// comm.stop_gradient and adjoints that functions carry, in loops and branches.

// x becomes x times itself, of which one is a constant: x^4, with gradient x^3.
// RUN: comm-run %s --function=loop --grad --input=x@0=1 --input=x@1=2 --input=x@2=3 \
// RUN:   --seed=y@0=1 --seed=y@1=1 --seed=y@2=10 --expect=y@0=1 --expect=y@1=16 --expect=y@2=81 \
// RUN:   --expect=grad.x@0=1 --expect=grad.x@1=8 --expect=grad.x@2=270
// The condition varies: positive values are stopped on some ranks only.
// RUN: comm-run %s --function=branch --grad --input=x@0=-1 --input=x@1=2 --input=x@2=3 \
// RUN:   --seed=y=rank --expect=y@0=-1 --expect=y@1=2 --expect=y@2=3 \
// RUN:   --expect=grad.x@0=0 --expect=grad.x@1=0 --expect=grad.x@2=0
// RUN: comm-run %s --function=branch --grad --input=x@0=1 --input=x@1=-2 --input=x@2=-3 \
// RUN:   --seed=y=rank --expect=grad.x@0=0 --expect=grad.x@1=1 --expect=grad.x@2=2
// A rule in a loop: each turn doubles the cotangent, whatever the function does.
// RUN: comm-run %s --function=rule_in_loop --grad --input=x@0=1 --input=x@1=2 --input=x@2=3 \
// RUN:   --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 --expect=y@0=0.125 --expect=y@1=0.25 --expect=y@2=0.375 \
// RUN:   --expect=grad.x@0=8 --expect=grad.x@1=80 --expect=grad.x@2=800

comm.mesh @mesh [tp = 3]

func.func @loop(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%v = %x) -> f32 {
    %s = comm.stop_gradient %v : f32
    %p = arith.mulf %v, %s : f32
    scf.yield %p : f32
  }
  return %y : f32
}

func.func @branch(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c = arith.cmpf ogt, %x, %zero : f32
  %y = scf.if %c -> f32 {
    %s = comm.stop_gradient %x : f32
    scf.yield %s : f32
  } else {
    scf.yield %x : f32
  }
  return %y : f32
}

func.func private @half(%x: f32) -> f32 attributes {comm.custom_vjp = @double} {
  %half = arith.constant 0.5 : f32
  %y = arith.mulf %x, %half : f32
  return %y : f32
}
func.func private @double(%x: f32, %dy: f32) -> f32 {
  %dx = arith.addf %dy, %dy : f32
  return %dx : f32
}
func.func @rule_in_loop(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> f32 {
    %p = func.call @half(%v) : (f32) -> f32
    scf.yield %p : f32
  }
  return %y : f32
}
