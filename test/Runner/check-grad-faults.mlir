// The faults that hand-written backwards have: each turns the check red and
// names the gradient, the rank and the index.

// RUN: comm-run %s --function=layer --check-grad --vjp=@right | FileCheck %s --check-prefix=RIGHT
// RIGHT:      gradient check of '@layer' by '@right' on 3 ranks, random seed 0
// RIGHT-NEXT: value type state adjoint difference precision replicas reference verdict worst
// RIGHT-NEXT: y 4xf32 replicated over tp - - {{.*}} equal - right
// RIGHT-NEXT: grad.x 4xf32 replicated over tp {{.*}} {{.*}} {{.*}} equal - right
// RIGHT-NEXT: grad.w 4xf32 varying {{.*}} {{.*}} {{.*}} - - right
// RIGHT-NEXT: gradient check passed

// The sum-over-ranks rule where the result is one value.
// RUN: %exits 1 comm-run %s --function=layer --check-grad --vjp=@times_world_size 2>&1 | FileCheck %s --check-prefix=TIMES
// TIMES: grad.x {{.*}} equal - right
// TIMES: grad.w {{.*}} WRONG rank [[RANK:[0-2]]], [{{[0-3]}}]: got {{.*}}, expected
// TIMES-NEXT: grad.w: <J x', y~> = {{.*}} and <x', J^T y~> =
// TIMES-NEXT: grad.w: the gradient is too large by a factor of 3, the number of ranks over tp
// TIMES-NEXT: gradient check failed: 1 wrong

// Every rank's own part of the gradient of one value.
// RUN: %exits 1 comm-run %s --function=layer --check-grad --vjp=@no_all_reduce 2>&1 | FileCheck %s --check-prefix=PART
// PART: grad.x 4xf32 replicated over tp {{.*}} DIFFER - WRONG rank {{[0-2]}}, [{{[0-3]}}]: got
// PART-NEXT: grad.w {{.*}} right
// PART: gradient check failed: 1 wrong

// RUN: comm-run %s --function=spread --check-grad --vjp=@right_root
// RUN: %exits 1 comm-run %s --function=spread --check-grad --vjp=@wrong_root 2>&1 | FileCheck %s --check-prefix=ROOT
// ROOT: grad.a {{.*}} WRONG rank {{[01]}}, [{{[0-3]}}]: got
// ROOT-NEXT: grad.b {{.*}} right
// ROOT: gradient check failed: 1 wrong

// One wrong element among many is found.
// RUN: %exits 1 comm-run %s --function=square --check-grad --vjp=@one_element 2>&1 | FileCheck %s --check-prefix=ELEMENT
// ELEMENT: grad.x {{.*}} WRONG rank 2, [21, 3]: got 0, expected

// The values that it returns are checked too.
// RUN: %exits 1 comm-run %s --function=layer --check-grad --vjp=@other_value 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: y {{.*}} WRONG rank
// VALUE: y: '@other_value' returns another result than '@layer'

// Only what is asked for.
// RUN: comm-run %s --function=layer --check-grad --vjp=@times_world_size --wrt=x

// What does not fit.
// RUN: %exits 2 comm-run %s --function=layer --check-grad --vjp=@nothing 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: comm-run: error: --vjp=@nothing: no function '@nothing': the module has
// RUN: %exits 2 comm-run %s --function=layer --check-grad --vjp=@layer 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: comm-run: error: --vjp=@layer: '@layer' has 2 arguments, and a derivative of '@layer' has 3
// RUN: %exits 2 comm-run %s --function=layer --check-grad --vjp=@wrong_type 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: comm-run: error: --vjp=@wrong_type: argument 'dy' of '@wrong_type' is tensor<2xf32>, expected tensor<4xf32> as of a derivative of '@layer'
// RUN: %exits 2 comm-run %s --function=layer --check-grad --vjp=@wrong_mark 2>&1 | FileCheck %s --check-prefix=MARK
// MARK: comm-run: error: --vjp=@wrong_mark: argument 'w' of '@wrong_mark' is marked replicated over 'tp', and that of '@layer' is not

comm.mesh @mesh [tp = 3]
#tp = #comm.axes<@mesh["tp"]>

func.func @layer(%x: tensor<4xf32> {comm.replicated = #tp}, %w: tensor<4xf32>)
    -> (tensor<4xf32> {comm.replicated = #tp}) {
  %h = arith.mulf %x, %w : tensor<4xf32>
  %y = comm.all_reduce sum %h over @mesh["tp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @right(%x: tensor<4xf32> {comm.replicated = #tp}, %w: tensor<4xf32>, %dy: tensor<4xf32> {comm.replicated = #tp})
    -> (tensor<4xf32> {comm.replicated = #tp}, tensor<4xf32> {comm.replicated = #tp}, tensor<4xf32>) {
  %y = call @layer(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %p = arith.mulf %dy, %w : tensor<4xf32>
  %dx = comm.all_reduce sum %p over @mesh["tp"] : tensor<4xf32>
  %dw = arith.mulf %dy, %x : tensor<4xf32>
  return %y, %dx, %dw : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @times_world_size(%x: tensor<4xf32> {comm.replicated = #tp}, %w: tensor<4xf32>, %dy: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y = call @layer(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %p = arith.mulf %dy, %w : tensor<4xf32>
  %dx = comm.all_reduce sum %p over @mesh["tp"] : tensor<4xf32>
  %sum = comm.all_reduce sum %dy over @mesh["tp"] : tensor<4xf32>
  %dw = arith.mulf %sum, %x : tensor<4xf32>
  return %y, %dx, %dw : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @no_all_reduce(%x: tensor<4xf32> {comm.replicated = #tp}, %w: tensor<4xf32>, %dy: tensor<4xf32> {comm.replicated = #tp})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y = call @layer(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %dx = arith.mulf %dy, %w : tensor<4xf32>
  %dw = arith.mulf %dy, %x : tensor<4xf32>
  return %y, %dx, %dw : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @other_value(%x: tensor<4xf32> {comm.replicated = #tp}, %w: tensor<4xf32>, %dy: tensor<4xf32> {comm.replicated = #tp})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y, %dx, %dw = call @right(%x, %w, %dy) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %z = arith.addf %y, %y : tensor<4xf32>
  return %z, %dx, %dw : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @wrong_type(%x: tensor<4xf32>, %w: tensor<4xf32>, %dy: tensor<2xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  return %x, %x, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @wrong_mark(%x: tensor<4xf32>, %w: tensor<4xf32> {comm.replicated = #tp}, %dy: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  return %x, %x, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Each rank uses what rank 1 has.
func.func @spread(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = comm.broadcast %a root 1 over @mesh["tp"] : tensor<4xf32>
  %v = comm.vary %r over @mesh["tp"] : tensor<4xf32>
  %y = arith.mulf %v, %b : tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @right_root(%a: tensor<4xf32>, %b: tensor<4xf32>, %dy: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r = comm.broadcast %a root 1 over @mesh["tp"] : tensor<4xf32>
  %y = arith.mulf %r, %b : tensor<4xf32>
  %p = arith.mulf %dy, %b : tensor<4xf32>
  %da = comm.reduce sum %p root 1 over @mesh["tp"] : tensor<4xf32>
  %db = arith.mulf %dy, %r : tensor<4xf32>
  return %y, %da, %db : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @wrong_root(%a: tensor<4xf32>, %b: tensor<4xf32>, %dy: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r = comm.broadcast %a root 1 over @mesh["tp"] : tensor<4xf32>
  %y = arith.mulf %r, %b : tensor<4xf32>
  %p = arith.mulf %dy, %b : tensor<4xf32>
  %da = comm.reduce sum %p root 0 over @mesh["tp"] : tensor<4xf32>
  %db = arith.mulf %dy, %r : tensor<4xf32>
  return %y, %da, %db : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @square(%x: tensor<40x5xf32>) -> tensor<40x5xf32> {
  %y = arith.mulf %x, %x : tensor<40x5xf32>
  return %y : tensor<40x5xf32>
}

func.func @one_element(%x: tensor<40x5xf32>, %dy: tensor<40x5xf32>) -> (tensor<40x5xf32>, tensor<40x5xf32>) {
  %y = arith.mulf %x, %x : tensor<40x5xf32>
  %s = arith.addf %x, %x : tensor<40x5xf32>
  %g = arith.mulf %s, %dy : tensor<40x5xf32>
  %rank = comm.axis_index over @mesh["tp"] : index
  %two = arith.constant 2 : index
  %is2 = arith.cmpi eq, %rank, %two : index
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 21 : index
  %j = arith.constant 3 : index
  %bad = tensor.insert %zero into %g[%i, %j] : tensor<40x5xf32>
  %dx = arith.select %is2, %bad, %g : tensor<40x5xf32>
  return %y, %dx : tensor<40x5xf32>, tensor<40x5xf32>
}
