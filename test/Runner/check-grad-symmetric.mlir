// Data that are the same on all ranks of an axis would hide a wrong gradient.

// RUN: %exits 2 comm-run %s --check-grad --input=x=ones 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: comm-run: error: argument 'x' varies over 'dp' and is the same on all its ranks, where a wrong gradient can look right: write --input=x=rand, --input=x=rank or one --input=x@RANK=VALUE for each rank; --allow-symmetric checks it as it is
// RUN: comm-run %s --check-grad --input=x=ones --allow-symmetric

// Over one of two axes.
// RUN: %exits 2 comm-run %s --check-grad --input=x@0=1,2 --input=x@1=3,4 --input=x@2=5,6 --input=x@3=1,2 --input=x@4=3,4 --input=x@5=5,6 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: %exits 2 comm-run %s --check-grad --input=x@0=1,2 --input=x@1=1,2 --input=x@2=1,2 --input=x@3=5,6 --input=x@4=5,6 --input=x@5=5,6 2>&1 | FileCheck %s --check-prefix=TP
// TP: argument 'x' varies over 'tp' and is the same on all its ranks
// One rank that differs is enough.
// RUN: comm-run %s --check-grad --input=x=1,2 --input=x@5=3,4

// A wrong gradient that equal data hide: the permute goes the same way backward.
// RUN: comm-run %s --check-grad --vjp=@mixed_up --input=x=ones --seed=y=ones --allow-symmetric
// RUN: %exits 1 comm-run %s --check-grad --vjp=@mixed_up | FileCheck %s --check-prefix=MIXED
// MIXED: grad.x {{.*}} WRONG

// Seeds as well, and only where they vary.
// RUN: %exits 2 comm-run %s --check-grad --seed=y=ones 2>&1 | FileCheck %s --check-prefix=SEED
// SEED: comm-run: error: the seed of result 'y' varies over 'dp' and is the same on all its ranks, where a wrong gradient can look right: write --seed=y=rand, --seed=y=rank or
// RUN: comm-run %s --check-grad --seed=y=rank --input=x=rank

// Not: one value for all ranks, integers, nothing, axes of one rank.
// RUN: comm-run %s --check-grad --input=w=1,2 --input=n=3

comm.mesh @mesh [dp = 2, tp = 3, one = 1]

func.func @main(%x: tensor<2xf32>, %w: tensor<2xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}, %n: i32, %e: tensor<0xf32>)
    -> (tensor<2xf32>, tensor<0xf32>) {
  %p = arith.mulf %x, %w : tensor<2xf32>
  %y = comm.permute %p [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)] over @mesh["dp", "tp"] : tensor<2xf32>
  return %y, %e : tensor<2xf32>, tensor<0xf32>
}

func.func @mixed_up(%x: tensor<2xf32>, %w: tensor<2xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}, %n: i32, %e: tensor<0xf32>,
                    %dy: tensor<2xf32>, %de: tensor<0xf32>)
    -> (tensor<2xf32>, tensor<0xf32>, tensor<2xf32>, tensor<2xf32>, tensor<0xf32>) {
  %y, %f = call @main(%x, %w, %n, %e) : (tensor<2xf32>, tensor<2xf32>, i32, tensor<0xf32>) -> (tensor<2xf32>, tensor<0xf32>)
  %dp = comm.permute %dy [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)] over @mesh["dp", "tp"] : tensor<2xf32>
  %dx = arith.mulf %dp, %w : tensor<2xf32>
  %dw_part = arith.mulf %dp, %x : tensor<2xf32>
  %dw = comm.all_reduce sum %dw_part over @mesh["dp", "tp"] : tensor<2xf32>
  return %y, %f, %dx, %dw, %de : tensor<2xf32>, tensor<0xf32>, tensor<2xf32>, tensor<2xf32>, tensor<0xf32>
}
