//===- comm-oracle.cpp - Random programs against an oracle ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"
#include "comm/InitAll.h"
#include "tools/comm-run/Compile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;
namespace cl = llvm::cl;

static cl::OptionCategory category("comm-oracle options");
static cl::opt<int64_t> count("count", cl::init(300), cl::cat(category),
                              cl::desc("How many programs; default 300"));
static cl::opt<uint64_t>
    firstSeed("seed", cl::init(1), cl::cat(category),
              cl::desc("The seed of the first; default 1"));
static cl::opt<bool> control("control-flow", cl::cat(category),
                             cl::desc("With scf and marks to compute again"));
static cl::opt<bool>
    executes("execute", cl::cat(category),
             cl::desc("Also compile, run and compare at a tolerance"));
static cl::opt<std::string> backend("backend", cl::init("threads"),
                                    cl::cat(category),
                                    cl::desc("Where to run; default threads"));
static cl::opt<bool> prints("print", cl::cat(category),
                            cl::desc("Print the programs and check nothing"));
static cl::opt<int64_t>
    maxFailures("max-failures", cl::init(5), cl::cat(category),
                cl::desc("Stop after so many failures; default 5"));
static cl::opt<int64_t> maxTrials(
    "reduce", cl::init(1500), cl::cat(category),
    cl::desc("How many programs to try to reduce a failing one; default 1500"));

/// Programs that share a context: what it keeps is not given back.
static constexpr int64_t kProgramsOfContext = 200;
/// More than any program takes.
[[maybe_unused]] static constexpr rlim_t kMaxMemory = rlim_t(6) << 30;
static constexpr unsigned kSecondsOfProgram = 60;

namespace {
/// What a program is made and checked with.
struct Setup {
  uint64_t seed;
  GeneratorOptions generator;
  CheckOptions check;

  explicit Setup(uint64_t seed) : seed(seed) {
    generator.hasControlFlow = control;
    generator.hasWrongClaims = seed % 16 == 15;
    check.hasSecondOrder = seed % 3 == 0;
    check.executes = executes;
    check.backend = backend;
    check.valueSeed = seed;
  }
};

/// The context of one process.
class Compiler {
public:
  Compiler() {
    DialectRegistry registry;
    comm::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.disableMultithreading();
    context.getOrLoadDialect<CommDialect>();
    context.loadAllAvailableDialects();
  }

  GeneratedProgram generate(const Setup &setup, Choices &choices) {
    return Generator(&context, choices, setup.generator).generate();
  }

private:
  MLIRContext context;
};
} // namespace

static void writeAll(int file, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t n = write(file, text.data() + done, text.size() - done);
    if (n <= 0)
      return;
    done += n;
  }
}

/// Runs `body` in a process of its own, which may crash or hang; what it writes
/// to the file is returned, and how it ended, empty if well.
static std::pair<std::string, std::string>
runApart(const std::function<void(int file)> &body) {
  int files[2];
  if (pipe(files) != 0)
    return {"", "no pipe"};
  llvm::outs().flush();
  pid_t child = fork();
  if (child == 0) {
    close(files[0]);
    // A sanitizer reserves more than any machine has.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    rlimit memory{kMaxMemory, kMaxMemory};
    setrlimit(RLIMIT_AS, &memory);
#endif
    body(files[1]);
    _exit(0);
  }
  close(files[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(files[0], buffer, sizeof(buffer))) > 0;)
    text.append(buffer, n);
  close(files[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return {text,
            WTERMSIG(status) == SIGALRM
                ? "hangs"
                : "crashes with signal " + std::to_string(WTERMSIG(status))};
  return {text, ""};
}

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

/// Every trial is a process of its own, forked off one that has a context.
static Trial runTrial(Compiler &compiler, const Setup &setup, Choices choices) {
  auto [text, end] = runApart([&](int file) {
    alarm(kSecondsOfProgram);
    GeneratedProgram program = compiler.generate(setup, choices);
    std::ostringstream taken;
    for (int64_t number : choices.getTaken())
      taken << number << " ";
    taken << "\n";
    for (auto [begin, end] : choices.getSpans())
      taken << begin << " " << end << " ";
    taken << "\n";
    writeAll(file, taken.str());
    writeAll(file, check(program, setup.check).fault);
  });
  std::istringstream stream(text);
  std::string numbers, spans;
  Trial trial;
  std::getline(stream, numbers);
  std::getline(stream, spans);
  std::getline(stream, trial.fault);
  if (!end.empty())
    trial.fault = end;
  std::istringstream numberStream(numbers), spanStream(spans);
  for (int64_t number; numberStream >> number;)
    trial.numbers.push_back(number);
  for (size_t begin, end; spanStream >> begin >> end;)
    trial.spans.emplace_back(begin, end);
  return trial;
}

static void reduceAndPrint(uint64_t seed) {
  Setup setup(seed);
  Compiler compiler;
  Trial failing = runTrial(compiler, setup, Choices(seed));
  llvm::outs() << "--- seed " << seed << ": " << failing.fault << "\n";
  if (failing.fault.empty())
    return;
  Trial small = reduce(
      failing,
      [&](const std::vector<int64_t> &numbers) {
        return runTrial(compiler, setup, Choices(numbers));
      },
      maxTrials);
  auto [text, end] = runApart([&](int file) {
    Choices choices(small.numbers);
    GeneratedProgram program = compiler.generate(setup, choices);
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    stream << *program.module;
    // Shorter, if it still fails alike.
    GeneratedProgram shorter{program.module->clone(), program.shapes,
                             program.hasWrongClaim};
    eraseUnused(*shorter.module);
    writeAll(file, printed + "\n");
    Verdict verdict = check(program, setup.check);
    writeAll(file, verdict.details + "\n");
    if (check(shorter, setup.check).fault != verdict.fault)
      return;
    printed.clear();
    stream << "without what nothing uses:\n" << *shorter.module << "\n";
    writeAll(file, printed);
  });
  llvm::outs() << text << end << "\n";
  llvm::outs().flush();
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

namespace {
struct Totals {
  int64_t right = 0, undefined = 0, refused = 0, wrong = 0;
  int64_t secondOrder = 0, laws = 0, executed = 0, tangents = 0;
  std::map<std::string, int64_t> faults;
};
} // namespace

static int64_t getNanoseconds() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

/// Checks programs until one crashes; returns the seed to go on with.
static uint64_t runSome(uint64_t begin, uint64_t end, Totals &totals,
                        std::vector<uint64_t> &failed) {
  auto [text, ending] = runApart([&](int file) {
    Compiler compiler;
    for (uint64_t seed = begin; seed < end; ++seed) {
      alarm(kSecondsOfProgram);
      Setup setup(seed);
      Choices choices(seed);
      GeneratedProgram program = compiler.generate(setup, choices);
      if (prints) {
        llvm::outs() << "// seed " << seed << "\n" << *program.module << "\n";
        llvm::outs().flush();
      }
      Verdict verdict;
      if (!prints)
        verdict = check(program, setup.check);
      std::ostringstream line;
      line << seed << " " << static_cast<int>(verdict.kind) << " "
           << verdict.secondOrder << " " << verdict.laws << " "
           << verdict.executed << " " << verdict.tangents << " "
           << verdict.fault << "\n";
      writeAll(file, line.str());
    }
  });
  std::istringstream stream(text);
  uint64_t next = begin;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream fields(line);
    int kind;
    int64_t second, laws, executed, tangents;
    std::string fault;
    fields >> next >> kind >> second >> laws >> executed >> tangents;
    std::getline(fields >> std::ws, fault);
    totals.secondOrder += second;
    totals.laws += laws;
    totals.executed += executed;
    totals.tangents += tangents;
    switch (static_cast<Verdict::Kind>(kind)) {
    case Verdict::Kind::Right:
      ++totals.right;
      break;
    case Verdict::Kind::Undefined:
      ++totals.undefined;
      break;
    case Verdict::Kind::Refused:
      ++totals.refused;
      break;
    case Verdict::Kind::Wrong:
      ++totals.wrong;
      ++totals.faults[fault];
      failed.push_back(next);
      break;
    }
    ++next;
  }
  if (ending.empty())
    return next;
  ++totals.wrong;
  ++totals.faults[ending];
  failed.push_back(next);
  return next + 1;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Checks values, states and gradients of random programs against exact "
      "arithmetic.\n");
  int64_t start = getNanoseconds();
  Totals totals;
  std::vector<uint64_t> failed;
  uint64_t next = firstSeed, end = firstSeed + count;
  while (next < end && static_cast<int64_t>(failed.size()) < maxFailures)
    next =
        runSome(next, std::min(end, next + kProgramsOfContext), totals, failed);
  double seconds = (getNanoseconds() - start) * 1e-9;
  if (prints)
    return 0;
  int64_t done = next - firstSeed;
  llvm::outs() << done << " programs from seed " << firstSeed << ": "
               << totals.right << " right, " << totals.refused
               << " wrong claims refused, " << totals.undefined
               << " without a value, " << totals.wrong << " wrong\n"
               << "also checked: laws of " << totals.laws << ", tangents of "
               << totals.tangents << " functions"
               << ", gradients of gradients of " << totals.secondOrder
               << ", compiled runs of " << totals.executed << "\n"
               << llvm::format("%.1f programs a second\n", done / seconds);
  for (const auto &[fault, number] : totals.faults)
    llvm::outs() << number << " times: " << fault << "\n";
  llvm::outs().flush();
  if (failed.size() > static_cast<size_t>(maxFailures))
    failed.resize(maxFailures);
  for (uint64_t seed : failed)
    runApart([&](int) { reduceAndPrint(seed); });
  return totals.wrong ? 1 : 0;
}
