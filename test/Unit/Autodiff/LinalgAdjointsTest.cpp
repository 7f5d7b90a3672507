//===- LinalgAdjointsTest.cpp - Linalg's adjoints against differences -----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgPrograms.h"
#include "RulePrograms.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace mlir::comm::testing;

namespace {

const std::vector<Program> *const tables[] = {
    &contractions, &elementwiseOps, &movements, &reductions, &convolutions};

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

class LinalgAdjoints : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    programs = new RulePrograms;
    for (const std::vector<Program> *table : tables)
      for (const Program &program : *table)
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

  std::mt19937 random{3};
  static unsigned firstMixed, firstTie;
  static RulePrograms *programs;
};

unsigned LinalgAdjoints::firstMixed = ~0u;
unsigned LinalgAdjoints::firstTie = ~0u;
RulePrograms *LinalgAdjoints::programs;

} // namespace

TEST_F(LinalgAdjoints, AreTheTransposes) {
  std::uniform_real_distribution<double> draw(0.5, 1.5);
  unsigned number = 0;
  for (const std::vector<Program> *table : tables)
    for (const Program &program : *table) {
      SCOPED_TRACE(program.name);
      Numbers x(programs->getNumInputs(number));
      for (double &element : x)
        element = draw(random);
      checkTransposed(*programs, number++, x, random);
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
    Numbers dx;
    double expected = 0;
    for (size_t j = 0; j < gradient.size(); ++j) {
      dx.push_back(j + 1);
      expected += dx[j] * ties[i].gradient[j];
    }
    double tangent = programs->runTangent(firstTie + i, ties[i].x, dx,
                                          /*transposed=*/false)[0];
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(tangent));
    else
      EXPECT_DOUBLE_EQ(tangent, expected);
  }
}
