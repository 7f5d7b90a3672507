//===- LocalProgramsTest.cpp - What ranks compute, from text to values ----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramRunner.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdio>

using namespace mlir::comm;

TEST(LocalPrograms, Contractions) {
  const std::vector<std::string> inputs = {"0=[[1,2,3],[4,5,6]]",
                                           "1=[[1,0],[2,1],[0,3]]"};
  for (const char *type : {"f32", "f64", "f16", "bf16"}) {
    std::string t = type;
    EXPECT_EQ(
        runProgram("func.func @main(%a: tensor<2x3x" + t +
                       ">, %b: tensor<3x2x" + t + ">) -> tensor<2x2x" + t +
                       "> {\n"
                       "  %e = tensor.empty() : tensor<2x2x" +
                       t +
                       ">\n"
                       "  %z = arith.constant 0.0 : " +
                       t +
                       "\n"
                       "  %f = linalg.fill ins(%z : " +
                       t + ") outs(%e : tensor<2x2x" + t + ">) -> tensor<2x2x" +
                       t +
                       ">\n"
                       "  %c = linalg.matmul ins(%a, %b : tensor<2x3x" +
                       t + ">, tensor<3x2x" + t + ">) outs(%f : tensor<2x2x" +
                       t + ">) -> tensor<2x2x" + t +
                       ">\n"
                       "  return %c : tensor<2x2x" +
                       t + ">\n}",
                   inputs, {"0=[[5,11],[14,23]]"}),
        "")
        << t;
  }
}

TEST(LocalPrograms, ContractionsWithTransposes) {
  // C += A^T B, its transpose, and one with strided operands; C is kept.
  EXPECT_EQ(runProgram(R"mlir(
func.func @main(%a: tensor<3x2xf32>, %b: tensor<3x2xf32>, %c: tensor<2x2xf32>)
    -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<f32>, tensor<2x2xf32>) {
  %e = tensor.empty() : tensor<2x3xf32>
  %t = linalg.transpose ins(%a : tensor<3x2xf32>) outs(%e : tensor<2x3xf32>) permutation = [1, 0]
  %0 = linalg.matmul ins(%t, %b : tensor<2x3xf32>, tensor<3x2xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>]
      ins(%a, %b : tensor<3x2xf32>, tensor<3x2xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  %column = tensor.extract_slice %b[0, 1] [3, 1] [1, 1] : tensor<3x2xf32> to tensor<3xf32>
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %2 = linalg.vecmat ins(%column, %a : tensor<3xf32>, tensor<3x2xf32>) outs(%zero : tensor<2xf32>) -> tensor<2xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %3 = linalg.dot ins(%column, %column : tensor<3xf32>, tensor<3xf32>) outs(%one : tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3, %c : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<f32>, tensor<2x2xf32>
}
)mlir",
                       {"0=[[1,4],[2,5],[3,6]]", "1=[[1,0],[2,1],[0,3]]",
                        "2=[[100,200],[300,400]]"},
                       {"0=[[105,211],[314,423]]", "1=[[105,214],[311,423]]",
                        "2=[11,23]", "3=11", "4=[[100,200],[300,400]]"}),
            "");
}

TEST(LocalPrograms, ContractionsOfManyDimensions) {
  // Attention scores: two batch dimensions that do not lie next to each other,
  // and a product over two dimensions; dynamic sizes.
  EXPECT_EQ(runProgram(R"mlir(
func.func @main(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %c: tensor<1x2x2x1xf32>, %d: tensor<1x2xf32>)
    -> (tensor<1x2x2x1xf32>, tensor<1x2xf32>) {
  %0 = linalg.contract indexing_maps = [
      affine_map<(b, h, s, t, d) -> (b, s, h, d)>, affine_map<(b, h, s, t, d) -> (b, t, h, d)>,
      affine_map<(b, h, s, t, d) -> (b, h, s, t)>]
      ins(%q, %k : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%c : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  %1 = linalg.contract indexing_maps = [
      affine_map<(b, s, t, h, d) -> (b, s, h, d)>, affine_map<(b, s, t, h, d) -> (b, t, h, d)>,
      affine_map<(b, s, t, h, d) -> (t, s)>]
      ins(%q, %k : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%d : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %0, %1 : tensor<1x2x2x1xf32>, tensor<1x2xf32>
}
)mlir",
                       {"0=1x2x2x2xf32=1,2,3,4,5,6,7,8",
                        "1=1x1x2x2xf32=1,10,2,20", "2=0,0,0,1000", "3=0,0"},
                       {"0=[[[[21],[65]],[[86],[1174]]]]", "1=[[107,239]]"}),
            "");
}

TEST(LocalPrograms, Aliases) {
  // Results that are an argument, each other, a constant, or a private
  // function's argument, and an update in place of a value that is used later.
  EXPECT_EQ(runProgram(R"mlir(
func.func private @identity(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func private @overwritten(%x: tensor<2xf32>) -> tensor<2xf32> {
  %one = arith.constant 1.0 : f32
  %0 = arith.constant 0 : index
  %y = tensor.insert %one into %x[%0] : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %c = arith.constant dense<[7.0, 8.0]> : tensor<2xf32>
  %0 = call @identity(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @overwritten(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @overwritten(%c) : (tensor<2xf32>) -> tensor<2xf32>
  return %x, %0, %1, %2, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
)mlir",
                       {"0=5,6"},
                       {"0=5,6", "1=5,6", "2=1,6", "3=1,8", "4=7,8"}),
            "");
}

TEST(LocalPrograms, StridedResults) {
  EXPECT_EQ(runProgram(R"mlir(
func.func private @column(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %y = tensor.extract_slice %x[0, 1] [2, 1] [1, 1] : tensor<2x3xf32> to tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = arith.addf %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = call @column(%x) : (tensor<2x3xf32>) -> tensor<2xf32>
  %y = tensor.extract_slice %x[0, 2] [2, 1] [1, 1] : tensor<2x3xf32> to tensor<2xf32>
  %1 = call @twice(%y) : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
)mlir",
                       {"0=[[1,2,3],[4,5,6]]"}, {"0=2,5", "1=6,12"}),
            "");
}

struct MathFunction {
  const char *name;
  double (*compute)(double);
};
static const MathFunction mathFunctions[] = {
    {"absf", [](double x) { return std::abs(x); }},
    {"acos", [](double x) { return std::acos(x); }},
    {"acosh", [](double x) { return std::acosh(x); }},
    {"asin", [](double x) { return std::asin(x); }},
    {"asinh", [](double x) { return std::asinh(x); }},
    {"atan", [](double x) { return std::atan(x); }},
    {"atanh", [](double x) { return std::atanh(x); }},
    {"cbrt", [](double x) { return std::cbrt(x); }},
    {"ceil", [](double x) { return std::ceil(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"cosh", [](double x) { return std::cosh(x); }},
    {"erf", [](double x) { return std::erf(x); }},
    {"erfc", [](double x) { return std::erfc(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"exp2", [](double x) { return std::exp2(x); }},
    {"expm1", [](double x) { return std::expm1(x); }},
    {"floor", [](double x) { return std::floor(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"log10", [](double x) { return std::log10(x); }},
    {"log1p", [](double x) { return std::log1p(x); }},
    {"log2", [](double x) { return std::log2(x); }},
    {"round", [](double x) { return std::round(x); }},
    {"roundeven", [](double x) { return std::nearbyint(x); }},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
    {"sin", [](double x) { return std::sin(x); }},
    {"sinh", [](double x) { return std::sinh(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},
    {"trunc", [](double x) { return std::trunc(x); }},
};

TEST(LocalPrograms, Math) {
  for (const char *type : {"f32", "f64", "f16", "bf16"})
    for (const MathFunction &function : mathFunctions) {
      std::string name = function.name, t = type;
      double x = name == "acosh" ? 1.5 : 0.625;
      char expected[32];
      std::snprintf(expected, sizeof expected, "0=%.17g", function.compute(x));
      EXPECT_EQ(runProgram("func.func @main(%x: tensor<1x" + t +
                               ">) -> tensor<1x" + t + "> {\n  %y = math." +
                               name + " %x : tensor<1x" + t +
                               ">\n  return %y : tensor<1x" + t + ">\n}",
                           {"0=" + std::to_string(x)}, {expected}),
                "")
          << name << " " << t;
    }
}

TEST(LocalPrograms, NarrowingRoundsOnce) {
  // 1 + 2^-11 + 2^-40 is just above the middle of two f16, 1 + 2^-8 + 2^-40 of
  // two bf16: rounded to f32 first, it would be the middle and go down.
  EXPECT_EQ(
      runProgram(R"mlir(
func.func @main(%x: f64, %y: f64, %z: f64, %u: f64) -> (f16, bf16, f16, bf16, f16) {
  %0 = arith.truncf %x : f64 to f16
  %1 = arith.truncf %y : f64 to bf16
  %2 = arith.truncf %z : f64 to f16
  %3 = arith.truncf %z : f64 to bf16
  %4 = arith.truncf %u : f64 to f16
  return %0, %1, %2, %3, %4 : f16, bf16, f16, bf16, f16
}
)mlir",
                 {"0=1.00048828125090949470", "1=1.00390625000090949470",
                  "2=-1e300", "3=-1.00048828124909050530"},
                 {"0=1.0009765625", "1=1.0078125", "2=-inf", "3=-inf", "4=-1"}),
      "");
}

TEST(LocalPrograms, Classification) {
  EXPECT_EQ(runProgram(R"mlir(
func.func @main(%x: f16, %y: bf16, %z: f64) -> (i1, i1, i1, i1, f64) {
  %0 = math.isnormal %x : f16
  %1 = math.isinf %y : bf16
  %2 = math.isnan %z : f64
  %3 = math.isfinite %y : bf16
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %4 = math.clampf %z to [%one, %two] : f64
  return %0, %1, %2, %3, %4 : i1, i1, i1, i1, f64
}
)mlir",
                       // The smallest normal f16 is 6.1e-5.
                       {"0=3e-5", "1=-inf", "2=7"},
                       {"0=0", "1=1", "2=0", "3=0", "4=2"}),
            "");
}

TEST(LocalPrograms, Arithmetic) {
  for (const char *type : {"f32", "f64", "f16", "bf16"}) {
    std::string t = type;
    EXPECT_EQ(runProgram("func.func @main(%x: " + t + ", %y: " + t +
                             ", %b: i1, %i: "
                             "i32) -> (" +
                             t + ", " + t + ", " + t + ", i1, i32, " + t +
                             ") {\n"
                             "  %0 = math.powf %x, %y : " +
                             t +
                             "\n"
                             "  %1 = math.fma %x, %y, %x : " +
                             t +
                             "\n"
                             "  %2 = arith.maximumf %x, %y : " +
                             t +
                             "\n"
                             "  %3 = arith.cmpf olt, %x, %y : " +
                             t +
                             "\n"
                             "  %4 = arith.fptosi %x : " +
                             t +
                             " to i32\n"
                             "  %5 = arith.sitofp %i : i32 to " +
                             t +
                             "\n"
                             "  %6 = arith.divf %5, %y : " +
                             t +
                             "\n"
                             "  %7 = arith.xori %3, %b : i1\n"
                             "  return %0, %1, %2, %7, %4, %6 : " +
                             t + ", " + t + ", " + t + ", i1, i32, " + t +
                             "\n}",
                         {"0=2.5", "1=2", "2=1", "3=7"},
                         {"0=6.25", "1=7.5", "2=2.5", "3=1", "4=2", "5=3.5"}),
              "")
        << t;
  }
}

TEST(LocalPrograms, TensorOps) {
  EXPECT_EQ(
      runProgram(R"mlir(
func.func @main(%x: tensor<2x2xf32>, %n: index) -> (tensor<2x4xf32>, tensor<3x2xf32>, tensor<?xindex>, tensor<2x2xf32>) {
  %0 = tensor.concat dim(1) %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
  %z = arith.constant 9.0 : f32
  %1 = tensor.pad %x low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<2x2xf32> to tensor<3x2xf32>
  %2 = tensor.generate %n {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<?xindex>
  %e = tensor.empty() : tensor<2x2xf32>
  %3 = linalg.softmax dimension(1) ins(%x : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1, %2, %3 : tensor<2x4xf32>, tensor<3x2xf32>, tensor<?xindex>, tensor<2x2xf32>
}
)mlir",
                 {"0=[[1,1],[3,4]]", "1=3"},
                 {"0=[[1,1,1,1],[3,4,3,4]]", "1=[[9,9],[1,1],[3,4]]",
                  "2=3xi64=0,1,2", "3=[[0.5,0.5],[0.26894143,0.73105857]]"}),
      "");
}

TEST(LocalPrograms, ControlFlow) {
  EXPECT_EQ(runProgram(R"mlir(
func.func @main(%x: tensor<2xf32>, %n: index) -> tensor<2xf32> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %y = scf.for %i = %0 to %n step %1 iter_args(%acc = %x) -> tensor<2xf32> {
    %odd = arith.remui %i, %n : index
    %isFirst = arith.cmpi eq, %i, %0 : index
    %next = scf.if %isFirst -> tensor<2xf32> {
      scf.yield %acc : tensor<2xf32>
    } else {
      %sum = arith.addf %acc, %x : tensor<2xf32>
      scf.yield %sum : tensor<2xf32>
    }
    scf.yield %next : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}
)mlir",
                       {"0=1,2", "1=4"}, {"0=4,8"}),
            "");
}
