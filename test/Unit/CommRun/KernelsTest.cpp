//===- KernelsTest.cpp - Kernels apart, compiled once, kept ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "tools/comm-run/Compile.h"
#include "tools/comm-run/Jit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "gtest/gtest.h"

#include <cmath>
#include <csignal>
#include <sys/resource.h>

using namespace mlir;
using namespace mlir::comm::runner;

/// Two kernels that differ in name alone, and one that needs a table, a helper
/// and the C library. @main(x) is 2 (2 x) + tanh(x) + 3.
static const char *const source = R"(
  llvm.mlir.global private constant @table(3.0 : f32) : f32
  llvm.func @tanhf(f32) -> f32
  llvm.func internal @helper(%x: f32) -> f32 {
    %y = llvm.call @tanhf(%x) : (f32) -> f32
    llvm.return %y : f32
  }
  llvm.func @double_1(%from: !llvm.ptr, %to: !llvm.ptr) attributes {comm.kernel} {
    %x = llvm.load %from : !llvm.ptr -> f32
    %y = llvm.fadd %x, %x : f32
    llvm.store %y, %to : f32, !llvm.ptr
    llvm.return
  }
  llvm.func @double_2(%from: !llvm.ptr, %to: !llvm.ptr) attributes {comm.kernel} {
    %x = llvm.load %from : !llvm.ptr -> f32
    %y = llvm.fadd %x, %x : f32
    llvm.store %y, %to : f32, !llvm.ptr
    llvm.return
  }
  llvm.func @add(%from: !llvm.ptr, %to: !llvm.ptr) attributes {comm.kernel} {
    %x = llvm.load %from : !llvm.ptr -> f32
    %t = llvm.call @helper(%x) : (f32) -> f32
    %at = llvm.mlir.addressof @table : !llvm.ptr
    %c = llvm.load %at : !llvm.ptr -> f32
    %y = llvm.load %to : !llvm.ptr -> f32
    %z = llvm.fadd %y, %t : f32
    %s = llvm.fadd %z, %c : f32
    llvm.store %s, %to : f32, !llvm.ptr
    llvm.return
  }
  llvm.func @main(%x: !llvm.ptr, %y: !llvm.ptr) {
    llvm.call @double_1(%x, %y) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.call @double_2(%y, %y) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.call @add(%x, %y) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
)";

namespace {

class KernelsTest : public ::testing::Test {
protected:
  KernelsTest() {
    DialectRegistry registry;
    registry.insert<LLVM::LLVMDialect>();
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    context.appendDialectRegistry(registry);
  }

  SplitModule split(StringRef salt, StringRef text = source) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    FailureOr<SplitModule> parts = splitKernels(*module, salt);
    EXPECT_TRUE(succeeded(parts));
    return std::move(*parts);
  }

  static std::vector<std::string> getNames(SplitModule &parts) {
    std::vector<std::string> names;
    for (llvm::orc::ThreadSafeModule &kernel : parts.kernels)
      kernel.withModuleDo([&](llvm::Module &module) {
        names.push_back(module.getModuleIdentifier());
      });
    return names;
  }

  /// Compiles the program, runs it, and returns how many kernels were cached.
  size_t run(KernelCache &cache) {
    size_t hits = cache.getNumHits();
    auto machine = getProcessor();
    EXPECT_TRUE(bool(machine));
    auto salt = describeKernelCodegen(*machine);
    EXPECT_TRUE(bool(salt));
    SplitModule parts = split(*salt);
    auto jit = createJit(std::move(parts), std::move(*machine), &cache);
    if (!jit) {
      ADD_FAILURE() << llvm::toString(jit.takeError());
      return 0;
    }
    auto main = (*jit)->lookup("main");
    EXPECT_TRUE(bool(main));
    float x = 0.5, y = -1;
    main->toPtr<void (*)(float *, float *)>()(&x, &y);
    EXPECT_FLOAT_EQ(y, 2 + std::tanh(0.5f) + 3);
    return cache.getNumHits() - hits;
  }

  MLIRContext context;
};

TEST_F(KernelsTest, StandApartAndAreShared) {
  SplitModule parts = split("");
  ASSERT_EQ(parts.kernels.size(), 2u);
  std::vector<std::string> names = getNames(parts);
  EXPECT_NE(names[0], names[1]);
  for (size_t i : {0, 1})
    parts.kernels[i].withModuleDo([&](llvm::Module &module) {
      for (llvm::Function &function : module)
        EXPECT_TRUE(function.isDeclaration() || function.hasLocalLinkage() ||
                    function.getName() == names[i])
            << function.getName().str();
    });
  parts.schedule.withModuleDo([&](llvm::Module &module) {
    for (const std::string &name : names) {
      ASSERT_TRUE(module.getFunction(name));
      EXPECT_TRUE(module.getFunction(name)->isDeclaration());
    }
    EXPECT_EQ(module.getFunction(names[0])->getNumUses(), 2u);
    EXPECT_FALSE(module.getFunction("double_2"));
  });
}

TEST_F(KernelsTest, NamesAreHashesOfAllThatTheCodeDependsOn) {
  SplitModule first = split("a"), again = split("a"), other = split("b");
  EXPECT_EQ(getNames(first), getNames(again));
  EXPECT_NE(getNames(first)[0], getNames(other)[0]);
}

TEST_F(KernelsTest, NamesTellWhatIsWrittenPastTheCaches) {
  auto getName = [&](std::string attributes) {
    SplitModule parts =
        split("", "llvm.func @f(%x: !llvm.ptr, %y: !llvm.ptr) attributes "
                  "{comm.kernel" +
                      attributes + "} { llvm.return }");
    return getNames(parts).at(0);
  };
  std::string first = getName(R"(, passthrough = [["comm-streamed", "0"]])");
  EXPECT_NE(first, getName(""));
  EXPECT_NE(first, getName(R"(, passthrough = [["comm-streamed", "1"]])"));
}

TEST_F(KernelsTest, AreCompiledOnceInAProcess) {
  KernelCache cache;
  EXPECT_EQ(run(cache), 0u);
  EXPECT_EQ(run(cache), 2u);
}

/// The compiler splits the long blocks of schedules: of the first one, which
/// has slots of the stack in its middle, and of one in a loop.
TEST_F(KernelsTest, LongSchedulesRunInOrder) {
  auto repeat = [](int count, std::string line) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += line;
    return text;
  };
  std::string add = "    llvm.call @add(%x) : (!llvm.ptr) -> ()\n",
              twice = "    llvm.call @twice(%x) : (!llvm.ptr) -> ()\n";
  std::string text = R"(
  llvm.func @add(%x: !llvm.ptr) attributes {comm.kernel} {
    %c = llvm.mlir.constant(1 : i64) : i64
    %v = llvm.load %x : !llvm.ptr -> i64
    %s = llvm.add %v, %c : i64
    llvm.store %s, %x : i64, !llvm.ptr
    llvm.return
  }
  llvm.func @twice(%x: !llvm.ptr) attributes {comm.kernel} {
    %v = llvm.load %x : !llvm.ptr -> i64
    %s = llvm.add %v, %v : i64
    llvm.store %s, %x : i64, !llvm.ptr
    llvm.return
  }
  llvm.func @main(%x: !llvm.ptr) {
    %one = llvm.mlir.constant(1 : i64) : i64
    %zero = llvm.mlir.constant(0 : i64) : i64
    %three = llvm.mlir.constant(3 : i64) : i64
)" + repeat(1500, add) +
                     R"(
    %slot = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
    %before = llvm.load %x : !llvm.ptr -> i64
    llvm.store %before, %slot : i64, !llvm.ptr
)" + repeat(1500, add) +
                     R"(
    llvm.br ^loop(%zero : i64)
  ^loop(%i: i64):
)" + repeat(3, twice) +
                     repeat(2500, add) + R"(
    %next = llvm.add %i, %one : i64
    %again = llvm.icmp "slt" %next, %three : i64
    llvm.cond_br %again, ^loop(%next : i64), ^end
  ^end:
    %kept = llvm.load %slot : !llvm.ptr -> i64
    %last = llvm.load %x : !llvm.ptr -> i64
    %sum = llvm.add %last, %kept : i64
    llvm.store %sum, %x : i64, !llvm.ptr
    llvm.return
  }
)";
  SplitModule parts = split("", text);
  auto machine = getProcessor();
  ASSERT_TRUE(bool(machine));
  auto jit = createJit(std::move(parts), std::move(*machine), nullptr);
  ASSERT_TRUE(bool(jit)) << llvm::toString(jit.takeError());
  auto main = (*jit)->lookup("main");
  ASSERT_TRUE(bool(main));
  int64_t value = 0, expected = 3000;
  main->toPtr<void (*)(int64_t *)>()(&value);
  for (int i = 0; i < 3; ++i)
    expected = 8 * expected + 2500;
  EXPECT_EQ(value, expected + 1500);
}

/// A folder for each test that goes with it.
class KernelFolderTest : public KernelsTest {
protected:
  KernelFolderTest() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("comm-kernels", root));
    folder = root;
    llvm::sys::path::append(folder, "new", "comm");
  }
  ~KernelFolderTest() override { llvm::sys::fs::remove_directories(root); }

  std::vector<std::string> listFiles() const {
    std::vector<std::string> files;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator at(folder, error), end;
         at != end && !error; at.increment(error))
      if (llvm::sys::path::filename(at->path()).starts_with("llvmcache-comm_"))
        files.push_back(at->path());
    return files;
  }

  SmallString<128> root, folder;
};

TEST_F(KernelFolderTest, KeepsKernelsBetweenProcesses) {
  {
    KernelCache cache(folder);
    EXPECT_EQ(run(cache), 0u);
    EXPECT_EQ(cache.getNumMisses(), 2u);
  }
  EXPECT_EQ(listFiles().size(), 2u);
  KernelCache cache(folder);
  EXPECT_EQ(run(cache), 2u);
}

TEST_F(KernelFolderTest, IgnoresWhatIsDamagedAndWritesItAgain) {
  {
    KernelCache cache(folder);
    run(cache);
  }
  std::vector<std::string> files = listFiles();
  ASSERT_EQ(files.size(), 2u);
  // One with a byte changed, one cut short.
  int file;
  ASSERT_FALSE(llvm::sys::fs::openFileForReadWrite(
      files[0], file, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::OF_None));
  {
    llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
    stream.pwrite("\xff", 1, 100);
  }
  ASSERT_FALSE(llvm::sys::fs::openFileForReadWrite(
      files[1], file, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::OF_None));
  ASSERT_FALSE(llvm::sys::fs::resize_file(file, 50));
  llvm::sys::Process::SafelyCloseFileDescriptor(file);
  {
    KernelCache cache(folder);
    EXPECT_EQ(run(cache), 0u);
  }
  KernelCache cache(folder);
  EXPECT_EQ(run(cache), 2u);
}

TEST_F(KernelFolderTest, IsDoneWithoutWhereItCannotBe) {
  // A file stands where the folder should be.
  std::error_code error;
  {
    llvm::raw_fd_ostream stream((root + "/new").str(), error);
  }
  ASSERT_FALSE(error);
  KernelCache cache(folder);
  EXPECT_EQ(run(cache), 0u);
  EXPECT_EQ(run(cache), 2u);
}

TEST_F(KernelFolderTest, IsDoneWithoutWhereNothingCanBeWritten) {
  // As on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit little = before;
  little.rlim_cur = 100;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  {
    KernelCache cache(folder);
    EXPECT_EQ(run(cache), 0u);
    EXPECT_EQ(run(cache), 2u);
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  KernelCache cache(folder);
  EXPECT_EQ(run(cache), 0u);
}

} // namespace
