//===- RuleTexts.cpp - Ops of arith, math and tensor to differentiate -----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RulePrograms.h"

using namespace mlir::comm::testing;

const std::vector<const char *> mlir::comm::testing::ruleTexts = {
    // arith.select: scalar condition, then a tensor of conditions.
    R"(func.func @f(%x: f64, %y: f64) -> f64 {
      %c = arith.constant true
      %z = arith.select %c, %x, %y : f64
      return %z : f64
    })",
    R"(func.func @f(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
      %one = arith.constant dense<1.0> : tensor<3xf64>
      %c = arith.cmpf olt, %x, %one : tensor<3xf64>
      %z = arith.select %c, %x, %y : tensor<3xi1>, tensor<3xf64>
      return %z : tensor<3xf64>
    })",
    R"(func.func @f(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
      %c = arith.constant false
      %xd = tensor.cast %x : tensor<3xf64> to tensor<?xf64>
      %yd = tensor.cast %y : tensor<3xf64> to tensor<?xf64>
      %zd = arith.select %c, %xd, %yd : tensor<?xf64>
      %z = tensor.cast %zd : tensor<?xf64> to tensor<3xf64>
      return %z : tensor<3xf64>
    })",
    // math.sincos: both results, and one of them.
    R"(func.func @f(%x: f64) -> (f64, f64) {
      %s, %c = math.sincos %x : f64
      return %s, %c : f64, f64
    })",
    R"(func.func @f(%x: f64) -> f64 {
      %s, %c = math.sincos %x : f64
      return %s : f64
    })",
    R"(func.func @f(%x: f64) -> f64 {
      %s, %c = math.sincos %x : f64
      return %c : f64
    })",
    // math.fpowi
    R"(func.func @f(%x: f64) -> f64 {
      %n = arith.constant 3 : i32
      %y = math.fpowi %x, %n : f64, i32
      return %y : f64
    })",
    R"(func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
      %n = arith.constant dense<[-2, 0, 1, 4]> : tensor<4xi32>
      %y = math.fpowi %x, %n : tensor<4xf64>, tensor<4xi32>
      return %y : tensor<4xf64>
    })",
    // A value used twice.
    R"(func.func @f(%x: f64) -> f64 {
      %y = arith.mulf %x, %x : f64
      %z = math.powf %y, %x : f64
      return %z : f64
    })",
    // tensor.extract_slice: strided, rank-reduced, all dynamic.
    R"(func.func @f(%x: tensor<4x5xf64>) -> tensor<2x2xf64> {
      %y = tensor.extract_slice %x[1, 0] [2, 2] [2, 3]
        : tensor<4x5xf64> to tensor<2x2xf64>
      return %y : tensor<2x2xf64>
    })",
    R"(func.func @f(%x: tensor<4x5xf64>) -> tensor<3xf64> {
      %y = tensor.extract_slice %x[2, 1] [1, 3] [1, 1]
        : tensor<4x5xf64> to tensor<3xf64>
      return %y : tensor<3xf64>
    })",
    R"(func.func @f(%x: tensor<4x5xf64>) -> tensor<2x2xf64> {
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %xd = tensor.cast %x : tensor<4x5xf64> to tensor<?x5xf64>
      %yd = tensor.extract_slice %xd[%one, 0] [%two, 2] [1, %two]
        : tensor<?x5xf64> to tensor<?x2xf64>
      %y = tensor.cast %yd : tensor<?x2xf64> to tensor<2x2xf64>
      return %y : tensor<2x2xf64>
    })",
    // tensor.insert_slice
    R"(func.func @f(%x: tensor<2x2xf64>, %y: tensor<4x5xf64>)
        -> tensor<4x5xf64> {
      %z = tensor.insert_slice %x into %y[1, 0] [2, 2] [2, 3]
        : tensor<2x2xf64> into tensor<4x5xf64>
      return %z : tensor<4x5xf64>
    })",
    R"(func.func @f(%x: tensor<3xf64>, %y: tensor<4x5xf64>)
        -> tensor<4x5xf64> {
      %z = tensor.insert_slice %x into %y[2, 1] [1, 3] [1, 1]
        : tensor<3xf64> into tensor<4x5xf64>
      return %z : tensor<4x5xf64>
    })",
    R"(func.func @f(%x: tensor<3xf64>, %y: tensor<4x5xf64>)
        -> tensor<4x5xf64> {
      %one = arith.constant 1 : index
      %three = arith.constant 3 : index
      %xd = tensor.cast %x : tensor<3xf64> to tensor<?xf64>
      %yd = tensor.cast %y : tensor<4x5xf64> to tensor<?x?xf64>
      %zd = tensor.insert_slice %xd into %yd[%three, %one] [1, %three] [1, 1]
        : tensor<?xf64> into tensor<?x?xf64>
      %z = tensor.cast %zd : tensor<?x?xf64> to tensor<4x5xf64>
      return %z : tensor<4x5xf64>
    })",
    // tensor.pad
    R"(func.func @f(%x: tensor<2x3xf64>) -> tensor<4x5xf64> {
      %v = arith.constant 7.0 : f64
      %y = tensor.pad %x low[1, 0] high[1, 2] {
      ^bb0(%i: index, %j: index):
        tensor.yield %v : f64
      } : tensor<2x3xf64> to tensor<4x5xf64>
      return %y : tensor<4x5xf64>
    })",
    R"(func.func @f(%x: tensor<2x3xf64>) -> tensor<4x5xf64> {
      %v = arith.constant 7.0 : f64
      %one = arith.constant 1 : index
      %xd = tensor.cast %x : tensor<2x3xf64> to tensor<?x3xf64>
      %yd = tensor.pad %xd low[%one, 0] high[1, 2] {
      ^bb0(%i: index, %j: index):
        tensor.yield %v : f64
      } : tensor<?x3xf64> to tensor<?x5xf64>
      %y = tensor.cast %yd : tensor<?x5xf64> to tensor<4x5xf64>
      return %y : tensor<4x5xf64>
    })",
    // tensor.concat: static, then dynamic along its dimension.
    R"(func.func @f(%x: tensor<2x1xf64>, %y: tensor<2x3xf64>,
                    %z: tensor<2x2xf64>) -> tensor<2x6xf64> {
      %r = tensor.concat dim(1) %x, %y, %z
        : (tensor<2x1xf64>, tensor<2x3xf64>, tensor<2x2xf64>) -> tensor<2x6xf64>
      return %r : tensor<2x6xf64>
    })",
    R"(func.func @f(%x: tensor<1x2xf64>, %y: tensor<3x2xf64>,
                    %z: tensor<2x2xf64>) -> tensor<6x2xf64> {
      %xd = tensor.cast %x : tensor<1x2xf64> to tensor<?x2xf64>
      %yd = tensor.cast %y : tensor<3x2xf64> to tensor<?x?xf64>
      %rd = tensor.concat dim(0) %xd, %yd, %z
        : (tensor<?x2xf64>, tensor<?x?xf64>, tensor<2x2xf64>) -> tensor<?x2xf64>
      %r = tensor.cast %rd : tensor<?x2xf64> to tensor<6x2xf64>
      return %r : tensor<6x2xf64>
    })",
    // Shapes.
    R"(func.func @f(%x: tensor<6xf64>) -> tensor<2x3xf64> {
      %y = tensor.expand_shape %x [[0, 1]] output_shape [2, 3]
        : tensor<6xf64> into tensor<2x3xf64>
      return %y : tensor<2x3xf64>
    })",
    R"(func.func @f(%x: tensor<6xf64>) -> tensor<2x3xf64> {
      %two = arith.constant 2 : index
      %xd = tensor.cast %x : tensor<6xf64> to tensor<?xf64>
      %yd = tensor.expand_shape %xd [[0, 1]] output_shape [%two, 3]
        : tensor<?xf64> into tensor<?x3xf64>
      %y = tensor.cast %yd : tensor<?x3xf64> to tensor<2x3xf64>
      return %y : tensor<2x3xf64>
    })",
    R"(func.func @f(%x: tensor<2x3x2xf64>) -> tensor<6x2xf64> {
      %y = tensor.collapse_shape %x [[0, 1], [2]]
        : tensor<2x3x2xf64> into tensor<6x2xf64>
      return %y : tensor<6x2xf64>
    })",
    R"(func.func @f(%x: tensor<2x3xf64>) -> tensor<6xf64> {
      %xd = tensor.cast %x : tensor<2x3xf64> to tensor<?x?xf64>
      %yd = tensor.collapse_shape %xd [[0, 1]]
        : tensor<?x?xf64> into tensor<?xf64>
      %y = tensor.cast %yd : tensor<?xf64> to tensor<6xf64>
      return %y : tensor<6xf64>
    })",
    R"(func.func @f(%x: tensor<2x3xf64>) -> tensor<3x2xf64> {
      %s = arith.constant dense<[3, 2]> : tensor<2xindex>
      %y = tensor.reshape %x(%s)
        : (tensor<2x3xf64>, tensor<2xindex>) -> tensor<3x2xf64>
      return %y : tensor<3x2xf64>
    })",
    R"(func.func @f(%x: tensor<2x3xf64>) -> tensor<3x2xf64> {
      %s = arith.constant dense<[3, 2]> : tensor<2xindex>
      %xd = tensor.cast %x : tensor<2x3xf64> to tensor<?x3xf64>
      %y = tensor.reshape %xd(%s)
        : (tensor<?x3xf64>, tensor<2xindex>) -> tensor<3x2xf64>
      return %y : tensor<3x2xf64>
    })",
    R"(func.func @f(%x: f64) -> tensor<2x3xf64> {
      %y = tensor.splat %x : tensor<2x3xf64>
      return %y : tensor<2x3xf64>
    })",
    R"(func.func @f(%x: f64) -> tensor<2x3xf64> {
      %two = arith.constant 2 : index
      %yd = tensor.splat %x[%two] : tensor<?x3xf64>
      %y = tensor.cast %yd : tensor<?x3xf64> to tensor<2x3xf64>
      return %y : tensor<2x3xf64>
    })",
    R"(func.func @f(%x: tensor<2x3xf64>) -> f64 {
      %one = arith.constant 1 : index
      %xd = tensor.cast %x : tensor<2x3xf64> to tensor<?x3xf64>
      %y = tensor.extract %xd[%one, %one] : tensor<?x3xf64>
      return %y : f64
    })",
    R"(func.func @f(%s: f64, %x: tensor<2x3xf64>) -> tensor<2x3xf64> {
      %one = arith.constant 1 : index
      %y = tensor.insert %s into %x[%one, %one] : tensor<2x3xf64>
      return %y : tensor<2x3xf64>
    })",
    R"(func.func @f(%a: f64, %b: f64, %c: f64, %d: f64) -> tensor<2x2xf64> {
      %y = tensor.from_elements %a, %b, %c, %d : tensor<2x2xf64>
      return %y : tensor<2x2xf64>
    })",
    R"(func.func @f(%a: f64) -> f64 {
      %zero = tensor.from_elements %a : tensor<f64>
      %y = tensor.extract %zero[] : tensor<f64>
      return %y : f64
    })",
};
