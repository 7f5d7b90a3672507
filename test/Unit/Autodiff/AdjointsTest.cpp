//===- AdjointsTest.cpp - Every adjoint rule against differences ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RulePrograms.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "comm/Interfaces/RegionAdjointOpInterface.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::testing;

namespace {

/// An op `OP %a, %b, ... : type` and points away from its kinks.
struct Elementwise {
  const char *op;
  std::vector<Numbers> points;
};

const std::vector<Elementwise> elementwiseOps = {
    {"arith.negf", {{0.3}, {-1.2}, {2.0}}},
    {"arith.addf", {{0.3, 1.5}, {-1.2, 0.7}, {2.0, -0.4}}},
    {"arith.subf", {{0.3, 1.5}, {-1.2, 0.7}, {2.0, -0.4}}},
    {"arith.mulf", {{0.3, 1.5}, {-1.2, 0.7}, {2.0, -0.4}}},
    {"arith.divf", {{0.3, 1.5}, {-1.2, 0.7}, {2.0, -0.4}}},
    {"arith.remf", {{7.3, 2.0}, {-7.3, 2.0}, {7.3, -3.1}}},
    {"arith.maximumf", {{0.3, 1.5}, {-1.2, -2.7}, {2.0, -0.4}}},
    {"arith.minimumf", {{0.3, 1.5}, {-1.2, -2.7}, {2.0, -0.4}}},
    {"arith.maxnumf", {{0.3, 1.5}, {-1.2, -2.7}, {2.0, -0.4}}},
    {"arith.minnumf", {{0.3, 1.5}, {-1.2, -2.7}, {2.0, -0.4}}},
    {"math.absf", {{0.3}, {-1.2}, {2.0}}},
    {"math.acos", {{0.3}, {-0.7}, {0.9}}},
    {"math.acosh", {{1.3}, {2.2}, {5.0}}},
    {"math.asin", {{0.3}, {-0.7}, {0.9}}},
    {"math.asinh", {{0.3}, {-1.2}, {2.0}}},
    {"math.atan", {{0.3}, {-1.2}, {2.0}}},
    {"math.atan2", {{0.3, 1.5}, {-1.2, -0.7}, {2.0, -0.4}}},
    {"math.atanh", {{0.3}, {-0.7}, {0.9}}},
    {"math.cbrt", {{0.3}, {-1.2}, {2.0}}},
    {"math.ceil", {{0.3}, {-1.2}, {2.4}}},
    {"math.copysign", {{0.3, -1.5}, {-1.2, 0.7}, {-2.0, -0.4}}},
    {"math.cos", {{0.3}, {-1.2}, {2.0}}},
    {"math.cosh", {{0.3}, {-1.2}, {2.0}}},
    {"math.erf", {{0.3}, {-1.2}, {2.0}}},
    {"math.erfc", {{0.3}, {-1.2}, {2.0}}},
    {"math.exp", {{0.3}, {-1.2}, {2.0}}},
    {"math.exp2", {{0.3}, {-1.2}, {2.0}}},
    {"math.expm1", {{0.3}, {-1.2}, {2.0}}},
    {"math.floor", {{0.3}, {-1.2}, {2.4}}},
    {"math.fma", {{0.3, 1.5, 2.0}, {-1.2, 0.7, 0.1}, {2.0, -0.4, -3.0}}},
    {"math.log", {{0.3}, {1.2}, {7.0}}},
    {"math.log10", {{0.3}, {1.2}, {7.0}}},
    {"math.log1p", {{0.3}, {-0.7}, {7.0}}},
    {"math.log2", {{0.3}, {1.2}, {7.0}}},
    {"math.powf", {{0.3, 1.5}, {1.2, -0.7}, {2.0, 3.0}}},
    {"math.round", {{0.3}, {-1.2}, {2.4}}},
    {"math.roundeven", {{0.3}, {-1.2}, {2.4}}},
    {"math.rsqrt", {{0.3}, {1.2}, {7.0}}},
    {"math.sin", {{0.3}, {-1.2}, {2.0}}},
    {"math.sinh", {{0.3}, {-1.2}, {2.0}}},
    {"math.sqrt", {{0.3}, {1.2}, {7.0}}},
    {"math.tan", {{0.3}, {-1.2}, {2.0}}},
    {"math.tanh", {{0.3}, {-1.2}, {2.0}}},
    {"math.trunc", {{0.3}, {-1.2}, {2.4}}},
};

/// The op on f64 arguments and an f64 result of shape `shape` ("" or "3x"),
/// itself in `element` and with sizes `inner` ("", "3x" or "?x").
std::string spell(const Elementwise &row, const std::string &shape,
                  const std::string &inner, const std::string &element) {
  auto type = [](const std::string &sizes, const std::string &of) {
    return sizes.empty() ? of : "tensor<" + sizes + of + ">";
  };
  std::string arguments, body, operands;
  unsigned temporaries = 0;
  // Emits `op value : from to type` where the two differ.
  auto convert = [&](const char *op, std::string &value, std::string &from,
                     const std::string &to) {
    if (from == to)
      return;
    std::string result = "%t" + std::to_string(temporaries++);
    body += "  " + result + " = " + op + " " + value + " : " + from + " to " +
            to + "\n";
    value = result;
    from = to;
  };
  std::string outer = type(shape, "f64");
  for (size_t i = 0; i < row.points[0].size(); ++i) {
    std::string comma = i ? ", " : "", value = "%x" + std::to_string(i);
    arguments += comma + value + ": " + outer;
    std::string current = outer;
    convert("tensor.cast", value, current, type(inner, "f64"));
    if (element != "f64")
      convert("arith.truncf", value, current, type(inner, "f32"));
    if (element != "f64")
      convert("arith.truncf", value, current, type(inner, element));
    operands += comma + value;
  }
  std::string current = type(inner, element), value = "%y";
  body +=
      "  %y = " + std::string(row.op) + " " + operands + " : " + current + "\n";
  if (element != "f64")
    convert("arith.extf", value, current, type(inner, "f32"));
  convert("arith.extf", value, current, type(inner, "f64"));
  convert("tensor.cast", value, current, outer);
  return "func.func @f(" + arguments + ") -> " + outer + " {\n" + body +
         "  return " + value + " : " + outer + "\n}\n";
}

/// What a gradient in a narrow type may be off by, relative to 1 + its size:
/// the arguments are rounded too.
const std::vector<std::pair<const char *, double>> narrowTypes = {
    {"bf16", 0.1}, {"f16", 0.02}, {"f32", 1e-5}};

/// Ops of arith, math and tensor with no rule, and why. A float path through
/// one of them is reported by the differentiator, or carries no derivative.
const std::vector<std::pair<const char *, std::vector<const char *>>> noRule = {
    {"no float operands",
     {"arith.constant",
      "arith.addi",
      "arith.addui_extended",
      "arith.andi",
      "arith.ceildivsi",
      "arith.ceildivui",
      "arith.cmpi",
      "arith.divsi",
      "arith.divui",
      "arith.extsi",
      "arith.extui",
      "arith.floordivsi",
      "arith.index_cast",
      "arith.index_castui",
      "arith.maxsi",
      "arith.maxui",
      "arith.minsi",
      "arith.minui",
      "arith.muli",
      "arith.mulsi_extended",
      "arith.mului_extended",
      "arith.ori",
      "arith.remsi",
      "arith.remui",
      "arith.shli",
      "arith.shrsi",
      "arith.shrui",
      "arith.subi",
      "arith.trunci",
      "arith.xori",
      "math.absi",
      "math.ctlz",
      "math.ctpop",
      "math.cttz",
      "math.ipowi",
      "tensor.empty"}},
    {"to or from integers, which carry no derivative",
     {"arith.cmpf", "arith.fptosi", "arith.fptoui", "arith.sitofp",
      "arith.uitofp", "math.isfinite", "math.isinf", "math.isnan",
      "math.isnormal", "tensor.dim", "tensor.rank"}},
    {"a float read as bits has no derivative",
     {"arith.bitcast", "tensor.bitcast"}},
    {"f8 and f4 formats", {"arith.scaling_extf", "arith.scaling_truncf"}},
    {"upstream lowers it to max(min(x, lo), hi), which is hi", {"math.clampf"}},
    {"not supported",
     {"tensor.gather", "tensor.generate", "tensor.parallel_insert_slice",
      "tensor.scatter"}},
    {"terminator", {"tensor.yield"}},
};

class Adjoints : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    programs = new RulePrograms;
    for (const Elementwise &row : elementwiseOps) {
      std::string shape = std::to_string(row.points.size()) + "x";
      unsigned scalar = programs->add(spell(row, "", "", "f64"));
      for (const Numbers &point : row.points)
        samples.push_back({scalar, point});
      Numbers columns;
      for (size_t i = 0; i < row.points[0].size(); ++i)
        for (const Numbers &point : row.points)
          columns.push_back(point[i]);
      unsigned wide = programs->add(spell(row, shape, shape, "f64"));
      samples.push_back({wide, columns});
      samples.push_back(
          {programs->add(spell(row, shape, "?x", "f64")), columns});
      for (auto [element, tolerance] : narrowTypes) {
        unsigned narrow = programs->add(spell(row, shape, "?x", element));
        narrowSamples.push_back({narrow, wide, columns, tolerance});
      }
    }
    std::mt19937 random(1);
    std::uniform_real_distribution<double> draw(0.5, 1.5);
    for (const char *text : ruleTexts) {
      unsigned program = programs->add(text);
      Numbers x(programs->getNumInputs(program));
      for (double &number : x)
        number = draw(random);
      samples.push_back({program, x});
    }
    for (const Edge &edge : edges)
      firstEdge = std::min(firstEdge, programs->add(edge.text));
    programs->compile();
  }
  static void TearDownTestSuite() { delete programs; }

  struct Sample {
    unsigned program;
    Numbers x;
  };

  /// A program in a narrow type, and the same in f64.
  struct NarrowSample {
    unsigned narrow;
    unsigned wide;
    Numbers x;
    double tolerance;
  };

  /// A point where the derivative is a convention, and what it is.
  struct Edge {
    const char *text;
    Numbers x;
    Numbers gradient;
  };

  static const std::vector<Edge> edges;
  static std::vector<Sample> samples;
  static std::vector<NarrowSample> narrowSamples;
  static unsigned firstEdge;
  static RulePrograms *programs;
};

std::vector<Adjoints::Sample> Adjoints::samples;
std::vector<Adjoints::NarrowSample> Adjoints::narrowSamples;
unsigned Adjoints::firstEdge = ~0u;
RulePrograms *Adjoints::programs;

#define BINARY(op)                                                             \
  "func.func @f(%x: f64, %y: f64) -> f64 {\n"                                  \
  "  %z = " op " %x, %y : f64\n  return %z : f64\n}"
#define UNARY(op)                                                              \
  "func.func @f(%x: f64) -> f64 {\n"                                           \
  "  %y = " op " %x : f64\n  return %y : f64\n}"

const std::vector<Adjoints::Edge> Adjoints::edges = {
    {BINARY("arith.maximumf"), {2.0, 2.0}, {0.5, 0.5}},
    {BINARY("arith.minimumf"), {2.0, 2.0}, {0.5, 0.5}},
    {BINARY("arith.maxnumf"), {2.0, 2.0}, {0.5, 0.5}},
    {BINARY("arith.minnumf"), {-0.0, 0.0}, {0.5, 0.5}},
    {BINARY("arith.maximumf"), {NAN, 2.0}, {NAN, NAN}},
    {BINARY("arith.maxnumf"), {NAN, 2.0}, {0.0, 1.0}},
    {BINARY("arith.minnumf"), {2.0, NAN}, {1.0, 0.0}},
    {UNARY("math.absf"), {0.0}, {0.0}},
    {UNARY("math.absf"), {-0.0}, {0.0}},
    {UNARY("math.sqrt"), {0.0}, {INFINITY}},
    {BINARY("math.copysign"), {0.0, -1.0}, {0.0, 0.0}},
    {BINARY("math.powf"), {0.0, 2.0}, {0.0, 0.0}},
    {BINARY("math.powf"), {0.0, 1.0}, {1.0, 0.0}},
    {BINARY("math.powf"), {0.0, 0.0}, {0.0, 0.0}},
    {BINARY("math.powf"), {3.0, 0.0}, {0.0, std::log(3.0)}},
    {BINARY("math.powf"), {-2.0, 3.0}, {12.0, NAN}},
    // The exact quotient is 9.99..., 1/0.1 rounds to 10.
    {BINARY("arith.remf"), {1.0, 0.1}, {1.0, -9.0}},
    {"func.func @f(%x: f64) -> f64 {\n"
     "  %n = arith.constant 0 : i32\n"
     "  %y = math.fpowi %x, %n : f64, i32\n  return %y : f64\n}",
     {0.0},
     {0.0}},
};

} // namespace

TEST_F(Adjoints, AreTheTransposes) {
  std::mt19937 random(2);
  for (const Sample &sample : samples) {
    SCOPED_TRACE(programs->getText(sample.program));
    checkTransposed(*programs, sample.program, sample.x, random);
  }
}

TEST_F(Adjoints, WorkInNarrowTypes) {
  for (const NarrowSample &sample : narrowSamples) {
    Numbers dy(programs->getNumOutputs(sample.wide));
    for (size_t i = 0; i < dy.size(); ++i)
      dy[i] = i % 2 ? -1.5 : 0.75;
    Numbers wide = programs->runAdjoint(sample.wide, sample.x, dy);
    Numbers narrow = programs->runAdjoint(sample.narrow, sample.x, dy);
    for (size_t i = 0; i < wide.size(); ++i)
      EXPECT_NEAR(narrow[i], wide[i],
                  sample.tolerance * (1 + std::abs(wide[i])))
          << programs->getText(sample.narrow);
  }
}

TEST_F(Adjoints, FollowTheConventionsAtEdges) {
  for (auto [index, edge] : llvm::enumerate(edges)) {
    Numbers gradient =
        programs->runAdjoint(firstEdge + index, edge.x, Numbers{1.0});
    for (size_t i = 0; i < gradient.size(); ++i)
      if (std::isnan(edge.gradient[i]))
        EXPECT_TRUE(std::isnan(gradient[i])) << edge.text << gradient[i];
      else
        EXPECT_DOUBLE_EQ(gradient[i], edge.gradient[i])
            << edge.text << " argument " << i;
    for (size_t i = 0; i < gradient.size(); ++i) {
      Numbers basis(gradient.size());
      basis[i] = 1;
      double tangent = programs->runTangent(firstEdge + index, edge.x, basis,
                                            /*transposed=*/false, i)[0];
      if (std::isnan(edge.gradient[i]))
        EXPECT_TRUE(std::isnan(tangent)) << edge.text << tangent;
      else
        EXPECT_DOUBLE_EQ(tangent, edge.gradient[i])
            << edge.text << " tangent " << i;
    }
  }
}

// Each op of the three dialects has a rule, which a program above has run, or a
// reason why it has none.
TEST_F(Adjoints, CoverTheDialects) {
  llvm::StringMap<const char *> reasons;
  for (const auto &[reason, ops] : noRule)
    for (const char *op : ops)
      reasons[op] = reason;
  for (RegisteredOperationName name :
       programs->getContext().getRegisteredOperations()) {
    StringRef dialect = name.getDialectNamespace();
    if (dialect != "arith" && dialect != "math" && dialect != "tensor")
      continue;
    std::string op = name.getStringRef().str();
    bool tested = programs->getDifferentiatedOps().contains(op);
    EXPECT_EQ(name.hasInterface<AdjointOpInterface>(), tested) << op;
    EXPECT_NE(name.hasInterface<AdjointOpInterface>(), reasons.contains(op))
        << op;
    reasons.erase(op);
  }
  for (const auto &left : reasons)
    ADD_FAILURE() << left.first().str() << " is not an op";
}
