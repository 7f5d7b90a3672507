// RUN: comm-opt %s -comm-group-messages | FileCheck %s

comm.mesh @mesh [pp = 3, tp = 2]

// Of different channels, over different axes. What stands between moves out.
// CHECK-LABEL: func.func @exchange(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<4xf16>
func.func @exchange(%x: memref<?xf32>, %y: memref<4xf16>) -> (memref<?xf32>, memref<4xf16>) {
  %zero = arith.constant 0 : index
  // CHECK: %[[OLD:.*]] = memref.alloc() : memref<4xf16>
  // CHECK: memref.copy
  // CHECK-NEXT: %[[SIZE:.*]] = memref.dim %[[X]]
  // CHECK-NEXT: %[[V:.*]] = memref.alloc(%[[SIZE]]) : memref<?xf32>
  // CHECK-NEXT: %[[W:.*]] = memref.alloc() : memref<4xf16>
  // CHECK-NEXT: %[[M:.*]] = comm.send %[[X]] from 0 to 1 over @mesh["pp"] {group_start}
  // CHECK-NEXT: %[[N:.*]] = comm.send %[[OLD]] from 1 to 0 over @mesh["tp"] : memref
  // CHECK-NEXT: comm.recv %[[M]] into %[[V]] : !comm
  // CHECK-NEXT: comm.recv %[[N]] into %[[W]] {group_end}
  // CHECK-NEXT: memref.dealloc %[[OLD]]
  // CHECK-NEXT: return %[[V]], %[[W]]
  %old = memref.alloc() : memref<4xf16>
  memref.copy %y, %old : memref<4xf16> to memref<4xf16>
  %m = comm.send %x from 0 to 1 over @mesh["pp"] : memref<?xf32> -> !comm.message<tensor<?xf32>>
  %n = comm.send %old from 1 to 0 over @mesh["tp"] : memref<4xf16> -> !comm.message<tensor<4xf16>>
  memref.dealloc %old : memref<4xf16>
  %size = memref.dim %x, %zero : memref<?xf32>
  %v = memref.alloc(%size) : memref<?xf32>
  comm.recv %m into %v : !comm.message<tensor<?xf32>> -> memref<?xf32>
  %w = memref.alloc() : memref<4xf16>
  comm.recv %n into %w : !comm.message<tensor<4xf16>> -> memref<4xf16>
  return %v, %w : memref<?xf32>, memref<4xf16>
}

// A message alone needs none.
// CHECK-LABEL: func.func @alone(
// CHECK-NOT: group_
// CHECK: return
func.func @alone(%x: memref<4xf32>, %y: memref<4xf32>) {
  %m = comm.send %x from 0 to 1 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  comm.recv %m into %y : !comm.message<tensor<4xf32>> -> memref<4xf32>
  return
}

// Over several axes only together with their other ends.
// CHECK-LABEL: func.func @crossing(
// CHECK: comm.send %{{.*}} over @mesh["pp"] {group_start}
// CHECK-NEXT: comm.send %{{.*}} over @mesh["pp"] {group_end}
// CHECK-NEXT: comm.send %{{.*}} over @mesh["tp"] : memref
// CHECK-NEXT: comm.recv %{{.*}} : !comm
// CHECK-NEXT: comm.barrier
// CHECK-NEXT: comm.recv %{{.*}} : !comm
// CHECK-NEXT: comm.recv %{{.*}} : !comm
func.func @crossing(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>) {
  %u = memref.alloc() : memref<4xf32>
  %v = memref.alloc() : memref<4xf32>
  %w = memref.alloc() : memref<4xf32>
  %l = comm.send %x from 0 to 1 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  %m = comm.send %x from 0 to 2 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  %n = comm.send %x from 1 to 0 over @mesh["tp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  comm.recv %l into %u : !comm.message<tensor<4xf32>> -> memref<4xf32>
  comm.barrier over @mesh["pp"]
  comm.recv %m into %v : !comm.message<tensor<4xf32>> -> memref<4xf32>
  comm.recv %n into %w : !comm.message<tensor<4xf32>> -> memref<4xf32>
  return %u, %v, %w : memref<4xf32>, memref<4xf32>, memref<4xf32>
}

// What is received is sent on: the second message waits for the first.
// CHECK-LABEL: func.func @relay(
// CHECK: comm.send %{{.*}} from 0 to 1 {{.*}}{group_start}
// CHECK-NEXT: comm.recv %{{.*}} {group_end}
// CHECK-NEXT: %[[T:.*]] = memref.expand_shape
// CHECK: comm.send %[[T]] from 1 to 2 {{.*}}{group_start}
// CHECK-NEXT: comm.recv %{{.*}} {group_end}
// CHECK-NEXT: return
func.func @relay(%x: memref<4xf32>) -> (memref<4xf32>, memref<2x2xf32>) {
  %m = comm.send %x from 0 to 1 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  %v = memref.alloc() : memref<4xf32>
  comm.recv %m into %v : !comm.message<tensor<4xf32>> -> memref<4xf32>
  %t = memref.expand_shape %v [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  %n = comm.send %t from 1 to 2 over @mesh["pp"] : memref<2x2xf32> -> !comm.message<tensor<2x2xf32>>
  %w = memref.alloc() : memref<2x2xf32>
  comm.recv %n into %w : !comm.message<tensor<2x2xf32>> -> memref<2x2xf32>
  return %v, %w : memref<4xf32>, memref<2x2xf32>
}

// Places of one allocation: bytes 0 to 15 twice, 16 to 31, 12 to 27.
// CHECK-LABEL: func.func @places(
// CHECK: comm.send %{{.*}} from 0 to 1 {{.*}}{group_start}
// CHECK-NEXT: comm.send %{{.*}} from 0 to 2 over @mesh["pp"] : memref
// CHECK-NEXT: comm.recv %{{.*}} {group_end}
// CHECK-NEXT: comm.recv %{{.*}} : !comm
// CHECK-NEXT: memref.dealloc
func.func @places() {
  %zero = arith.constant 0 : index
  %twelve = arith.constant 12 : index
  %sixteen = arith.constant 16 : index
  %frame = memref.alloc() : memref<64xi8>
  %a = memref.view %frame[%zero][] : memref<64xi8> to memref<4xf32>
  %b = memref.view %frame[%sixteen][] : memref<64xi8> to memref<4xf32>
  %c = memref.view %frame[%twelve][] : memref<64xi8> to memref<4xf32>
  %m = comm.send %a from 0 to 1 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  %n = comm.send %a from 0 to 2 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  comm.recv %m into %b : !comm.message<tensor<4xf32>> -> memref<4xf32>
  comm.recv %n into %c : !comm.message<tensor<4xf32>> -> memref<4xf32>
  memref.dealloc %frame : memref<64xi8>
  return
}

// Which bytes these are is not known, nor whether arguments are different.
// CHECK-LABEL: func.func @unknown(
// CHECK-NOT: group_
// CHECK: return
func.func @unknown(%x: memref<4xf32>, %y: memref<4xf32>, %i: index) {
  %zero = arith.constant 0 : index
  %frame = memref.alloc() : memref<64xi8>
  %a = memref.view %frame[%zero][] : memref<64xi8> to memref<4xf32>
  %b = memref.view %frame[%i][] : memref<64xi8> to memref<4xf32>
  %m = comm.send %a from 0 to 1 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  comm.recv %m into %b : !comm.message<tensor<4xf32>> -> memref<4xf32>
  memref.dealloc %frame : memref<64xi8>
  comm.barrier over @mesh["pp"]
  %n = comm.send %x from 0 to 1 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  comm.recv %n into %y : !comm.message<tensor<4xf32>> -> memref<4xf32>
  return
}

func.func private @kernel(memref<4xf32>)

// What works on memory or ranks stays where it is.
// CHECK-LABEL: func.func @ends(
// CHECK: comm.send %{{.*}} : memref<4xf32>
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: comm.send %{{.*}} : memref<4xf32>
// CHECK-NEXT: call @kernel
// CHECK-NEXT: comm.recv %{{.*}} : !comm
// CHECK-NEXT: comm.barrier
// CHECK-NEXT: comm.recv %{{.*}} : !comm
// CHECK-NEXT: comm.permute
// CHECK-NEXT: comm.send %{{.*}} : memref<4xf32>
// CHECK-NEXT: memref.load
// CHECK-NEXT: comm.recv %{{.*}} : !comm
// CHECK-NEXT: return
func.func @ends(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, f32) {
  %zero = arith.constant 0 : index
  %v = memref.alloc() : memref<4xf32>
  %w = memref.alloc() : memref<4xf32>
  %m = comm.send %x from 0 to 1 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  comm.all_reduce sum %v over @mesh["pp"] : memref<4xf32>
  %n = comm.send %x from 1 to 2 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  call @kernel(%w) : (memref<4xf32>) -> ()
  comm.recv %m into %v : !comm.message<tensor<4xf32>> -> memref<4xf32>
  comm.barrier over @mesh["pp"]
  comm.recv %n into %w : !comm.message<tensor<4xf32>> -> memref<4xf32>
  comm.permute %w [(0, 1)] over @mesh["pp"] : memref<4xf32>
  %o = comm.send %v from 0 to 1 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  %e = memref.load %x[%zero] : memref<4xf32>
  comm.recv %o into %w : !comm.message<tensor<4xf32>> -> memref<4xf32>
  return %v, %w, %e : memref<4xf32>, memref<4xf32>, f32
}

// Blocks have runs of their own. What a loop hands on is the buffer that comes
// in or one of its own, never the frame, nor what it allocates now.
// CHECK-LABEL: func.func @regions(
// CHECK: comm.send {{.*}} from 0 to 1 over @mesh["pp"] : memref
// CHECK: scf.if
// CHECK-NEXT: comm.send {{.*}}{group_start}
// CHECK-NEXT: comm.recv {{.*}}{group_end}
// CHECK-NEXT: }
// CHECK-NEXT: comm.recv %{{.*}} : !comm
// CHECK: scf.for
// CHECK: comm.send {{.*}}{group_start}
// CHECK-NEXT: comm.send %{{.*}} : memref
// CHECK-NEXT: comm.recv %{{.*}} : !comm
// CHECK-NEXT: comm.recv {{.*}}{group_end}
func.func @regions(%x: memref<4xf32>, %c: i1, %n: index) -> memref<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %frame = memref.alloc() : memref<64xi8>
  %a = memref.view %frame[%zero][] : memref<64xi8> to memref<4xf32>
  %m = comm.send %x from 0 to 1 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  scf.if %c {
    %i = comm.send %x from 1 to 2 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
    comm.recv %i into %a : !comm.message<tensor<4xf32>> -> memref<4xf32>
  }
  comm.recv %m into %a : !comm.message<tensor<4xf32>> -> memref<4xf32>
  %first = memref.alloc() : memref<4xf32>
  memref.copy %x, %first : memref<4xf32> to memref<4xf32>
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %first) -> memref<4xf32> {
    %j = comm.send %v from 0 to 2 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
    %k = comm.send %v from 1 to 0 over @mesh["pp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
    comm.recv %j into %a : !comm.message<tensor<4xf32>> -> memref<4xf32>
    memref.dealloc %v : memref<4xf32>
    %next = memref.alloc() : memref<4xf32>
    comm.recv %k into %next : !comm.message<tensor<4xf32>> -> memref<4xf32>
    scf.yield %next : memref<4xf32>
  }
  memref.dealloc %frame : memref<64xi8>
  return %y : memref<4xf32>
}
