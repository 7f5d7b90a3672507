// Messages in groups, and messages that depend on one another.

comm.mesh @mesh [dp = 2, pp = 4]

// Of four channels, all independent of one another, forward and backward.
func.func @neighbours(%x: tensor<3xf32>, %w: tensor<3xf32>) -> tensor<3xf32> {
  %m = comm.send %x from 0 to 1 over @mesh["pp"] : tensor<3xf32> -> !comm.message<tensor<3xf32>>
  %a = comm.recv %m : !comm.message<tensor<3xf32>> -> tensor<3xf32>
  %n = comm.send %x from 2 to 3 over @mesh["pp"] : tensor<3xf32> -> !comm.message<tensor<3xf32>>
  %o = comm.send %w from 1 to 0 over @mesh["dp"] : tensor<3xf32> -> !comm.message<tensor<3xf32>>
  %b = comm.recv %n : !comm.message<tensor<3xf32>> -> tensor<3xf32>
  %c = comm.recv %o : !comm.message<tensor<3xf32>> -> tensor<3xf32>
  %p = comm.send %w from 1 to 2 over @mesh["pp"] : tensor<3xf32> -> !comm.message<tensor<3xf32>>
  %d = comm.recv %p : !comm.message<tensor<3xf32>> -> tensor<3xf32>
  %xa = arith.mulf %x, %a : tensor<3xf32>
  %wb = arith.mulf %w, %b : tensor<3xf32>
  %cd = arith.mulf %x, %c : tensor<3xf32>
  %t = math.tanh %d : tensor<3xf32>
  %s0 = arith.addf %xa, %wb : tensor<3xf32>
  %s1 = arith.addf %s0, %cd : tensor<3xf32>
  %y = arith.addf %s1, %t : tensor<3xf32>
  return %y : tensor<3xf32>
}

// What is received is sent on, and sent back.
func.func @relay(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %m = comm.send %x from 0 to 1 over @mesh["pp"] : tensor<3xf32> -> !comm.message<tensor<3xf32>>
  %a = comm.recv %m : !comm.message<tensor<3xf32>> -> tensor<3xf32>
  %n = comm.send %a from 1 to 2 over @mesh["pp"] : tensor<3xf32> -> !comm.message<tensor<3xf32>>
  %o = comm.send %a from 1 to 0 over @mesh["pp"] : tensor<3xf32> -> !comm.message<tensor<3xf32>>
  %b = comm.recv %n : !comm.message<tensor<3xf32>> -> tensor<3xf32>
  %c = comm.recv %o : !comm.message<tensor<3xf32>> -> tensor<3xf32>
  %y = arith.mulf %b, %x : tensor<3xf32>
  return %y, %c : tensor<3xf32>, tensor<3xf32>
}

// In a loop and a branch, of sizes that only the run knows.
func.func @steps(%x: tensor<?xf32>, %n: index {comm.replicated = #comm.axes<@mesh["dp", "pp"]>}) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %y = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> tensor<?xf32> {
    %odd = arith.remui %i, %two : index
    %isOdd = arith.cmpi ne, %odd, %zero : index
    %next = scf.if %isOdd -> tensor<?xf32> {
      %m = comm.send %v from 0 to 1 over @mesh["pp"] : tensor<?xf32> -> !comm.message<tensor<?xf32>>
      %a = comm.recv %m : !comm.message<tensor<?xf32>> -> tensor<?xf32>
      %o = comm.send %v from 2 to 3 over @mesh["pp"] : tensor<?xf32> -> !comm.message<tensor<?xf32>>
      %b = comm.recv %o : !comm.message<tensor<?xf32>> -> tensor<?xf32>
      %c = arith.mulf %v, %v : tensor<?xf32>
      %d = arith.subf %c, %a : tensor<?xf32>
      %e = arith.addf %d, %b : tensor<?xf32>
      scf.yield %e : tensor<?xf32>
    } else {
      %m = comm.send %v from 3 to 0 over @mesh["pp"] : tensor<?xf32> -> !comm.message<tensor<?xf32>>
      %a = comm.recv %m : !comm.message<tensor<?xf32>> -> tensor<?xf32>
      %c = math.sin %v : tensor<?xf32>
      %d = arith.addf %c, %a : tensor<?xf32>
      scf.yield %d : tensor<?xf32>
    }
    scf.yield %next : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}
