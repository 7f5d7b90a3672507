//===- CommandLine.cpp - What the user asks of comm-run -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "Compile.h"
#include "KernelCache.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir::comm::runner;
namespace cl = llvm::cl;

static constexpr const char *overview =
    R"(Runs a function of an MLIR program on every rank of its mesh, one thread a rank.

It runs @main, else the only public function, else the one that --function
names. NAME is a name in the text or a position; RANK a world rank, without
which a value is for every rank. VALUE is one of
  1,2,3  [[1,2],[3,4]]  true  nan  0x7fc0    literals; one alone fills a tensor
  rand iota ones zeros rank                  a pattern; rand is in [-1, 1), and
                                             -8 to 7 for integers
  @x.npy  @x.{rank}.npy                      a NumPy file
with the shape before it where the type has unknown sizes: 4x2xf32=ones.

Examples:
  comm-run f.mlir --input=x@0=1,2 --input=x@1=3,4 --input=w=ones
  comm-run f.mlir --grad --seed=y@2=100 --expect=grad.x=111
  comm-run f.mlir --check-grad
  comm-run f.mlir --function=f_from_full --check-grad --reference=@f_serial

COMM_RUN_OPTIONS in the environment holds further options.

Exit codes: 0 right, 1 a value is wrong, 2 wrong command line, 3 refused by the
compiler, 4 failed while running.
)";

namespace {

/// The options of LLVM's parser, all in one category so that --help shows no
/// others.
struct Flags {
  cl::OptionCategory category{"comm-run options"};

  cl::opt<std::string> file{cl::Positional, cl::desc("<file.mlir>"),
                            cl::Required, cl::cat(category)};
  cl::opt<std::string> function{"function", cl::value_desc("NAME"),
                                cl::desc("The function to run"),
                                cl::cat(category)};
  cl::list<std::string> inputs{
      "input", cl::value_desc("NAME[@RANK]=VALUE"),
      cl::desc("An argument's value; those not given are random"),
      cl::cat(category)};
  cl::opt<uint64_t> randomSeed{"random-seed", cl::value_desc("N"), cl::init(0),
                               cl::desc("The seed of random values; default 0"),
                               cl::cat(category)};
  cl::list<std::string> outputs{"output", cl::value_desc("NAME[@RANK]=@FILE"),
                                cl::desc("Write a result to an .npy file"),
                                cl::cat(category)};
  cl::list<std::string> expected{
      "expect", cl::value_desc("NAME[@RANK]=VALUE"),
      cl::desc("What a result must be; grad.x is a gradient"),
      cl::cat(category)};
  cl::opt<double> atol{"atol", cl::value_desc("T"),
                       cl::desc("Absolute tolerance; default by type"),
                       cl::cat(category)};
  cl::opt<double> rtol{"rtol", cl::value_desc("T"),
                       cl::desc("Relative tolerance; default by type"),
                       cl::cat(category)};
  cl::opt<bool> printAll{"print-all", cl::desc("Print large tensors in full"),
                         cl::cat(category)};

  cl::opt<bool> grad{"grad",
                     cl::desc("Differentiate, and print the gradients too"),
                     cl::cat(category)};
  cl::list<std::string> seeds{
      "seed", cl::value_desc("NAME[@RANK]=VALUE"),
      cl::desc("A float result's cotangent; default ones"), cl::cat(category)};
  cl::list<std::string> wrt{
      "wrt", cl::value_desc("NAME"),
      cl::desc("An argument to differentiate; default all of floats"),
      cl::cat(category)};
  cl::opt<bool> checkGrad{
      "check-grad",
      cl::desc("Check the gradients by forward mode and differences in f64"),
      cl::cat(category)};
  cl::opt<std::string> reference{
      "reference", cl::value_desc("NAME"),
      cl::desc("A function without collectives, of the same whole\n"
               "values, that --check-grad compares with"),
      cl::cat(category)};
  cl::opt<std::string> vjp{
      "vjp", cl::value_desc("NAME"),
      cl::desc("A hand-written derivative for --check-grad to check:\n"
               "(arguments, seeds) -> (results, gradients)"),
      cl::cat(category)};
  cl::opt<std::string> json{
      "json", cl::value_desc("FILE"),
      cl::desc("Write the report of --check-grad as JSON; -: to standard\n"
               "output, in place of the table"),
      cl::cat(category)};
  cl::opt<bool> allowSymmetric{
      "allow-symmetric",
      cl::desc("Let --check-grad take data that are equal on all ranks"),
      cl::cat(category)};
  cl::opt<bool> noCheckReplicated{
      "no-check-replicated",
      cl::desc("Do not compare replicated results over the ranks"),
      cl::cat(category)};

  cl::opt<bool> verifyRuntime{
      "verify-runtime",
      cl::desc("Check sizes and indices of local ops while it runs"),
      cl::cat(category)};
  cl::opt<bool> time{"time", cl::desc("Print the time of the run"),
                     cl::cat(category)};
  cl::opt<int64_t> repeat{
      "repeat", cl::value_desc("N"), cl::init(1),
      cl::desc("Run N times with the same inputs; default 1"),
      cl::cat(category)};
  cl::opt<bool> trace{"trace", cl::desc("Print each collective of each rank"),
                      cl::cat(category)};
  cl::opt<double> timeout{
      "timeout", cl::value_desc("SECONDS"), cl::init(30),
      cl::desc("How long a rank waits for another; default 30, 0: for ever"),
      cl::cat(category)};
  cl::opt<std::string> kernelCache{
      "kernel-cache", cl::value_desc("DIR|off"),
      cl::desc("Where compiled kernels are kept; default comm in\n"
               "$XDG_CACHE_HOME or ~/.cache"),
      cl::cat(category)};
  cl::opt<std::string> backend{
      "backend", cl::value_desc("NAME"), cl::init("threads"),
      cl::desc("What runs the ranks: threads (default), cuda-local (all\n"
               "on one GPU) or nccl (a GPU for each)"),
      cl::cat(category)};
  cl::opt<bool> keepGroupsOfOne{
      "keep-groups-of-one", cl::desc("Call NCCL for groups of one rank too"),
      cl::cat(category)};
};

} // namespace

static void printVersion(llvm::raw_ostream &os) {
  os << "comm-run " COMM_VERSION ", MLIR " LLVM_VERSION_STRING ", runtime ABI "
     << COMM_RUNTIME_ABI_VERSION << "\n";
}

CompileOptions CommandLine::getCompileOptions(KernelCache *cache) const {
  CompileOptions options;
  options.cache = cache;
  options.verifyRuntime = verifyRuntime;
  options.gpu = launch.backend != "threads";
  options.keepGroupsOfOne = keepGroupsOfOne;
  return options;
}

/// Whether `value` can be a tolerance or a time.
static bool isAmount(double value) {
  return value >= 0 && std::isfinite(value);
}

/// Flags that exclude each other or are out of range.
static MaybeFailure check(const Flags &flags) {
  bool differentiates = flags.grad || flags.checkGrad;
  if (!flags.seeds.empty() && !differentiates)
    return usageFailure("--seed needs --grad or --check-grad");
  if (!flags.wrt.empty() && !differentiates)
    return usageFailure("--wrt needs --grad or --check-grad");
  if (flags.checkGrad &&
      (flags.grad || !flags.expected.empty() || !flags.outputs.empty() ||
       flags.time || flags.trace || flags.repeat.getNumOccurrences()))
    return usageFailure("--check-grad runs the program many times and has no "
                        "results for --grad, --expect, --output, --time, "
                        "--repeat or --trace");
  for (const cl::Option *flag :
       {static_cast<const cl::Option *>(&flags.reference),
        static_cast<const cl::Option *>(&flags.vjp),
        static_cast<const cl::Option *>(&flags.json),
        static_cast<const cl::Option *>(&flags.allowSymmetric)})
    if (flag->getNumOccurrences() && !flags.checkGrad)
      return usageFailure("--" + flag->ArgStr.str() + " needs --check-grad");
  for (const cl::opt<std::string> *flag :
       {&flags.reference, &flags.vjp, &flags.json})
    if (flag->getNumOccurrences() && flag->getValue().empty())
      return usageFailure("--" + flag->ArgStr.str() + " expects a name");
  if (flags.repeat < 1)
    return usageFailure("--repeat expects a number of runs, at least 1");
  if (!isAmount(flags.atol) || !isAmount(flags.rtol))
    return usageFailure("a tolerance is a number of at least 0");
  if (!isAmount(flags.timeout) || flags.timeout > 1e9)
    return usageFailure("--timeout expects a number of seconds, 0 for ever");
  return std::nullopt;
}

/// Without the at sign, which may be left out.
static std::string getFunctionName(const std::string &text) {
  return text.substr(text.rfind('@', 0) == 0);
}

static MaybeFailure parseValues(const std::string &flag,
                                const cl::list<std::string> &texts,
                                std::vector<ValueSpec> &specs) {
  for (const std::string &text : texts) {
    Result<ValueSpec> spec = parseValueSpec(flag, text);
    if (!spec)
      return spec.getFailure();
    specs.push_back(*spec);
  }
  return std::nullopt;
}

Result<CommandLine> mlir::comm::runner::parseCommandLine(int argc,
                                                         char **argv) {
  static Flags flags;
  cl::HideUnrelatedOptions(flags.category);
  cl::SetVersionPrinter(printVersion);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs(),
                                   /*VFS=*/nullptr, "COMM_RUN_OPTIONS"))
    return usageFailure("");
  if (MaybeFailure failure = check(flags))
    return *failure;

  CommandLine line;
  line.file = flags.file;
  line.function = flags.function;
  if (MaybeFailure failure = parseValues("--input", flags.inputs, line.inputs))
    return *failure;
  if (MaybeFailure failure = parseValues("--seed", flags.seeds, line.seeds))
    return *failure;
  if (MaybeFailure failure =
          parseValues("--expect", flags.expected, line.expected))
    return *failure;
  for (const std::string &text : flags.outputs) {
    Result<OutputSpec> spec = parseOutputSpec("--output", text);
    if (!spec)
      return spec.getFailure();
    line.outputs.push_back(*spec);
  }
  line.randomSeed = flags.randomSeed;
  if (flags.atol.getNumOccurrences())
    line.tolerance.absolute = flags.atol;
  if (flags.rtol.getNumOccurrences())
    line.tolerance.relative = flags.rtol;
  line.grad = flags.grad;
  line.checkGrad = flags.checkGrad;
  line.reference = getFunctionName(flags.reference);
  line.vjp = getFunctionName(flags.vjp);
  line.json = flags.json;
  line.allowSymmetric = flags.allowSymmetric;
  line.wrt.assign(flags.wrt.begin(), flags.wrt.end());
  line.launch.backend = flags.backend;
  line.launch.timeout = std::chrono::milliseconds(
      static_cast<int64_t>(std::ceil(flags.timeout * 1000)));
  line.launch.repetitions = flags.repeat;
  line.launch.trace = flags.trace;
  line.checkReplicated = !flags.noCheckReplicated;
  line.time = flags.time;
  line.verifyRuntime = flags.verifyRuntime;
  line.keepGroupsOfOne = flags.keepGroupsOfOne;
  line.print.printAll = flags.printAll;
  line.kernelCache = flags.kernelCache.getNumOccurrences()
                         ? flags.kernelCache
                         : KernelCache::getDefaultFolder();
  if (line.kernelCache == "off")
    line.kernelCache.clear();
  return line;
}
