//===- CheckTransposed.cpp - An adjoint against differences ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RulePrograms.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir::comm::testing;

static double dot(const Numbers &a, const Numbers &b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

void mlir::comm::testing::checkTransposed(RulePrograms &programs,
                                          unsigned program, const Numbers &x,
                                          std::mt19937 &random) {
  std::normal_distribution<double> draw;
  const double step = 1e-5;
  Numbers dx(x.size()), dy(programs.getNumOutputs(program));
  for (double &number : dx)
    number = draw(random);
  for (double &number : dy)
    number = draw(random);
  Numbers right = x, left = x;
  for (size_t i = 0; i < x.size(); ++i) {
    right[i] += step * dx[i];
    left[i] -= step * dx[i];
  }
  Numbers difference = programs.run(program, right);
  Numbers below = programs.run(program, left);
  double scale = 1;
  for (size_t i = 0; i < difference.size(); ++i) {
    difference[i] = (difference[i] - below[i]) / (2 * step);
    scale += std::abs(difference[i] * dy[i]);
  }
  Numbers adjoint = programs.runAdjoint(program, x, dy);
  EXPECT_NEAR(dot(difference, dy), dot(dx, adjoint), 1e-7 * scale);
  programs.expectTangents(program, x, dx, dy, adjoint);
  for (unsigned argument = 0; argument < programs.getNumArguments(program);
       ++argument) {
    Numbers alone = programs.runAdjoint(program, x, dy, argument);
    auto [begin, end] = programs.getArgument(program, argument);
    for (size_t i = 0; i < alone.size(); ++i)
      EXPECT_EQ(alone[i], i >= begin && i < end ? adjoint[i] : 0.0)
          << "argument " << argument << " alone";
  }
}
