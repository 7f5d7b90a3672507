//===- CheckGradient.cpp - Gradients against differences ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckGradient.h"

#include "Compile.h"
#include "Differentiate.h"
#include "KernelCache.h"
#include "WidenFloats.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

/// Beside the random inputs, the check draws seeds and directions.
static constexpr uint64_t seedStream = 0x5eed;
static constexpr uint64_t directionStream = 0xd14;
/// How far the two sides may be apart, relative to the sum of the magnitudes of
/// what they add up.
static constexpr double adjointTolerance = 1e-6;
/// The step of the differences: small, so that kinks are rarely stepped over.
static constexpr double relativeStep = 1e-6;

namespace {

/// An inner product and the sum of the magnitudes of its terms.
struct Product {
  double value = 0;
  double magnitude = 0;
};

/// One program compiled with its derivative, in one precision.
struct Differentiated {
  FunctionSignature signature;
  Vjp vjp;
  std::optional<CompiledModule> code;
};

class Checker {
public:
  Checker(Program &program, const CommandLine &line)
      : program(program), line(line), cache(line.kernelCache) {}

  MaybeFailure check();

private:
  MaybeFailure compile(const Program &source, Differentiated &target);
  Result<RankValues> run(const Differentiated &code,
                         const FunctionSignature &signature,
                         const RankValues &inputs) const;
  MaybeFailure makeValues();
  MaybeFailure checkArgument(unsigned number);
  Result<RankValues> runShifted(unsigned position, const RankValues &direction,
                                double step) const;
  Product multiply(const ValueInfo &info, const RankValues &a, unsigned atA,
                   const RankValues &b, unsigned atB) const;
  double getNativeError(unsigned number) const;

  Program &program;
  const CommandLine &line;
  KernelCache cache;
  Differentiated native, wide;
  RankValues inputs, seeds;
  /// What the derivatives gave.
  RankValues nativeResults, wideResults;
  RankValues wideInputs, wideSeeds;
  std::vector<std::string> faults;
};

} // namespace

MaybeFailure Checker::compile(const Program &source, Differentiated &target) {
  target.signature = source.signature;
  Result<Vjp> vjp = describeVjp(source.signature, line.wrt);
  if (!vjp)
    return vjp.getFailure();
  target.vjp = std::move(*vjp);
  ModuleOp module = *source.module;
  if (failed(addVjp(source, target.vjp)) ||
      failed(keepOnly(module,
                      {source.getFunction(), module.lookupSymbol<func::FuncOp>(
                                                 target.vjp.signature.name)})))
    return Failure{ExitCode::Compile, ""};
  Result<CompiledModule> code =
      CompiledModule::create(module, {&cache, line.verifyRuntime});
  if (!code)
    return code.getFailure();
  target.code = std::move(*code);
  return std::nullopt;
}

Result<RankValues> Checker::run(const Differentiated &code,
                                const FunctionSignature &signature,
                                const RankValues &values) const {
  Result<PackedFunction> function = code.code->lookup(signature.name);
  if (!function)
    return function.getFailure();
  Launch launched = launch(*function, signature, values, line.launch);
  if (launched.failure)
    return *launched.failure;
  return std::move(launched.results);
}

/// Inputs as --input and --random-seed say, and random seeds of the shapes that
/// the results have.
MaybeFailure Checker::makeValues() {
  wideInputs = widenFloats(inputs);
  Result<RankValues> results = run(wide, wide.signature, wideInputs);
  if (!results)
    return results.getFailure();
  FunctionSignature shaped = native.signature;
  for (size_t i = 0; i < shaped.results.size(); ++i)
    shaped.results[i].shape = (*results)[0][i].getShape();
  InputOptions options;
  options.randomSeed = line.randomSeed ^ seedStream;
  options.flag = "--seed";
  Result<RankValues> built = buildInputs(
      shaped, ValueKind::Result, native.vjp.seeded, line.seeds, options);
  if (!built)
    return built.getFailure();
  seeds = std::move(*built);
  wideSeeds = widenFloats(seeds);
  return std::nullopt;
}

/// The typed inner product of two values of all ranks.
Product Checker::multiply(const ValueInfo &info, const RankValues &a,
                          unsigned atA, const RankValues &b,
                          unsigned atB) const {
  Product product;
  for (int64_t rank = 0; rank < static_cast<int64_t>(a.size()); ++rank) {
    if (getReplicaClass(native.signature.mesh, info.replicatedAxes, rank) !=
        rank)
      continue;
    const HostTensor &left = a[rank][atA], &right = b[rank][atB];
    for (int64_t i = 0; i < left.getElementCount(); ++i) {
      double term = left.getDouble(i) * right.getDouble(i);
      product.value += term;
      product.magnitude += std::fabs(term);
    }
  }
  return product;
}

/// The results where one argument is shifted along a direction.
Result<RankValues> Checker::runShifted(unsigned position,
                                       const RankValues &direction,
                                       double step) const {
  RankValues shifted = wideInputs;
  for (size_t rank = 0; rank < shifted.size(); ++rank) {
    HostTensor &value = shifted[rank][position];
    for (int64_t i = 0; i < value.getElementCount(); ++i)
      value.setDouble(i, value.getDouble(i) +
                             step * direction[rank][0].getDouble(i));
  }
  return run(wide, wide.signature, shifted);
}

/// How far the gradient in the program's own types is from the one in f64,
/// relative to the largest element of the latter.
double Checker::getNativeError(unsigned number) const {
  double largest = 0, error = 0;
  unsigned at = native.signature.results.size() + number;
  for (size_t rank = 0; rank < nativeResults.size(); ++rank) {
    const HostTensor &got = nativeResults[rank][at];
    const HostTensor &right = wideResults[rank][at];
    for (int64_t i = 0; i < got.getElementCount(); ++i) {
      double difference = std::fabs(got.getDouble(i) - right.getDouble(i));
      if (std::isnan(difference))
        return NAN;
      error = std::max(error, difference);
      largest = std::max(largest, std::fabs(right.getDouble(i)));
    }
  }
  return error == 0 ? 0 : error / largest;
}

MaybeFailure Checker::checkArgument(unsigned number) {
  unsigned position = wide.vjp.wrt[number];
  unsigned at = wide.signature.results.size() + number;
  const ValueInfo &argument = wide.signature.arguments[position];

  // A direction of the argument's shape, one for each replica class.
  FunctionSignature shaped = wide.signature;
  shaped.arguments[position].shape = wideInputs[0][position].getShape();
  InputOptions options;
  options.randomSeed = line.randomSeed ^ directionStream;
  Result<RankValues> direction =
      buildInputs(shaped, ValueKind::Argument, {position}, {}, options);
  if (!direction)
    return direction.getFailure();
  double largest = 1;
  for (const std::vector<HostTensor> &values : wideInputs)
    for (int64_t i = 0; i < values[position].getElementCount(); ++i)
      largest = std::max(largest, std::fabs(values[position].getDouble(i)));
  double step = relativeStep * largest;

  Result<RankValues> above = runShifted(position, *direction, step);
  if (!above)
    return above.getFailure();
  Result<RankValues> below = runShifted(position, *direction, -step);
  if (!below)
    return below.getFailure();

  Product forward, values;
  for (size_t i = 0; i < wide.vjp.seeded.size(); ++i) {
    unsigned result = wide.vjp.seeded[i];
    const ValueInfo &info = wide.signature.results[result];
    RankValues difference = *above;
    for (size_t rank = 0; rank < difference.size(); ++rank) {
      HostTensor &value = difference[rank][result];
      const HostTensor &other = (*below)[rank][result];
      for (int64_t j = 0; j < value.getElementCount(); ++j)
        value.setDouble(j,
                        (value.getDouble(j) - other.getDouble(j)) / (2 * step));
    }
    Product part = multiply(info, difference, result, wideSeeds, i);
    forward.value += part.value;
    forward.magnitude += part.magnitude;
    values.magnitude +=
        multiply(info, wideResults, result, wideSeeds, i).magnitude;
  }
  Product backward = multiply(argument, *direction, 0, wideResults, at);

  double scale = std::max(forward.magnitude, backward.magnitude);
  double difference = std::fabs(forward.value - backward.value);
  double error = difference == 0 ? 0 : difference / scale;
  // What rounding in the results makes of the difference quotient.
  double rounding = 8 * DBL_EPSILON * values.magnitude / step;
  bool adjoint = difference <= adjointTolerance * scale + rounding;

  CommDataType type = native.signature.arguments[position].type;
  // A gradient is the end of a longer program than a result.
  double allowed =
      line.tolerance.relative.value_or(10 * getDefaultTolerance(type).relative);
  double nativeError = getNativeError(number);
  bool exact = nativeError <= allowed;

  std::string name =
      getFlagName(native.signature, ValueKind::Argument, position);
  llvm::outs() << "grad." << name << ": ";
  if (scale == 0)
    llvm::outs() << "zero, no result depends on it";
  else
    llvm::outs() << llvm::format("<J x', y~> = %.9g, <x', J^T y~> = %.9g, "
                                 "relative error %.1e",
                                 forward.value, backward.value, error);
  llvm::outs() << llvm::format("; %s against f64 %.1e", getName(type),
                               nativeError);
  bool ok = adjoint && exact;
  llvm::outs() << (ok ? ": right" : ": WRONG");
  // Honest where only the allowance for rounding made it pass.
  if (ok && difference > adjointTolerance * scale)
    llvm::outs() << llvm::format(
        ", as far as rounding in the results lets see (%.1e)", rounding);
  llvm::outs() << "\n";
  if (std::isnan(forward.value) || std::isnan(backward.value))
    llvm::outs() << "  not a number: give inputs that the program is defined "
                    "at\n";
  else if (!adjoint)
    llvm::outs() << llvm::format("  relative error above %.0e\n",
                                 adjointTolerance);
  if (!exact)
    llvm::outs() << llvm::format("  %s gradient off by more than %.0e of the "
                                 "largest element\n",
                                 getName(type), allowed);
  if (!ok)
    faults.push_back(name);
  return std::nullopt;
}

MaybeFailure Checker::check() {
  Result<RankValues> built = buildInputs(program.signature, line.inputs,
                                         {line.randomSeed, "rand", "--input"});
  if (!built)
    return built.getFailure();
  inputs = std::move(*built);

  Program copy{(*program.module).clone(), widenFloats(program.signature)};
  if (failed(widenFloats(*copy.module)))
    return Failure{ExitCode::Compile, ""};
  if (MaybeFailure failure = compile(copy, wide))
    return failure;
  if (MaybeFailure failure = compile(program, native))
    return failure;
  if (MaybeFailure failure = makeValues())
    return failure;
  Result<RankValues> results =
      run(native, native.vjp.signature, joinValues(inputs, seeds));
  if (!results)
    return results.getFailure();
  nativeResults = std::move(*results);
  results = run(wide, wide.vjp.signature, joinValues(wideInputs, wideSeeds));
  if (!results)
    return results.getFailure();
  wideResults = std::move(*results);

  llvm::outs() << "gradient check of '@" << program.signature.name
               << "', random seed " << line.randomSeed << "\n";
  for (unsigned number = 0; number < wide.vjp.wrt.size(); ++number)
    if (MaybeFailure failure = checkArgument(number))
      return failure;
  ComparisonReport replicated =
      checkReplicated(native.vjp.signature, nativeResults);
  for (const std::string &text : replicated.lines)
    llvm::outs() << text << "\n";
  if (faults.empty() && replicated.passed) {
    llvm::outs() << "gradient check passed\n";
    return std::nullopt;
  }
  return Failure{ExitCode::Mismatch, "gradient check failed"};
}

MaybeFailure comm::runner::checkGradient(Program &program,
                                         const CommandLine &line) {
  return Checker(program, line).check();
}
