//===- LinalgContractionPrograms.cpp - Contractions to differentiate ------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgPrograms.h"

using namespace mlir::comm::testing;

const std::vector<Program> mlir::comm::testing::contractions = {
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
};

const std::vector<Program> mlir::comm::testing::convolutions = {
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
