//===- comm-compile.cpp - Compiles a program to a shared object -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Header.h"
#include "SharedObject.h"
#include "comm/Conversion/CudaCpp.h"
#include "comm/InitAll.h"
#include "comm/Runner/Console.h"
#include "comm/Runner/Vjp.h"
#include "comm/Transforms/DifferentiatePass.h"
#include "tools/comm-run/CompileFlags.h"
#include "tools/comm-run/Differentiate.h"
#include "tools/comm-run/KernelCache.h"
#include "tools/comm-run/ProgramText.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Path.h"

#include <fstream>

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

static constexpr const char *overview =
    R"(Compiles functions of an MLIR program to a shared object that comm-exec runs.

It holds all public functions, or those that --function names; with --grad their
vector-Jacobian products too, such as @f_vjp. A program of C or C++ calls them
by the header that --header writes.

Examples:
  comm-compile f.mlir -o f.so
  comm-compile f.mlir -o f.so --grad --header=f.h --mcpu=x86-64-v3
  comm-opt f.mlir -comm-differentiate=mode=split | comm-compile - -o f.so
  comm-compile f.mlir --grad --emit=cuda-cpp -o f.cu

Exit codes: 0 right, 2 wrong command line, 3 refused by the compiler.
)";

namespace {

struct CommandLine {
  std::string file, output, header, emit;
  std::vector<std::string> functions, wrt;
  bool grad = false, time = false;
  CompileOptions compile;
  std::string kernelCache;
};

} // namespace

static void addGpuFlags(FlagTable &table, CompileOptions &options) {
  table.addText("cubin-chip", "NAME",
                "The GPU of target nccl, such as sm_90; default sm_80",
                options.chip);
  table.addText("cubin-format", "KIND",
                "Its code: isa (PTX, which the driver compiles; default), bin\n"
                "(a cubin) or fatbin (both)",
                options.format);
}

static MaybeFailure setTarget(const std::string &name,
                              CompileOptions &options) {
  std::optional<runner::Target> target = getTargetByName(name);
  if (!target)
    return usageFailure("no target '" + name + "': expected 'host' or 'nccl'");
  options.target = *target;
  if (*target == runner::Target::Host &&
      !(options.chip.empty() && options.format.empty()))
    return usageFailure("--cubin-chip and --cubin-format need --target=nccl");
  return std::nullopt;
}

static Result<CommandLine> parseCommandLine(int argc, char **argv) {
  CommandLine line;
  std::string target = getName(runner::Target::Host);
  FlagTable table("comm-compile", overview, getVersionText("comm-compile"));
  table.setFile("file.mlir", line.file);
  table.addText("o", "FILE", "The shared object to write", line.output);
  table.addText("emit", "LANGUAGE",
                "Write a text to be read instead: cuda-cpp, CUDA C++ that\n"
                "calls CUDA, cuBLASLt and NCCL; without -o to standard output",
                line.emit);
  table.addText("target", "NAME",
                "What it runs on: host, the default, or nccl, GPUs", target);
  table.addTexts("function", "NAME",
                 "A function to compile; default all "
                 "public ones",
                 line.functions);
  table.addSwitch("grad", "Compile what --grad of comm-exec takes too",
                  line.grad);
  table.addTexts("wrt", "NAME",
                 "An argument to differentiate; default all of floats",
                 line.wrt);
  table.addText("mcpu", "NAME",
                "The processor, such as x86-64-v3; default native, this one",
                line.compile.processor);
  table.addText("header", "FILE",
                "Write a header of C with the functions; -: to standard output",
                line.header);
  table.addSwitch("time", "Print how long it took", line.time);
  addCompileFlags(table, line.compile, line.kernelCache);
  addGpuFlags(table, line.compile);
  if (MaybeFailure failure = table.parse(argc, argv))
    return *failure;
  if (!line.emit.empty() && line.emit != "cuda-cpp")
    return usageFailure("no language '" + line.emit + "': expected 'cuda-cpp'");
  if (line.output.empty() && line.header.empty() && line.emit.empty())
    return usageFailure("nothing to write: -o FILE, --header=FILE, or both");
  if (!line.wrt.empty() && !line.grad)
    return usageFailure("--wrt needs --grad");
  if (MaybeFailure failure = setTarget(target, line.compile))
    return *failure;
  line.kernelCache = getKernelCacheFolder(line.kernelCache);
  return line;
}

static bool isDifferentiable(const FunctionSignature &signature) {
  auto isFloatValue = [](const ValueInfo &value) {
    return isFloat(value.type);
  };
  return llvm::any_of(signature.arguments, isFloatValue) &&
         llvm::any_of(signature.results, isFloatValue);
}

/// Adds the gradients of the functions that have any to the module and to the
/// description.
static MaybeFailure addGradients(const Library &library,
                                 const CommandLine &line,
                                 CommDifferentiator &differentiator,
                                 ArtifactDescription &description) {
  bool ok = true;
  for (const FunctionSignature &signature : library.functions) {
    // Whoever names a function wants to know why it has none.
    if (line.functions.empty() && !isDifferentiable(signature))
      continue;
    Result<Vjp> vjp = describeVjp(signature, line.wrt);
    if (!vjp)
      return vjp.getFailure();
    auto function =
        (*library.module).lookupSymbol<func::FuncOp>(signature.name);
    if (failed(addVjp(differentiator, function, *vjp)))
      ok = false;
    else
      description.functions.push_back(
          {std::move(vjp->signature), signature.name});
  }
  if (!ok)
    return Failure{ExitCode::Compile, ""};
  return std::nullopt;
}

/// Makes the library's module hold what is to be compiled and nothing else, and
/// describes it.
static Result<ArtifactDescription> prepare(const Library &library,
                                           const CommandLine &line) {
  ModuleOp module = *library.module;
  std::unique_ptr<CommDifferentiator> differentiator = resolveModule(module);
  if (!differentiator)
    return Failure{ExitCode::Compile, ""};
  ArtifactDescription description;
  description.target = line.compile.target;
  description.compiler = "comm " COMM_VERSION ", LLVM " LLVM_VERSION_STRING;
  description.mesh = library.functions.front().mesh;
  for (const FunctionSignature &signature : library.functions)
    description.functions.push_back({signature, ""});
  if (line.grad)
    if (MaybeFailure failure =
            addGradients(library, line, *differentiator, description))
      return *failure;
  SmallVector<func::FuncOp> kept;
  for (const ArtifactFunction &function : description.functions)
    kept.push_back(module.lookupSymbol<func::FuncOp>(function.signature.name));
  if (failed(keepOnly(module, kept)))
    return Failure{ExitCode::Compile, ""};
  return description;
}

static MaybeFailure writeHeader(const ArtifactDescription &description,
                                const CommandLine &line,
                                const Console &console) {
  const std::string &path = line.header, &file = line.file;
  if (path == "-") {
    StringRef program = file == "-" ? "program" : llvm::sys::path::stem(file);
    console.printText(formatHeader(description, (program + ".h").str()));
    return std::nullopt;
  }
  std::ofstream stream(path);
  stream << formatHeader(description, llvm::sys::path::filename(path).str());
  stream.close();
  if (!stream)
    return usageFailure("cannot write '" + path + "'");
  return std::nullopt;
}

static MaybeFailure emitText(ModuleOp module, const CommandLine &line,
                             const Console &console) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  const CudaCppOptions options{line.compile.verifyRuntime,
                               line.compile.keepGroupsOfOne};
  if (failed(translateToCudaCpp(module, stream, options)))
    return Failure{ExitCode::Compile, ""};
  if (line.output.empty() || line.output == "-") {
    console.printText(text);
    return std::nullopt;
  }
  std::ofstream file(line.output);
  file << text;
  file.close();
  if (!file)
    return usageFailure("cannot write '" + line.output + "'");
  return std::nullopt;
}

static MaybeFailure compile(int argc, char **argv, const Console &console) {
  Result<CommandLine> line = parseCommandLine(argc, argv);
  if (!line)
    return line.getFailure();
  DialectRegistry registry;
  comm::registerAllDialects(registry);
  Result<std::unique_ptr<ProgramText>> text =
      ProgramText::open(line->file, registry);
  if (!text)
    return text.getFailure();
  // With --grad, derivatives that the program has already are made anew.
  Result<Library> library =
      loadLibrary((*text)->getContext(), (*text)->get(), line->functions,
                  /*derivatives=*/!line->grad);
  if (!library)
    return library.getFailure();
  if (!line->emit.empty())
    nameValues(*library->module, (*text)->get());
  Result<ArtifactDescription> description = prepare(*library, *line);
  if (!description)
    return description.getFailure();
  if (!line->header.empty())
    if (MaybeFailure failure = writeHeader(*description, *line, console))
      return failure;
  if (!line->emit.empty())
    return emitText(*library->module, *line, console);
  if (line->output.empty())
    return std::nullopt;
  KernelCache cache(line->kernelCache);
  line->compile.cache = &cache;
  Result<CompileReport> report = writeSharedObject(
      *library->module, std::move(*description), line->compile, line->output);
  if (!report)
    return report.getFailure();
  if (line->time)
    console.print(formatReport(*report));
  return std::nullopt;
}

int main(int argc, char **argv) {
  return Console("comm-compile").run(compile, argc, argv);
}
