// Kernels with memory of a block, barriers and shuffles.
module attributes {gpu.container_module} {
gpu.module @kernels {
  // y[block] = sum of x[128 block ...], by halves.
  gpu.func @tree(%x: memref<1024xf32>, %y: memref<8xf32>)
      workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %block = gpu.block_id x
    %threads = gpu.block_dim x
    %thread = gpu.thread_id x
    %first = arith.muli %block, %threads : index
    %i = arith.addi %first, %thread : index
    %a = memref.load %x[%i] : memref<1024xf32>
    memref.store %a, %s[%thread] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %end = scf.while (%half = %c64) : (index) -> index {
      %more = arith.cmpi ugt, %half, %c0 : index
      scf.condition(%more) %half : index
    } do {
    ^bb0(%half: index):
      %adds = arith.cmpi ult, %thread, %half : index
      scf.if %adds {
        %other = arith.addi %thread, %half : index
        %u = memref.load %s[%thread] : memref<128xf32, #gpu.address_space<workgroup>>
        %v = memref.load %s[%other] : memref<128xf32, #gpu.address_space<workgroup>>
        %w = arith.addf %u, %v : f32
        memref.store %w, %s[%thread] : memref<128xf32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %next = arith.divui %half, %c2 : index
      scf.yield %next : index
    }
    %isFirst = arith.cmpi eq, %thread, %c0 : index
    scf.if %isFirst {
      %u = memref.load %s[%c0] : memref<128xf32, #gpu.address_space<workgroup>>
      memref.store %u, %y[%block] : memref<8xf32>
    }
    gpu.return
  }

  // As above without the barriers within the loop: a race.
  gpu.func @race(%x: memref<1024xf32>, %y: memref<8xf32>)
      workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel {
    %c127 = arith.constant 127 : index
    %thread = gpu.thread_id x
    %a = memref.load %x[%thread] : memref<1024xf32>
    memref.store %a, %s[%thread] : memref<128xf32, #gpu.address_space<workgroup>>
    %other = arith.subi %c127, %thread : index
    %b = memref.load %s[%other] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %b, %x[%thread] : memref<1024xf32>
    gpu.return
  }

  // y[i] = the sum of all x of the block.
  gpu.func @all_reduce(%x: memref<1024xf32>, %y: memref<1024xf32>) kernel {
    %thread = gpu.thread_id x
    %a = memref.load %x[%thread] : memref<1024xf32>
    %r = gpu.all_reduce add %a uniform {} : (f32) -> f32
    memref.store %r, %y[%thread] : memref<1024xf32>
    gpu.return
  }

  // y[i] = x[i ^ 3], within a warp.
  gpu.func @shuffle(%x: memref<1024xf32>, %y: memref<1024xf32>) kernel {
    %c3 = arith.constant 3 : i32
    %c32 = arith.constant 32 : i32
    %thread = gpu.thread_id x
    %a = memref.load %x[%thread] : memref<1024xf32>
    %r, %valid = gpu.shuffle xor %a, %c3, %c32 : f32
    memref.store %r, %y[%thread] : memref<1024xf32>
    gpu.return
  }

  // Private memory: y[i] = x[(x[i] + i) mod 8 of the eight from i on].
  gpu.func @private(%x: memref<1024xi32>, %y: memref<1024xi32>)
      private(%p: memref<8xi32, #gpu.address_space<private>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %thread = gpu.thread_id x
    scf.for %k = %c0 to %c8 step %c1 {
      %i = arith.addi %thread, %k : index
      %a = memref.load %x[%i] : memref<1024xi32>
      memref.store %a, %p[%k] : memref<8xi32, #gpu.address_space<private>>
    }
    %a = memref.load %x[%thread] : memref<1024xi32>
    %b = arith.index_cast %a : i32 to index
    %c = arith.addi %b, %thread : index
    %d = arith.remui %c, %c8 : index
    %r = memref.load %p[%d] : memref<8xi32, #gpu.address_space<private>>
    memref.store %r, %y[%thread] : memref<1024xi32>
    gpu.return
  }
}
}
