// The rank's number may be asked for in a body that computes elements.

// RUN: comm-run %s --function=generic --input=x=1,2 --expect=0@0=1,2 --expect=0@1=2,3 --expect=0@2=3,4
// RUN: comm-run %s --function=generate --expect=0@0=0,1,2 --expect=0@1=1,2,3 --expect=0@2=2,3,4
// RUN: comm-run %s --function=loop --input=x=1,2 --expect=0@0=1,2 --expect=0@1=3,4 --expect=0@2=5,6

comm.mesh @mesh [dp = 3]

func.func @generic(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<2xf32>) {
  ^bb0(%o: f32):
    %i = comm.axis_index over @mesh["dp"] : index
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %s = arith.addf %f, %o : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @generate() -> tensor<3xi32> {
  %g = tensor.generate {
  ^bb0(%j: index):
    %i = comm.axis_index over @mesh["dp"] : index
    %ij = arith.addi %i, %j : index
    %k = arith.index_cast %ij : index to i32
    tensor.yield %k : i32
  } : tensor<3xi32>
  return %g : tensor<3xi32>
}

func.func @loop(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %n = %c0 to %c2 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %y = linalg.map ins(%a : tensor<2xf32>) outs(%a : tensor<2xf32>) (%e: f32, %o: f32) {
      %i = comm.axis_index over @mesh["dp"] : index
      %k = arith.index_cast %i : index to i32
      %f = arith.sitofp %k : i32 to f32
      %s = arith.addf %f, %e : f32
      linalg.yield %s : f32
    }
    scf.yield %y : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
