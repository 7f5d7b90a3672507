// Adjoints that functions carry, run: right ones, and wrong ones that the gradient
// check finds.

// RUN: comm-run %s --function=right --check-grad | FileCheck %s --check-prefix=RIGHT
// RIGHT: grad.x {{.*}} right
// RIGHT: grad.w {{.*}} right
// RIGHT: gradient check passed

// Off by the number of ranks in one argument, and right in the other.
// RUN: %exits 1 comm-run %s --function=wrong --check-grad 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: grad.x {{.*}} right
// WRONG: grad.w {{.*}} WRONG y at rank {{[0-2]}}, [{{[01]}}]: got
// WRONG: grad.w: the tangent is too large by a factor of 3, the number of ranks over tp
// WRONG: gradient check failed

// The rule is taken, not what the body would give.
// RUN: comm-run %s --function=clip --grad --input=x@0=-4,1 --input=x@1=2,3 --input=x@2=0,-1 \
// RUN:   --seed=y@0=1,2 --seed=y@1=3,4 --seed=y@2=5,6 \
// RUN:   --expect=y=0,1 --expect=y@1=2,3 --expect=y@2=0,0 \
// RUN:   --expect=grad.x@0=1,2 --expect=grad.x@1=3,4 --expect=grad.x@2=5,6
// RUN: comm-run %s --function=two_clips --grad --input=x@0=-4,1 --input=x@1=2,3 --input=x@2=0,-1 \
// RUN:   --seed=y=1,1 --expect=grad.x=1,1

// A pair with residuals of its own, for some arguments, through comm.vjp, with a
// result that gets no cotangent, of dynamic size.
// RUN: comm-run %s --function=pair --check-grad --input=x=3xf32=rand | FileCheck %s --check-prefix=PAIR
// PAIR: gradient check passed
// RUN: comm-run %s --function=pair --check-grad --wrt=s --input=x=3xf32=rand --input=s=rand
// RUN: comm-run %s --function=part --input=x@0=1,2 --input=x@1=3,4 --input=x@2=5,6 --input=s=2 \
// RUN:   --expect=loss=42 --expect=ds=21

// The gradient of a gradient goes through the rule.
// RUN: comm-opt %s -comm-differentiate=functions=right,pair | comm-run - --function=right_vjp --check-grad
// RUN: comm-opt %s -comm-differentiate=functions=right,pair | comm-run - --function=pair_vjp --check-grad --input=arg0=3xf32=rand --input=arg3=3xf32=rand

comm.mesh @mesh [tp = 3]
#tp = #comm.axes<@mesh["tp"]>

func.func @right(%x: tensor<2xf32>, %w: tensor<2xf32> {comm.replicated = #tp}) -> (tensor<2xf32> {comm.replicated = #tp})
    attributes {comm.custom_vjp = @right_rule} {
  %p = arith.mulf %x, %w : tensor<2xf32>
  %y = comm.all_reduce sum %p over @mesh["tp"] : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @right_rule(%x: tensor<2xf32>, %w: tensor<2xf32> {comm.replicated = #tp}, %dy: tensor<2xf32> {comm.replicated = #tp})
    -> (tensor<2xf32>, tensor<2xf32> {comm.replicated = #tp}) {
  %dx = arith.mulf %dy, %w : tensor<2xf32>
  %p = arith.mulf %dy, %x : tensor<2xf32>
  %dw = comm.all_reduce sum %p over @mesh["tp"] : tensor<2xf32>
  return %dx, %dw : tensor<2xf32>, tensor<2xf32>
}

func.func @wrong(%x: tensor<2xf32>, %w: tensor<2xf32> {comm.replicated = #tp}) -> (tensor<2xf32> {comm.replicated = #tp})
    attributes {comm.custom_vjp = @wrong_rule} {
  %p = arith.mulf %x, %w : tensor<2xf32>
  %y = comm.all_reduce sum %p over @mesh["tp"] : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @wrong_rule(%x: tensor<2xf32>, %w: tensor<2xf32> {comm.replicated = #tp}, %dy: tensor<2xf32> {comm.replicated = #tp})
    -> (tensor<2xf32>, tensor<2xf32> {comm.replicated = #tp}) {
  %dx = arith.mulf %dy, %w : tensor<2xf32>
  // The seed is summed already.
  %v = comm.vary %dy over @mesh["tp"] : tensor<2xf32>
  %n = comm.all_reduce sum %v over @mesh["tp"] : tensor<2xf32>
  %p = arith.mulf %n, %x : tensor<2xf32>
  %dw = comm.all_reduce sum %p over @mesh["tp"] : tensor<2xf32>
  return %dx, %dw : tensor<2xf32>, tensor<2xf32>
}

// The positive part, with the gradient of the identity.
func.func @clip(%x: tensor<2xf32>) -> tensor<2xf32> attributes {comm.custom_vjp = @straight_through} {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %y = arith.maximumf %x, %zero : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @straight_through(%x: tensor<2xf32>, %dy: tensor<2xf32>) -> tensor<2xf32> {
  return %dy : tensor<2xf32>
}
func.func @two_clips(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = call @clip(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %y = call @clip(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// s x and its sum over ranks and elements.
func.func @pair(%x: tensor<?xf32>, %s: f32 {comm.replicated = #tp}) -> (f32 {comm.replicated = #tp}, tensor<?xf32>)
    attributes {comm.custom_vjp = [@pair_forward, @pair_backward]} {
  %loss, %y, %kept, %scale = call @pair_forward(%x, %s) : (tensor<?xf32>, f32) -> (f32, tensor<?xf32>, tensor<?xf32>, f32)
  return %loss, %y : f32, tensor<?xf32>
}
func.func private @sum(%x: tensor<?xf32>) -> (f32 {comm.replicated = #tp}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %own = linalg.reduce ins(%x : tensor<?xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    (%a: f32, %b: f32) { %c = arith.addf %a, %b : f32 linalg.yield %c : f32 }
  %all = comm.all_reduce sum %own over @mesh["tp"] : tensor<f32>
  %number = tensor.extract %all[] : tensor<f32>
  return %number : f32
}
func.func private @pair_forward(%x: tensor<?xf32>, %s: f32 {comm.replicated = #tp})
    -> (f32 {comm.replicated = #tp}, tensor<?xf32>, tensor<?xf32>, f32 {comm.replicated = #tp}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %scale = tensor.splat %s[%n] : tensor<?xf32>
  %y = arith.mulf %x, %scale : tensor<?xf32>
  %loss = call @sum(%y) : (tensor<?xf32>) -> f32
  return %loss, %y, %x, %s : f32, tensor<?xf32>, tensor<?xf32>, f32
}
func.func private @pair_backward(%x: tensor<?xf32>, %s: f32 {comm.replicated = #tp}, %dloss: f32 {comm.replicated = #tp}, %dy: tensor<?xf32>)
    -> (tensor<?xf32>, f32 {comm.replicated = #tp}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %one = tensor.splat %dloss[%n] : tensor<?xf32>
  %scale = tensor.splat %s[%n] : tensor<?xf32>
  %d = arith.addf %one, %dy : tensor<?xf32>
  %dx = arith.mulf %d, %scale : tensor<?xf32>
  %p = arith.mulf %d, %x : tensor<?xf32>
  %ds = call @sum(%p) : (tensor<?xf32>) -> f32
  return %dx, %ds : tensor<?xf32>, f32
}
func.func @part(%x: tensor<?xf32>, %s: f32 {comm.replicated = #tp}) -> (f32 {comm.replicated = #tp}, f32 {comm.replicated = #tp}) {
  %loss, %y, %ds = comm.value_and_grad @pair(%x, %s) wrt [1] : (tensor<?xf32>, f32) -> (f32, tensor<?xf32>, f32)
  return %loss, %ds : f32, f32
}
