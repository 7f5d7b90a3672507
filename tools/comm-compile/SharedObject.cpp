//===- SharedObject.cpp - A program as a file that can be loaded ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedObject.h"

#include "comm/Runner/Processor.h"
#include "tools/comm-run/Codegen.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace mlir::comm::runner;

using Clock = std::chrono::steady_clock;
using Objects = std::vector<std::unique_ptr<llvm::MemoryBuffer>>;

/// What the linker lets others see.
static constexpr llvm::StringLiteral exports =
    "{ global: comm_artifact; comm_abi_version; comm_packed_*; "
    "_mlir_ciface_*; local: *; };\n";

/// Tells which processor the code needs.
static void describeProcessor(const llvm::TargetMachine &machine,
                              ArtifactDescription &description) {
  description.processor = machine.getTargetCPU().str();
  for (const std::string &feature : getKnownFeatures())
    if (machine.getMCSubtargetInfo()->checkFeatures("+" + feature))
      description.features.push_back(feature);
}

static void addDescription(llvm::Module &module, const std::string &text) {
  llvm::Constant *value =
      llvm::ConstantDataArray::getString(module.getContext(), text);
  new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage, value,
                           kArtifactSymbol);
}

/// The object of each part, on as many threads as the machine has cores.
static Result<Objects>
compileParts(std::vector<llvm::orc::ThreadSafeModule> parts,
             const llvm::TargetMachine &machine, const Codegen &codegen) {
  Objects objects(parts.size());
  std::mutex mutex;
  llvm::Error errors = llvm::Error::success();
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency());
  for (size_t i = 0; i < parts.size(); ++i)
    pool.async([&, i] {
      parts[i].withModuleDo([&](llvm::Module &module) {
        module.setDataLayout(machine.createDataLayout());
        module.setTargetTriple(machine.getTargetTriple());
        auto object = codegen.compile(module);
        std::lock_guard<std::mutex> lock(mutex);
        if (object)
          objects[i] = std::move(*object);
        else
          errors = llvm::joinErrors(std::move(errors), object.takeError());
      });
    });
  pool.wait();
  if (errors)
    return compileFailure(std::move(errors));
  llvm::consumeError(std::move(errors));
  return objects;
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

static Failure fileFailure(const llvm::Twine &path, std::error_code error) {
  return usageFailure("cannot write '" + path.str() + "': " + error.message());
}

static std::error_code writeFile(const std::string &path, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error)
    return error;
  file << text;
  file.close();
  error = file.error();
  file.clear_error();
  return error;
}

/// One file for the linker, however many objects there are.
static MaybeFailure writeArchive(const std::string &path,
                                 const Objects &objects) {
  std::vector<llvm::NewArchiveMember> members;
  std::vector<std::string> names;
  for (size_t i = 0; i < objects.size(); ++i)
    names.push_back("part" + std::to_string(i) + ".o");
  for (size_t i = 0; i < objects.size(); ++i)
    members.emplace_back(
        llvm::MemoryBufferRef(objects[i]->getBuffer(), names[i]));
  if (llvm::Error error = llvm::writeArchive(
          path, members, llvm::SymtabWritingMode::NormalSymtab,
          llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false))
    return compileFailure(std::move(error));
  return std::nullopt;
}

/// Links the objects, whose files lie in `folder`, to `path`: a library that
/// will be called `name`.
static MaybeFailure link(const Objects &objects, const std::string &folder,
                         const std::string &path, StringRef name) {
  llvm::ErrorOr<std::string> driver = llvm::sys::findProgramByName("cc");
  if (!driver)
    return Failure{ExitCode::Compile, "no 'cc' in the PATH, which links shared "
                                      "objects: install gcc or clang"};
  std::string archive = folder + "/program.a", script = folder + "/exports";
  std::string messages = folder + "/messages";
  if (MaybeFailure failure = writeArchive(archive, objects))
    return failure;
  if (std::error_code error = writeFile(script, exports))
    return fileFailure(script, error);
  // Calls among the program's own functions stay within it; what it does not
  // have is looked for when it is called, so that its description can be read
  // where something is missing.
  std::string scriptFlag = "-Wl,--version-script=" + script;
  std::string nameFlag = ("-Wl,-soname," + name).str();
  StringRef arguments[] = {"cc",
                           "-shared",
                           "-o",
                           path,
                           "-Wl,--whole-archive",
                           archive,
                           "-Wl,--no-whole-archive",
                           "-Wl,-Bsymbolic",
                           "-Wl,-z,lazy",
                           scriptFlag,
                           nameFlag,
                           "-lm"};
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(messages),
                                          StringRef(messages)};
  std::string error;
  int status = llvm::sys::ExecuteAndWait(*driver, arguments, std::nullopt,
                                         redirects, 0, 0, &error);
  if (status == 0)
    return std::nullopt;
  if (auto text = llvm::MemoryBuffer::getFile(messages))
    error += (*text)->getBuffer().rtrim().str();
  return Failure{ExitCode::Compile, "'" + *driver + "' cannot link: " + error};
}

/// Links them to a file beside `path`, which then takes its place.
static MaybeFailure writeLinked(const Objects &objects,
                                const std::string &path) {
  llvm::SmallString<128> folder, unfinished;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("comm-compile", folder))
    return fileFailure(folder, error);
  auto removeFolder =
      llvm::scope_exit([&] { llvm::sys::fs::remove_directories(folder); });
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path))
    return usageFailure("cannot write '" + path + "': it is no regular file");
  if (std::error_code error =
          llvm::sys::fs::createUniqueFile(path + ".%%%%%%", unfinished))
    return fileFailure(path, error);
  auto removeUnfinished =
      llvm::scope_exit([&] { llvm::sys::fs::remove(unfinished); });
  if (MaybeFailure failure =
          link(objects, folder.str().str(), unfinished.str().str(),
               llvm::sys::path::filename(path)))
    return failure;
  if (std::error_code error = llvm::sys::fs::rename(unfinished, path))
    return fileFailure(path, error);
  removeUnfinished.release();
  return std::nullopt;
}

Result<CompileReport> comm::runner::writeSharedObject(
    ModuleOp module, ArtifactDescription description,
    const CompileOptions &options, const std::string &path) {
  CompileReport report;
  Clock::time_point start = Clock::now();
  Result<LoweredProgram> program = lowerProgram(module, options, report);
  if (!program)
    return program.getFailure();
  auto machine = program->machine.createTargetMachine();
  if (!machine)
    return compileFailure(machine.takeError());
  describeProcessor(**machine, description);
  program->parts.schedule.withModuleDo([&](llvm::Module &schedule) {
    addDescription(schedule, formatDescription(description));
  });

  KernelCache *cache = options.cache;
  size_t hits = cache ? cache->getNumHits() : 0;
  std::vector<llvm::orc::ThreadSafeModule> parts =
      std::move(program->parts.kernels);
  parts.push_back(std::move(program->parts.schedule));
  Result<Objects> objects = compileParts(std::move(parts), **machine,
                                         Codegen(program->machine, cache));
  if (!objects)
    return objects.getFailure();
  if (MaybeFailure failure = writeLinked(*objects, path))
    return *failure;
  report.cached = cache ? cache->getNumHits() - hits : 0;
  report.codegen = Clock::now() - start - report.lowering;
  return report;
}
