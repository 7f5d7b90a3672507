//===- CheckGradient.cpp - Gradients that prove themselves ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckGradient.h"

#include "CheckGradient/AdjointIdentity.h"
#include "CheckGradient/Differences.h"
#include "CheckGradient/InnerProduct.h"
#include "CheckGradient/MatchSignature.h"
#include "CheckGradient/Reference.h"
#include "CheckGradient/StoppedPaths.h"
#include "CheckGradient/Symmetry.h"
#include "KernelCache.h"
#include "WidenFloats.h"
#include "comm/Runner/Npy.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

/// Beside the random inputs, the check draws seeds and directions.
static constexpr uint64_t seedStream = 0x5eed;
static constexpr uint64_t directionStream = 0xd14;
/// How far a hand-written derivative's results may be from the function's in
/// f64, relative to the largest element.
static constexpr double resultTolerance = 1e-9;

namespace {

class Checker {
public:
  Checker(Program &program, FunctionLoader load, const CommandLine &line,
          const Console &console)
      : program(program), load(load), line(line), console(console),
        cache(line.kernelCache),
        options{line.getCompileOptions(&cache), line.launch} {}

  MaybeFailure check();

private:
  MaybeFailure makeInputs();
  Result<Program> loadNamed(const std::string &name,
                            const std::string &flag) const;
  MaybeFailure loadHandWritten();
  MaybeFailure compile();
  MaybeFailure makeSeeds();
  MaybeFailure run();
  void checkResult(unsigned position);
  MaybeFailure checkArgument(unsigned number);
  void checkReplicas(unsigned position, ValueReport &value) const;
  MaybeFailure print() const;

  MaybeFailure refuseSymmetric(ValueKind kind,
                               const std::vector<unsigned> &positions,
                               const RankValues &values,
                               const std::vector<ValueSpec> &specs,
                               const std::string &flag) const;

  Program &program;
  FunctionLoader load;
  const CommandLine &line;
  const Console &console;
  KernelCache cache;
  CodeOptions options;
  /// The function's own derivative by reverse mode, if there is one.
  std::optional<Program> handWritten;
  Vjp vjp;
  std::optional<Derivatives> native, wide;
  std::optional<Reference> reference;
  RankValues inputs, seeds, wideInputs, wideSeeds;
  /// The arguments that pass through what stops derivatives.
  llvm::BitVector stopped;
  /// What the function and what the derivatives gave.
  RankValues wideValues, nativeResults, wideResults;
  CheckReport report;
};

} // namespace

//===----------------------------------------------------------------------===//
// What the checks need
//===----------------------------------------------------------------------===//

/// Only what the user gave: random values differ.
MaybeFailure Checker::refuseSymmetric(ValueKind kind,
                                      const std::vector<unsigned> &positions,
                                      const RankValues &values,
                                      const std::vector<ValueSpec> &specs,
                                      const std::string &flag) const {
  if (line.allowSymmetric)
    return std::nullopt;
  std::vector<unsigned> given;
  RankValues givenValues(values.size());
  for (auto [column, position] : llvm::enumerate(positions)) {
    if (llvm::none_of(specs, [&, position = position](const ValueSpec &spec) {
          return *findValue(program.signature, kind, spec.name) == position;
        }))
      continue;
    given.push_back(position);
    for (size_t rank = 0; rank < values.size(); ++rank)
      givenValues[rank].push_back(values[rank][column]);
  }
  return refuseSymmetricData(program.signature, kind, given, givenValues, flag);
}

MaybeFailure Checker::makeInputs() {
  Result<RankValues> built = buildInputs(program.signature, line.inputs,
                                         {line.randomSeed, "rand", "--input"});
  if (!built)
    return built.getFailure();
  inputs = std::move(*built);
  wideInputs = widenFloats(inputs);
  std::vector<unsigned> all;
  for (unsigned i = 0; i < program.signature.arguments.size(); ++i)
    all.push_back(i);
  return refuseSymmetric(ValueKind::Argument, all, inputs, line.inputs,
                         "--input");
}

/// Another function of the module; a failure names the flag that asks for it.
Result<Program> Checker::loadNamed(const std::string &name,
                                   const std::string &flag) const {
  Result<Program> loaded = load(name);
  if (loaded || loaded.getFailure().message.empty())
    return loaded;
  Failure failure = loaded.getFailure();
  failure.message = flag + ": " + failure.message;
  return failure;
}

/// Checks that a hand-written derivative fits the function. What it claims of
/// its results is proved; what it takes for replicated must be.
MaybeFailure Checker::loadHandWritten() {
  std::string flag = "--vjp=@" + line.vjp;
  Result<Program> loaded = loadNamed(line.vjp, flag);
  if (!loaded)
    return loaded.getFailure();
  const FunctionSignature &got = loaded->signature;
  const FunctionSignature &expected = vjp.signature;
  if (MaybeFailure failure = matchSignature(
          flag, got, expected, "a derivative of '@" + expected.name + "'"))
    return failure;
  for (unsigned i = 0; i < expected.arguments.size(); ++i)
    for (int64_t axis : got.arguments[i].replicatedAxes)
      if (expected.mesh[axis].size > 1 &&
          !llvm::is_contained(expected.arguments[i].replicatedAxes, axis))
        return usageFailure(
            flag + ": " + describeValue(got, ValueKind::Argument, i) +
            " of '@" + got.name + "' is marked replicated over '" +
            expected.mesh[axis].name + "', and that of '@" + expected.name +
            "' is not");
  // A gradient may be the same on all ranks of a varying argument.
  if (failed(resolveProgram(*loaded, /*warn=*/false)))
    return Failure{ExitCode::Compile, ""};
  handWritten = std::move(*loaded);
  return std::nullopt;
}

static FailureOr<Program> cloneWide(Program &program) {
  Program copy{(*program.module).clone(), widenFloats(program.signature)};
  if (failed(widenFloats(*copy.module)))
    return failure();
  return copy;
}

MaybeFailure Checker::compile() {
  const Failure refused{ExitCode::Compile, ""};
  stopped.resize(program.signature.arguments.size());
  for (unsigned i = 0; i < stopped.size(); ++i)
    stopped[i] = hasStoppedPath(program.getFunction(), i);
  // A hand-written derivative has all gradients.
  std::vector<std::string> wrt = line.wrt;
  if (!line.vjp.empty())
    wrt.clear();
  Result<Vjp> described = describeVjp(program.signature, wrt);
  if (!described)
    return described.getFailure();
  vjp = std::move(*described);
  std::optional<Program> wideHandWritten;
  if (!line.vjp.empty()) {
    if (MaybeFailure failure = loadHandWritten())
      return failure;
    FailureOr<Program> copy = cloneWide(*handWritten);
    if (failed(copy))
      return refused;
    wideHandWritten = std::move(*copy);
  }
  if (!line.reference.empty()) {
    std::string flag = "--reference=@" + line.reference;
    Result<Program> twin = loadNamed(line.reference, flag);
    if (!twin)
      return twin.getFailure();
    Result<Reference> made = Reference::create(
        std::move(*twin), program.signature, wrt, flag, options);
    if (!made)
      return made.getFailure();
    reference = std::move(*made);
  }

  FailureOr<Program> copy = cloneWide(program);
  if (failed(copy))
    return refused;
  Vjp wideVjp = vjp;
  wideVjp.signature = widenFloats(vjp.signature);
  Result<Derivatives> made = Derivatives::compile(
      *copy, wideVjp, wideHandWritten ? &*wideHandWritten : nullptr,
      Modes::Both, options);
  if (!made)
    return made.getFailure();
  wide = std::move(*made);
  made =
      Derivatives::compile(program, vjp, handWritten ? &*handWritten : nullptr,
                           Modes::Reverse, options);
  if (!made)
    return made.getFailure();
  native = std::move(*made);
  return std::nullopt;
}

/// Runs the function, and makes seeds of the shapes that its results have.
MaybeFailure Checker::makeSeeds() {
  Result<RankValues> results = wide->run(wideInputs);
  if (!results)
    return results.getFailure();
  wideValues = std::move(*results);
  FunctionSignature shaped = program.signature;
  for (size_t i = 0; i < shaped.results.size(); ++i)
    shaped.results[i].shape = wideValues[0][i].getShape();
  Result<RankValues> built =
      buildInputs(shaped, ValueKind::Result, vjp.seeded, line.seeds,
                  {line.randomSeed ^ seedStream, "rand", "--seed"});
  if (!built)
    return built.getFailure();
  seeds = std::move(*built);
  wideSeeds = widenFloats(seeds);
  return refuseSymmetric(ValueKind::Result, vjp.seeded, seeds, line.seeds,
                         "--seed");
}

MaybeFailure Checker::run() {
  Result<RankValues> results = native->runVjp(inputs, seeds);
  if (!results)
    return results.getFailure();
  nativeResults = std::move(*results);
  results = wide->runVjp(wideInputs, wideSeeds);
  if (!results)
    return results.getFailure();
  wideResults = std::move(*results);
  if (reference)
    return reference->run(program.signature, wideInputs, wideSeeds);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The checks
//===----------------------------------------------------------------------===//

void Checker::checkReplicas(unsigned position, ValueReport &value) const {
  const Mesh &mesh = program.signature.mesh;
  if (getReplicaClasses(mesh, value.info).size() < nativeResults.size())
    value.get(CheckKind::Replicas) =
        compareReplicas(mesh, value.info, {nativeResults, position});
}

void Checker::checkResult(unsigned position) {
  ValueReport value;
  value.name = getFlagName(program.signature, ValueKind::Result, position);
  value.info = program.signature.results[position];
  checkReplicas(position, value);
  if (reference)
    reference->compare(wideValues, position, value);
  if (handWritten) {
    Finding finding = compare({wideResults, position}, {wideValues, position},
                              resultTolerance);
    if (!finding.passed())
      value.remarks.push_back("'@" + line.vjp +
                              "' returns another result than '@" +
                              program.signature.name + "'");
    value.get(CheckKind::Precision) = finding;
  }
  if (llvm::any_of(value.findings,
                   [](const auto &finding) { return finding.has_value(); }))
    report.values.push_back(std::move(value));
}

MaybeFailure Checker::checkArgument(unsigned number) {
  ValueReport value;
  unsigned position = vjp.wrt[number];
  unsigned gradient = wide->getGradientPosition(number);
  value.name = getFlagName(vjp.signature, ValueKind::Result, gradient);
  value.info = vjp.signature.results[gradient];
  value.hasStoppedPath = stopped.test(position);
  uint64_t seed = line.randomSeed ^ directionStream;
  if (MaybeFailure failure = checkAdjointIdentity(
          *wide, wideInputs, wideSeeds, wideResults, number, seed, value))
    return failure;
  if (MaybeFailure failure =
          checkDifferences(*wide, wideInputs, wideValues, number, seed, value))
    return failure;
  // A gradient is the end of a longer program than a result.
  CommDataType type = program.signature.arguments[position].type;
  double allowed =
      line.tolerance.relative.value_or(10 * getDefaultTolerance(type).relative);
  value.get(CheckKind::Precision) =
      compare({nativeResults, gradient}, {wideResults, gradient}, allowed);
  checkReplicas(gradient, value);
  if (reference)
    reference->compare(wideResults, gradient, value);
  if (llvm::any_of(value.findings, [](const auto &finding) {
        return finding && std::isnan(finding->error);
      }))
    value.remarks.push_back(
        "not a number: give inputs that the program is defined at");
  report.values.push_back(std::move(value));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The flow
//===----------------------------------------------------------------------===//

MaybeFailure Checker::print() const {
  llvm::json::Value json = toJson(report);
  if (line.json == "-") {
    console.printText(llvm::formatv("{0:2}\n", json).str());
    return std::nullopt;
  }
  console.printText(formatTable(report));
  if (line.json.empty())
    return std::nullopt;
  std::error_code error;
  llvm::raw_fd_ostream file(line.json, error);
  if (!error) {
    file << llvm::formatv("{0:2}\n", json);
    file.close();
    error = file.error();
    file.clear_error();
  }
  if (error)
    return Failure{ExitCode::Runtime,
                   "cannot write '" + line.json + "': " + error.message()};
  return std::nullopt;
}

MaybeFailure Checker::check() {
  if (!line.json.empty() && line.json != "-")
    if (MaybeFailure failure = checkWritable(line.json))
      return usageFailure("--json=" + line.json + ": " + failure->message);
  for (auto step : {&Checker::makeInputs, &Checker::compile,
                    &Checker::makeSeeds, &Checker::run})
    if (MaybeFailure failure = (this->*step)())
      return failure;

  report.signature = program.signature;
  report.randomSeed = line.randomSeed;
  report.reference = line.reference;
  report.vjp = line.vjp;
  for (unsigned i = 0; i < program.signature.results.size(); ++i)
    checkResult(i);
  Result<Vjp> asked = describeVjp(program.signature, line.wrt);
  for (auto [number, position] : llvm::enumerate(vjp.wrt))
    if (llvm::is_contained(asked->wrt, position))
      if (MaybeFailure failure = checkArgument(number))
        return failure;
  if (MaybeFailure failure = print())
    return failure;
  if (!report.passed())
    return Failure{ExitCode::Mismatch, ""};
  return std::nullopt;
}

MaybeFailure comm::runner::checkGradient(Program &program, FunctionLoader load,
                                         const CommandLine &line,
                                         const Console &console) {
  return Checker(program, load, line, console).check();
}
