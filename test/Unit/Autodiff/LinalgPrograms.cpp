//===- LinalgPrograms.cpp - Other linalg ops to differentiate -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgPrograms.h"

using namespace mlir::comm::testing;

const std::vector<Program> mlir::comm::testing::elementwiseOps = {
    {"map", R"(
func.func @f(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %e = tensor.empty() : tensor<2x3xf64>
  %y = linalg.map ins(%a, %b : tensor<2x3xf64>, tensor<2x3xf64>)
    outs(%e : tensor<2x3xf64>) (%p: f64, %q: f64, %o: f64) {
      %0 = arith.divf %p, %q : f64
      %1 = math.tanh %0 : f64
      linalg.yield %1 : f64
    }
  return %y : tensor<2x3xf64>
})"},
    {"elementwise, broadcast and transposed", R"(
func.func @f(%a: tensor<3xf64>, %b: tensor<3x2xf64>, %e: tensor<2x3xf64>)
    -> tensor<2x3xf64> {
  %y = linalg.elementwise kind=#linalg.elementwise_kind<mul>
    indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j, i)>,
                     affine_map<(i, j) -> (i, j)>]
    ins(%a, %b : tensor<3xf64>, tensor<3x2xf64>)
    outs(%e : tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
})"},
    {"named ops", R"(
func.func @f(%a: tensor<3xf64>, %b: tensor<3xf64>, %e: tensor<3xf64>)
    -> tensor<3xf64> {
  %0 = linalg.add ins(%a, %b : tensor<3xf64>, tensor<3xf64>)
    outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %1 = linalg.mul ins(%0, %a : tensor<3xf64>, tensor<3xf64>)
    outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %2 = linalg.exp ins(%1 : tensor<3xf64>) outs(%e : tensor<3xf64>)
    -> tensor<3xf64>
  %3 = linalg.sub ins(%2, %b : tensor<3xf64>, tensor<3xf64>)
    outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %4 = linalg.div ins(%3, %1 : tensor<3xf64>, tensor<3xf64>)
    outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %5 = linalg.sqrt ins(%4 : tensor<3xf64>) outs(%e : tensor<3xf64>)
    -> tensor<3xf64>
  %6 = linalg.max ins(%5, %a : tensor<3xf64>, tensor<3xf64>)
    outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %7 = linalg.log ins(%6 : tensor<3xf64>) outs(%e : tensor<3xf64>)
    -> tensor<3xf64>
  %8 = linalg.negf ins(%7 : tensor<3xf64>) outs(%e : tensor<3xf64>)
    -> tensor<3xf64>
  %9 = linalg.square ins(%8 : tensor<3xf64>) outs(%e : tensor<3xf64>)
    -> tensor<3xf64>
  %10 = linalg.powf ins(%a, %9 : tensor<3xf64>, tensor<3xf64>)
    outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %11 = linalg.tanh ins(%10 : tensor<3xf64>) outs(%e : tensor<3xf64>)
    -> tensor<3xf64>
  return %11 : tensor<3xf64>
})"},
    {"select by a tensor of conditions", R"(
func.func @f(%a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
  %c = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
  %e = tensor.empty() : tensor<4xf64>
  %y = linalg.select ins(%c, %a, %b : tensor<4xi1>, tensor<4xf64>,
                                      tensor<4xf64>)
    outs(%e : tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
})"},
    {"an init that is read like an input", R"(
func.func @f(%a: tensor<3xf64>, %c: tensor<3xf64>) -> tensor<3xf64> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
                                        affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
    ins(%a : tensor<3xf64>) outs(%c : tensor<3xf64>) {
  ^bb0(%p: f64, %o: f64):
    %0 = arith.mulf %p, %o : f64
    %1 = arith.mulf %0, %o : f64
    linalg.yield %1 : f64
  } -> tensor<3xf64>
  return %y : tensor<3xf64>
})"},
    {"an init that is added to", R"(
func.func @f(%a: tensor<3x2xf64>, %c: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>,
                                        affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<3x2xf64>) outs(%c : tensor<2x3xf64>) {
  ^bb0(%p: f64, %o: f64):
    %0 = arith.subf %o, %p : f64
    linalg.yield %0 : f64
  } -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
})"},
    {"the index of a loop, a constant from outside, two results", R"(
func.func @f(%a: tensor<2x3xf64>, %b: tensor<3xf64>)
    -> (tensor<2x3xf64>, tensor<3x2xf64>) {
  %two = arith.constant 2.0 : f64
  %e = tensor.empty() : tensor<2x3xf64>
  %t = tensor.empty() : tensor<3x2xf64>
  %y:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
                                          affine_map<(i, j) -> (j)>,
                                          affine_map<(i, j) -> (i, j)>,
                                          affine_map<(i, j) -> (j, i)>],
      iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : tensor<2x3xf64>, tensor<3xf64>)
    outs(%e, %t : tensor<2x3xf64>, tensor<3x2xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64, %r: f64):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %s = arith.sitofp %n : i64 to f64
    %0 = arith.mulf %p, %s : f64
    %1 = arith.mulf %0, %q : f64
    %2 = math.powf %q, %two : f64
    %3 = arith.addf %2, %p : f64
    linalg.yield %1, %3 : f64, f64
  } -> (tensor<2x3xf64>, tensor<3x2xf64>)
  return %y#0, %y#1 : tensor<2x3xf64>, tensor<3x2xf64>
})"},
    {"two results, one of them unused, dynamic sizes", R"(
func.func @f(%a: tensor<2x3xf64>, %b: tensor<3xf64>) -> tensor<2x3xf64> {
  %two = arith.constant 2 : index
  %ad = tensor.cast %a : tensor<2x3xf64> to tensor<?x?xf64>
  %bd = tensor.cast %b : tensor<3xf64> to tensor<?xf64>
  %e = tensor.empty(%two) : tensor<?x3xf64>
  %s = arith.constant dense<0.0> : tensor<3xf64>
  %y:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
                                          affine_map<(i, j) -> (j)>,
                                          affine_map<(i, j) -> (i, j)>,
                                          affine_map<(i, j) -> (j)>],
      iterator_types = ["parallel", "reduction"]}
    ins(%ad, %bd : tensor<?x?xf64>, tensor<?xf64>)
    outs(%e, %s : tensor<?x3xf64>, tensor<3xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64, %r: f64):
    %0 = arith.addf %p, %q : f64
    %1 = arith.mulf %0, %p : f64
    %2 = arith.addf %r, %1 : f64
    linalg.yield %0, %2 : f64, f64
  } -> (tensor<?x3xf64>, tensor<3xf64>)
  %z = tensor.cast %y#0 : tensor<?x3xf64> to tensor<2x3xf64>
  return %z : tensor<2x3xf64>
})"},
    {"a scalar operand", R"(
func.func @f(%a: tensor<4xf64>, %s: f64) -> tensor<4xf64> {
  %e = tensor.empty() : tensor<4xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
                                        affine_map<(i) -> ()>,
                                        affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
    ins(%a, %s : tensor<4xf64>, f64) outs(%e : tensor<4xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %0 = arith.mulf %p, %q : f64
    linalg.yield %0 : f64
  } -> tensor<4xf64>
  return %y : tensor<4xf64>
})"},
};

const std::vector<Program> mlir::comm::testing::movements = {
    {"fill", R"(
func.func @f(%s: f64, %c: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = linalg.fill ins(%s : f64) outs(%c : tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
})"},
    {"fill of rank 0", R"(
func.func @f(%s: f64) -> tensor<f64> {
  %e = tensor.empty() : tensor<f64>
  %y = linalg.fill ins(%s : f64) outs(%e : tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
})"},
    {"copy", R"(
func.func @f(%a: tensor<3xf64>, %c: tensor<3xf64>) -> tensor<3xf64> {
  %y = linalg.copy ins(%a : tensor<3xf64>) outs(%c : tensor<3xf64>)
    -> tensor<3xf64>
  return %y : tensor<3xf64>
})"},
    {"copy into another type", R"(
func.func @f(%a: tensor<3xf64>) -> tensor<3xf64> {
  %three = arith.constant 3 : index
  %e = tensor.empty(%three) : tensor<?xf64>
  %y = linalg.copy ins(%a : tensor<3xf64>) outs(%e : tensor<?xf64>)
    -> tensor<?xf64>
  %z = tensor.cast %y : tensor<?xf64> to tensor<3xf64>
  return %z : tensor<3xf64>
})"},
    {"transpose", R"(
func.func @f(%a: tensor<2x3x4xf64>) -> tensor<4x2x3xf64> {
  %e = tensor.empty() : tensor<4x2x3xf64>
  %y = linalg.transpose ins(%a : tensor<2x3x4xf64>)
    outs(%e : tensor<4x2x3xf64>) permutation = [2, 0, 1]
  return %y : tensor<4x2x3xf64>
})"},
    {"transpose, dynamic sizes", R"(
func.func @f(%a: tensor<2x3x4xf64>) -> tensor<4x2x3xf64> {
  %ad = tensor.cast %a : tensor<2x3x4xf64> to tensor<?x3x?xf64>
  %e = tensor.empty() : tensor<4x2x3xf64>
  %ed = tensor.cast %e : tensor<4x2x3xf64> to tensor<?x?x3xf64>
  %yd = linalg.transpose ins(%ad : tensor<?x3x?xf64>)
    outs(%ed : tensor<?x?x3xf64>) permutation = [2, 0, 1]
  %y = tensor.cast %yd : tensor<?x?x3xf64> to tensor<4x2x3xf64>
  return %y : tensor<4x2x3xf64>
})"},
    {"broadcast", R"(
func.func @f(%a: tensor<2x4xf64>) -> tensor<2x3x4xf64> {
  %e = tensor.empty() : tensor<2x3x4xf64>
  %y = linalg.broadcast ins(%a : tensor<2x4xf64>)
    outs(%e : tensor<2x3x4xf64>) dimensions = [1]
  return %y : tensor<2x3x4xf64>
})"},
    {"broadcast and transpose at once", R"(
func.func @f(%a: tensor<4x2xf64>) -> tensor<2x3x4xf64> {
  %e = tensor.empty() : tensor<2x3x4xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>,
                                        affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a : tensor<4x2xf64>) outs(%e : tensor<2x3x4xf64>) {
  ^bb0(%p: f64, %o: f64):
    linalg.yield %p : f64
  } -> tensor<2x3x4xf64>
  return %y : tensor<2x3x4xf64>
})"},
    {"a diagonal", R"(
func.func @f(%a: tensor<3x3xf64>) -> tensor<3xf64> {
  %e = tensor.empty() : tensor<3xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>,
                                        affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
    ins(%a : tensor<3x3xf64>) outs(%e : tensor<3xf64>) {
  ^bb0(%p: f64, %o: f64):
    linalg.yield %p : f64
  } -> tensor<3xf64>
  return %y : tensor<3xf64>
})"},
    {"a constant in a map", R"(
func.func @f(%a: tensor<1x3xf64>) -> tensor<2x3xf64> {
  %e = tensor.empty() : tensor<2x3xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, j)>,
                                        affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<1x3xf64>) outs(%e : tensor<2x3xf64>) {
  ^bb0(%p: f64, %o: f64):
    %0 = math.sin %p : f64
    linalg.yield %0 : f64
  } -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
})"},
};

const std::vector<Program> mlir::comm::testing::reductions = {
    {"reduce by addition", R"(
func.func @f(%a: tensor<2x3x4xf64>, %c: tensor<3xf64>) -> tensor<3xf64> {
  %y = linalg.reduce {arith.addf} ins(%a : tensor<2x3x4xf64>)
    outs(%c : tensor<3xf64>) dimensions = [0, 2]
  return %y : tensor<3xf64>
})"},
    {"reduce by addition, dynamic sizes", R"(
func.func @f(%a: tensor<2x3x4xf64>, %c: tensor<3xf64>) -> tensor<3xf64> {
  %ad = tensor.cast %a : tensor<2x3x4xf64> to tensor<?x?x?xf64>
  %cd = tensor.cast %c : tensor<3xf64> to tensor<?xf64>
  %yd = linalg.reduce {arith.addf} ins(%ad : tensor<?x?x?xf64>)
    outs(%cd : tensor<?xf64>) dimensions = [0, 2]
  %y = tensor.cast %yd : tensor<?xf64> to tensor<3xf64>
  return %y : tensor<3xf64>
})"},
    {"reduce by maximum", R"(
func.func @f(%a: tensor<2x3x4xf64>, %c: tensor<3xf64>) -> tensor<3xf64> {
  %y = linalg.reduce {arith.maximumf} ins(%a : tensor<2x3x4xf64>)
    outs(%c : tensor<3xf64>) dimensions = [0, 2]
  return %y : tensor<3xf64>
})"},
    {"reduce by minimum, dynamic sizes", R"(
func.func @f(%a: tensor<2x3x4xf64>, %c: tensor<3xf64>) -> tensor<3xf64> {
  %ad = tensor.cast %a : tensor<2x3x4xf64> to tensor<?x?x?xf64>
  %cd = tensor.cast %c : tensor<3xf64> to tensor<?xf64>
  %yd = linalg.reduce {arith.minnumf} ins(%ad : tensor<?x?x?xf64>)
    outs(%cd : tensor<?xf64>) dimensions = [0, 2]
  %y = tensor.cast %yd : tensor<?xf64> to tensor<3xf64>
  return %y : tensor<3xf64>
})"},
    {"a sum and a maximum of functions of two inputs", R"(
func.func @f(%a: tensor<3x4xf64>, %b: tensor<4xf64>, %c: tensor<3xf64>,
             %d: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
  %y:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
                                          affine_map<(i, j) -> (j)>,
                                          affine_map<(i, j) -> (i)>,
                                          affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
    ins(%a, %b : tensor<3x4xf64>, tensor<4xf64>)
    outs(%c, %d : tensor<3xf64>, tensor<3xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64, %r: f64):
    %0 = arith.mulf %p, %q : f64
    %1 = math.exp %0 : f64
    %2 = arith.addf %o, %1 : f64
    %3 = arith.subf %2, %q : f64
    %4 = arith.mulf %0, %p : f64
    %5 = arith.maximumf %4, %r : f64
    linalg.yield %3, %5 : f64, f64
  } -> (tensor<3xf64>, tensor<3xf64>)
  return %y#0, %y#1 : tensor<3xf64>, tensor<3xf64>
})"},
    {"a loop that only the init's neighbour spans", R"(
func.func @f(%a: tensor<3xf64>, %b: tensor<4xf64>, %c: tensor<3xf64>)
    -> tensor<3xf64> {
  %ad = tensor.cast %a : tensor<3xf64> to tensor<?xf64>
  %bd = tensor.cast %b : tensor<4xf64> to tensor<?xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>,
                                        affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
    ins(%ad, %bd : tensor<?xf64>, tensor<?xf64>) outs(%c : tensor<3xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %0 = arith.addf %p, %q : f64
    %1 = arith.addf %o, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<3xf64>
  return %y : tensor<3xf64>
})"},
    {"a sum scattered by a sum of loops", R"(
func.func @f(%a: tensor<4xf64>, %b: tensor<3xf64>, %c: tensor<6xf64>)
    -> tensor<6xf64> {
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>,
                                        affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i + j)>],
      iterator_types = ["reduction", "reduction"]}
    ins(%a, %b : tensor<4xf64>, tensor<3xf64>) outs(%c : tensor<6xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %0 = arith.mulf %p, %q : f64
    %1 = arith.addf %o, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<6xf64>
  return %y : tensor<6xf64>
})"},
};
