//===- VectorMathTest.cpp - Functions of vectors are exact enough ---------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/comm-run/VectorMath.h"
#include "tools/comm-run/Jit.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

using namespace mlir::comm::runner;

namespace {

/// The numbers between two: units in the last place.
template <typename T, typename Bits>
double getDistance(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b) ? 0 : INFINITY;
  auto getPosition = [](T value) {
    Bits bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits < 0 ? std::numeric_limits<Bits>::min() - bits : bits;
  };
  // In integers: a double has not the digits of an int64_t. Wraps right.
  auto less = std::min(getPosition(a), getPosition(b)),
       more = std::max(getPosition(a), getPosition(b));
  return double(static_cast<uint64_t>(more) - static_cast<uint64_t>(less));
}

/// Specials, and random numbers of several sizes.
template <typename T>
std::vector<T> makeArguments() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           -T(0),
                           1,
                           -1,
                           2,
                           -2,
                           0.5,
                           -3,
                           Limits::infinity(),
                           -Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::min(),
                           -Limits::min(),
                           Limits::denorm_min(),
                           Limits::max(),
                           Limits::lowest()};
  std::mt19937 random(1);
  for (T size : {1e-30, 1e-10, 1e-3, 1.0, 10.0, 100.0, 1e10}) {
    std::uniform_real_distribution<T> distribution(-size, size);
    for (int i = 0; i < 160; ++i)
      values.push_back(distribution(random));
  }
  return values;
}

/// Compares the vector function, called through a vector of `count` in memory,
/// with the function of one number.
template <typename T, typename Bits>
void compare(llvm::orc::LLJIT &jit, const llvm::VecDesc &description,
             bool isBinary) {
  auto scalar = llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(
      description.getScalarFnName().str());
  ASSERT_TRUE(scalar);
  auto loop = jit.lookup("loop_" + description.getVectorFnName().str());
  ASSERT_TRUE(bool(loop)) << llvm::toString(loop.takeError());
  std::vector<T> x = makeArguments<T>(), y = x, z(x.size());
  std::shuffle(y.begin(), y.end(), std::mt19937(2));
  size_t count = description.getVectorizationFactor().getFixedValue();
  auto call = loop->toPtr<void (*)(const T *, const T *, T *)>();
  for (size_t i = 0; i + count <= x.size(); i += count)
    call(&x[i], &y[i], &z[i]);
  for (size_t i = 0; i < x.size() / count * count; ++i) {
    T expected = isBinary ? reinterpret_cast<T (*)(T, T)>(scalar)(x[i], y[i])
                          : reinterpret_cast<T (*)(T)>(scalar)(x[i]);
    EXPECT_LE((getDistance<T, Bits>(z[i], expected)), 4)
        << description.getVectorFnName().str() << "(" << x[i]
        << (isBinary ? ", " + std::to_string(y[i]) : "") << ") is " << z[i]
        << ", expected " << expected;
  }
}

TEST(VectorMath, IsExactToFourUnitsInTheLastPlace) {
  auto builder = getProcessor();
  ASSERT_TRUE(bool(builder));
  auto machine = builder->createTargetMachine();
  ASSERT_TRUE(bool(machine));
  // void loop(x, y, z): *z = f(*x) or f(*x, *y), of vectors.
  std::string source;
  std::vector<llvm::VecDesc> found;
  for (const llvm::VecDesc &description : getVectorFunctions(**machine)) {
    if (description.getScalarFnName().starts_with("llvm."))
      continue;
    found.push_back(description);
    bool isFloat = description.getScalarFnName().ends_with("f") &&
                   description.getScalarFnName() != "erf";
    std::string type =
        "<" +
        std::to_string(description.getVectorizationFactor().getFixedValue()) +
        " x " + (isFloat ? "float" : "double") + ">";
    std::string name = description.getVectorFnName().str();
    bool isBinary = description.getVABIPrefix().ends_with("vv");
    source += "declare " + type + " @" + name + "(" + type +
              (isBinary ? ", " + type : "") + ")\n" + "define void @loop_" +
              name + "(ptr %x, ptr %y, ptr %z) {\n" + "%a = load " + type +
              ", ptr %x, align 4\n%b = load " + type + ", ptr %y, align 4\n" +
              "%c = call " + type + " @" + name + "(" + type + " %a" +
              (isBinary ? ", " + type + " %b" : "") + ")\nstore " + type +
              " %c, ptr %z, align 4\nret void\n}\n";
  }
  if (found.empty())
    GTEST_SKIP() << "this C library has no vector functions";
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(source, error, *context);
  ASSERT_TRUE(module) << error.getMessage().str();
  SplitModule parts;
  parts.schedule =
      llvm::orc::ThreadSafeModule(std::move(module), std::move(context));
  auto jit = createJit(std::move(parts), *builder, nullptr);
  ASSERT_TRUE(bool(jit)) << llvm::toString(jit.takeError());
  for (const llvm::VecDesc &description : found) {
    bool isBinary = description.getVABIPrefix().ends_with("vv");
    if (description.getScalarFnName().ends_with("f") &&
        description.getScalarFnName() != "erf")
      compare<float, int32_t>(**jit, description, isBinary);
    else
      compare<double, int64_t>(**jit, description, isBinary);
  }
}

} // namespace
