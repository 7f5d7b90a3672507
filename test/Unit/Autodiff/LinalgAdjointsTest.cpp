//===- LinalgAdjointsTest.cpp - Linalg's adjoints against differences -----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RulePrograms.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace mlir::comm::testing;

namespace {

struct Program {
  const char *name;
  const char *text;
};

const std::vector<Program> programTexts = {
    //===------------------------------------------------------------------===//
    // Contractions
    //===------------------------------------------------------------------===//
    {"matmul", R"(
func.func @f(%a: tensor<2x3xf64>, %b: tensor<3x4xf64>, %c: tensor<2x4xf64>)
    -> tensor<2x4xf64> {
  %y = linalg.matmul ins(%a, %b : tensor<2x3xf64>, tensor<3x4xf64>)
    outs(%c : tensor<2x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
})"},
    {"matmul of one matrix with itself", R"(
func.func @f(%a: tensor<3x3xf64>, %c: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %y = linalg.matmul ins(%a, %a : tensor<3x3xf64>, tensor<3x3xf64>)
    outs(%c : tensor<3x3xf64>) -> tensor<3x3xf64>
  return %y : tensor<3x3xf64>
})"},
    {"matmul, left transposed", R"(
func.func @f(%a: tensor<3x2xf64>, %b: tensor<3x4xf64>, %c: tensor<2x4xf64>)
    -> tensor<2x4xf64> {
  %y = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>,
                                      affine_map<(i, j, k) -> (k, j)>,
                                      affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<3x2xf64>, tensor<3x4xf64>)
    outs(%c : tensor<2x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
})"},
    {"matmul, right transposed", R"(
func.func @f(%a: tensor<2x3xf64>, %b: tensor<4x3xf64>, %c: tensor<2x4xf64>)
    -> tensor<2x4xf64> {
  %y = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
                                      affine_map<(i, j, k) -> (j, k)>,
                                      affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<2x3xf64>, tensor<4x3xf64>)
    outs(%c : tensor<2x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
})"},
    {"matmul, dynamic sizes", R"(
func.func @f(%a: tensor<2x3xf64>, %b: tensor<3x4xf64>, %c: tensor<2x4xf64>)
    -> tensor<2x4xf64> {
  %ad = tensor.cast %a : tensor<2x3xf64> to tensor<?x?xf64>
  %bd = tensor.cast %b : tensor<3x4xf64> to tensor<?x?xf64>
  %cd = tensor.cast %c : tensor<2x4xf64> to tensor<?x?xf64>
  %yd = linalg.matmul ins(%ad, %bd : tensor<?x?xf64>, tensor<?x?xf64>)
    outs(%cd : tensor<?x?xf64>) -> tensor<?x?xf64>
  %y = tensor.cast %yd : tensor<?x?xf64> to tensor<2x4xf64>
  return %y : tensor<2x4xf64>
})"},
    {"batch_matmul", R"(
func.func @f(%a: tensor<2x2x3xf64>, %b: tensor<2x3x4xf64>,
             %c: tensor<2x2x4xf64>) -> tensor<2x2x4xf64> {
  %y = linalg.batch_matmul ins(%a, %b : tensor<2x2x3xf64>, tensor<2x3x4xf64>)
    outs(%c : tensor<2x2x4xf64>) -> tensor<2x2x4xf64>
  return %y : tensor<2x2x4xf64>
})"},
    {"batch_matmul, one matrix for all", R"(
func.func @f(%a: tensor<2x2x3xf64>, %b: tensor<3x4xf64>, %c: tensor<2x2x4xf64>)
    -> tensor<2x2x4xf64> {
  %y = linalg.batch_matmul
    indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>,
                     affine_map<(b, i, j, k) -> (k, j)>,
                     affine_map<(b, i, j, k) -> (b, i, j)>]
    ins(%a, %b : tensor<2x2x3xf64>, tensor<3x4xf64>)
    outs(%c : tensor<2x2x4xf64>) -> tensor<2x2x4xf64>
  return %y : tensor<2x2x4xf64>
})"},
    {"batch_reduce_matmul", R"(
func.func @f(%a: tensor<2x2x3xf64>, %b: tensor<2x3x4xf64>, %c: tensor<2x4xf64>)
    -> tensor<2x4xf64> {
  %y = linalg.batch_reduce_matmul
    ins(%a, %b : tensor<2x2x3xf64>, tensor<2x3x4xf64>)
    outs(%c : tensor<2x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
})"},
    {"matvec", R"(
func.func @f(%a: tensor<2x3xf64>, %b: tensor<3xf64>, %c: tensor<2xf64>)
    -> tensor<2xf64> {
  %y = linalg.matvec ins(%a, %b : tensor<2x3xf64>, tensor<3xf64>)
    outs(%c : tensor<2xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
})"},
    {"vecmat", R"(
func.func @f(%a: tensor<3xf64>, %b: tensor<3x2xf64>, %c: tensor<2xf64>)
    -> tensor<2xf64> {
  %y = linalg.vecmat ins(%a, %b : tensor<3xf64>, tensor<3x2xf64>)
    outs(%c : tensor<2xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
})"},
    {"batch_matvec", R"(
func.func @f(%a: tensor<2x2x3xf64>, %b: tensor<2x3xf64>, %c: tensor<2x2xf64>)
    -> tensor<2x2xf64> {
  %y = linalg.batch_matvec ins(%a, %b : tensor<2x2x3xf64>, tensor<2x3xf64>)
    outs(%c : tensor<2x2xf64>) -> tensor<2x2xf64>
  return %y : tensor<2x2xf64>
})"},
    {"batch_vecmat", R"(
func.func @f(%a: tensor<2x3xf64>, %b: tensor<2x3x2xf64>, %c: tensor<2x2xf64>)
    -> tensor<2x2xf64> {
  %y = linalg.batch_vecmat ins(%a, %b : tensor<2x3xf64>, tensor<2x3x2xf64>)
    outs(%c : tensor<2x2xf64>) -> tensor<2x2xf64>
  return %y : tensor<2x2xf64>
})"},
    {"dot", R"(
func.func @f(%a: tensor<3xf64>, %b: tensor<3xf64>, %c: tensor<f64>)
    -> tensor<f64> {
  %y = linalg.dot ins(%a, %b : tensor<3xf64>, tensor<3xf64>)
    outs(%c : tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
})"},
    {"contract, result transposed, two loops summed", R"(
func.func @f(%a: tensor<2x3x2xf64>, %b: tensor<3x4x2xf64>, %c: tensor<4x2xf64>)
    -> tensor<4x2xf64> {
  %y = linalg.contract indexing_maps = [affine_map<(i, j, k, l) -> (i, k, l)>,
                                        affine_map<(i, j, k, l) -> (k, j, l)>,
                                        affine_map<(i, j, k, l) -> (j, i)>]
    ins(%a, %b : tensor<2x3x2xf64>, tensor<3x4x2xf64>)
    outs(%c : tensor<4x2xf64>) -> tensor<4x2xf64>
  return %y : tensor<4x2xf64>
})"},
    {"contract, batch in the middle", R"(
func.func @f(%a: tensor<2x5x3xf64>, %b: tensor<3x5x4xf64>,
             %c: tensor<2x5x4xf64>) -> tensor<2x5x4xf64> {
  %y = linalg.contract indexing_maps = [affine_map<(i, j, k, b) -> (i, b, k)>,
                                        affine_map<(i, j, k, b) -> (k, b, j)>,
                                        affine_map<(i, j, k, b) -> (i, b, j)>]
    ins(%a, %b : tensor<2x5x3xf64>, tensor<3x5x4xf64>)
    outs(%c : tensor<2x5x4xf64>) -> tensor<2x5x4xf64>
  return %y : tensor<2x5x4xf64>
})"},
    {"a generic that is a contraction", R"(
func.func @f(%a: tensor<3x2xf64>, %b: tensor<4x3xf64>, %c: tensor<4x2xf64>)
    -> tensor<4x2xf64> {
  %y = linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (k, i)>,
                                        affine_map<(i, k, j) -> (j, k)>,
                                        affine_map<(i, k, j) -> (j, i)>],
      iterator_types = ["parallel", "reduction", "parallel"]}
    ins(%a, %b : tensor<3x2xf64>, tensor<4x3xf64>)
    outs(%c : tensor<4x2xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %0 = arith.mulf %q, %p : f64
    %1 = arith.addf %0, %o : f64
    linalg.yield %1 : f64
  } -> tensor<4x2xf64>
  return %y : tensor<4x2xf64>
})"},
    {"no contraction: a function of an input in the product", R"(
func.func @f(%a: tensor<2x3xf64>, %b: tensor<3x4xf64>, %c: tensor<2x4xf64>)
    -> tensor<2x4xf64> {
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
                                        affine_map<(i, j, k) -> (k, j)>,
                                        affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<2x3xf64>, tensor<3x4xf64>)
    outs(%c : tensor<2x4xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %e = math.exp %p : f64
    %0 = arith.mulf %e, %q : f64
    %1 = arith.addf %o, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
})"},
    {"mmt4d", R"(
func.func @f(%a: tensor<2x1x2x3xf64>, %b: tensor<2x1x2x3xf64>,
             %c: tensor<2x2x2x2xf64>) -> tensor<2x2x2x2xf64> {
  %y = linalg.mmt4d ins(%a, %b : tensor<2x1x2x3xf64>, tensor<2x1x2x3xf64>)
    outs(%c : tensor<2x2x2x2xf64>) -> tensor<2x2x2x2xf64>
  return %y : tensor<2x2x2x2xf64>
})"},
    //===------------------------------------------------------------------===//
    // Elementwise
    //===------------------------------------------------------------------===//
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
    //===------------------------------------------------------------------===//
    // Data movement
    //===------------------------------------------------------------------===//
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
    //===------------------------------------------------------------------===//
    // Reductions
    //===------------------------------------------------------------------===//
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
    //===------------------------------------------------------------------===//
    // Convolutions and pooling
    //===------------------------------------------------------------------===//
    {"conv_2d_nhwc_hwcf", R"(
func.func @f(%a: tensor<1x5x5x2xf64>, %b: tensor<2x2x2x3xf64>,
             %c: tensor<1x2x2x3xf64>) -> tensor<1x2x2x3xf64> {
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>,
                                 dilations = dense<1> : tensor<2xi64>}
    ins(%a, %b : tensor<1x5x5x2xf64>, tensor<2x2x2x3xf64>)
    outs(%c : tensor<1x2x2x3xf64>) -> tensor<1x2x2x3xf64>
  return %y : tensor<1x2x2x3xf64>
})"},
    {"conv_1d, dynamic sizes", R"(
func.func @f(%a: tensor<6xf64>, %b: tensor<3xf64>, %c: tensor<4xf64>)
    -> tensor<4xf64> {
  %ad = tensor.cast %a : tensor<6xf64> to tensor<?xf64>
  %bd = tensor.cast %b : tensor<3xf64> to tensor<?xf64>
  %cd = tensor.cast %c : tensor<4xf64> to tensor<?xf64>
  %yd = linalg.conv_1d ins(%ad, %bd : tensor<?xf64>, tensor<?xf64>)
    outs(%cd : tensor<?xf64>) -> tensor<?xf64>
  %y = tensor.cast %yd : tensor<?xf64> to tensor<4xf64>
  return %y : tensor<4xf64>
})"},
    {"depthwise_conv_2d_nhwc_hwc", R"(
func.func @f(%a: tensor<1x4x4x2xf64>, %b: tensor<3x2x2xf64>,
             %c: tensor<1x2x3x2xf64>) -> tensor<1x2x3x2xf64> {
  %y = linalg.depthwise_conv_2d_nhwc_hwc
    ins(%a, %b : tensor<1x4x4x2xf64>, tensor<3x2x2xf64>)
    outs(%c : tensor<1x2x3x2xf64>) -> tensor<1x2x3x2xf64>
  return %y : tensor<1x2x3x2xf64>
})"},
    {"pooling_nhwc_sum", R"(
func.func @f(%a: tensor<1x4x4x2xf64>, %c: tensor<1x2x3x2xf64>)
    -> tensor<1x2x3x2xf64> {
  %w = tensor.empty() : tensor<3x2xf64>
  %y = linalg.pooling_nhwc_sum
    ins(%a, %w : tensor<1x4x4x2xf64>, tensor<3x2xf64>)
    outs(%c : tensor<1x2x3x2xf64>) -> tensor<1x2x3x2xf64>
  return %y : tensor<1x2x3x2xf64>
})"},
    {"pooling_nhwc_max, dynamic sizes", R"(
func.func @f(%a: tensor<1x4x4x2xf64>, %c: tensor<1x2x3x2xf64>)
    -> tensor<1x2x3x2xf64> {
  %three = arith.constant 3 : index
  %ad = tensor.cast %a : tensor<1x4x4x2xf64> to tensor<?x?x4x2xf64>
  %cd = tensor.cast %c : tensor<1x2x3x2xf64> to tensor<?x?x3x2xf64>
  %w = tensor.empty(%three) : tensor<?x2xf64>
  %yd = linalg.pooling_nhwc_max
    ins(%ad, %w : tensor<?x?x4x2xf64>, tensor<?x2xf64>)
    outs(%cd : tensor<?x?x3x2xf64>) -> tensor<?x?x3x2xf64>
  %y = tensor.cast %yd : tensor<?x?x3x2xf64> to tensor<1x2x3x2xf64>
  return %y : tensor<1x2x3x2xf64>
})"},
};

/// The sum over the middle axis of two tensors of the given element type, each
/// made of f64.
const std::string mixedMatmul = R"(
func.func @f(%a: tensor<2x3xf64>, %b: tensor<3x4xf64>, %c: tensor<2x4xf64>)
    -> tensor<2x4xf64> {
  %a0 = arith.truncf %a : tensor<2x3xf64> to tensor<2x3xf32>
  %b0 = arith.truncf %b : tensor<3x4xf64> to tensor<3x4xf32>
  %c0 = arith.truncf %c : tensor<2x4xf64> to tensor<2x4xf32>
  %a1 = arith.truncf %a0 : tensor<2x3xf32> to tensor<2x3xNARROW>
  %b1 = arith.truncf %b0 : tensor<3x4xf32> to tensor<3x4xNARROW>
  %y0 = linalg.matmul ins(%a1, %b1 : tensor<2x3xNARROW>, tensor<3x4xNARROW>)
    outs(%c0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %y = arith.extf %y0 : tensor<2x4xf32> to tensor<2x4xf64>
  return %y : tensor<2x4xf64>
})";

/// Where a maximum or minimum is attained more than once.
struct Tie {
  const char *reduction;
  Numbers x;        // four values and the init
  Numbers gradient; // of a seed of 1
};

const std::vector<Tie> ties = {
    {"maximumf", {1, 3, 3, 2, -9}, {0, 0.5, 0.5, 0, 0}},
    {"maximumf", {1, 3, 3, 2, 3}, {0, 1. / 3, 1. / 3, 0, 1. / 3}},
    {"maximumf", {1, 2, 3, 2, 7}, {0, 0, 0, 0, 1}},
    {"minimumf", {1, 1, 1, 1, 9}, {0.25, 0.25, 0.25, 0.25, 0}},
    {"maxnumf", {1, NAN, 3, 2, 0}, {0, 0, 1, 0, 0}},
    {"maximumf", {1, NAN, 3, 2, 0}, {NAN, NAN, NAN, NAN, NAN}},
};

const std::string tieText = R"(
func.func @f(%a: tensor<4xf64>, %c: tensor<f64>) -> tensor<f64> {
  %y = linalg.reduce {arith.REDUCTION} ins(%a : tensor<4xf64>)
    outs(%c : tensor<f64>) dimensions = [0]
  return %y : tensor<f64>
})";

std::string replace(std::string text, const std::string &word,
                    const std::string &by) {
  for (size_t at; (at = text.find(word)) != std::string::npos;)
    text.replace(at, word.size(), by);
  return text;
}

double dot(const Numbers &a, const Numbers &b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

class LinalgAdjoints : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    programs = new RulePrograms;
    for (const Program &program : programTexts)
      programs->add(program.text);
    for (const char *narrow : {"f16", "bf16"})
      firstMixed = std::min(
          firstMixed, programs->add(replace(mixedMatmul, "NARROW", narrow)));
    for (const Tie &tie : ties)
      firstTie =
          std::min(firstTie,
                   programs->add(replace(tieText, "REDUCTION", tie.reduction)));
    programs->compile();
  }
  static void TearDownTestSuite() { delete programs; }

  /// Checks <J ẋ, ȳ> = <ẋ, J^T ȳ> for random ẋ and ȳ, J ẋ by central
  /// differences, with all arguments active and with one at a time.
  void checkTransposed(unsigned program);

  std::mt19937 random{3};
  static unsigned firstMixed, firstTie;
  static RulePrograms *programs;
};

unsigned LinalgAdjoints::firstMixed = ~0u;
unsigned LinalgAdjoints::firstTie = ~0u;
RulePrograms *LinalgAdjoints::programs;

void LinalgAdjoints::checkTransposed(unsigned program) {
  std::uniform_real_distribution<double> drawPrimal(0.5, 1.5);
  std::normal_distribution<double> draw;
  const double step = 1e-6;
  Numbers x(programs->getNumInputs(program)), dx(x.size());
  Numbers dy(programs->getNumOutputs(program));
  for (double &number : x)
    number = drawPrimal(random);
  for (double &number : dx)
    number = draw(random);
  for (double &number : dy)
    number = draw(random);
  Numbers right = x, left = x;
  for (size_t i = 0; i < x.size(); ++i) {
    right[i] += step * dx[i];
    left[i] -= step * dx[i];
  }
  Numbers difference = programs->run(program, right);
  Numbers below = programs->run(program, left);
  double scale = 1;
  for (size_t i = 0; i < difference.size(); ++i) {
    difference[i] = (difference[i] - below[i]) / (2 * step);
    scale += std::abs(difference[i] * dy[i]);
  }
  Numbers adjoint = programs->runAdjoint(program, x, dy);
  EXPECT_NEAR(dot(difference, dy), dot(dx, adjoint), 1e-7 * scale);
  for (unsigned argument = 0; argument < programs->getNumArguments(program);
       ++argument) {
    Numbers alone = programs->runAdjoint(program, x, dy, argument);
    auto [begin, end] = programs->getArgument(program, argument);
    for (size_t i = 0; i < alone.size(); ++i)
      EXPECT_EQ(alone[i], i >= begin && i < end ? adjoint[i] : 0.0)
          << "argument " << argument << " alone";
  }
}

} // namespace

TEST_F(LinalgAdjoints, AreTheTransposes) {
  for (size_t i = 0; i < programTexts.size(); ++i) {
    SCOPED_TRACE(programTexts[i].name);
    checkTransposed(i);
  }
}

TEST_F(LinalgAdjoints, WorkInMixedPrecision) {
  std::uniform_real_distribution<double> draw(-1, 1);
  Numbers x(programs->getNumInputs(0)), dy(programs->getNumOutputs(0));
  for (double &number : x)
    number = draw(random);
  for (double &number : dy)
    number = draw(random);
  Numbers wide = programs->runAdjoint(0, x, dy);
  for (auto [program, tolerance] :
       {std::pair{firstMixed, 4e-3}, std::pair{firstMixed + 1, 3e-2}}) {
    Numbers narrow = programs->runAdjoint(program, x, dy);
    for (size_t i = 0; i < wide.size(); ++i)
      EXPECT_NEAR(narrow[i], wide[i], tolerance) << "element " << i;
  }
}

TEST_F(LinalgAdjoints, ShareEvenlyBetweenTies) {
  for (size_t i = 0; i < ties.size(); ++i) {
    SCOPED_TRACE("tie " + std::to_string(i));
    Numbers gradient = programs->runAdjoint(firstTie + i, ties[i].x, {1.0});
    for (size_t j = 0; j < gradient.size(); ++j)
      if (std::isnan(ties[i].gradient[j]))
        EXPECT_TRUE(std::isnan(gradient[j])) << "element " << j;
      else
        EXPECT_DOUBLE_EQ(gradient[j], ties[i].gradient[j]) << "element " << j;
  }
}
