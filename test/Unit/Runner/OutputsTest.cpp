//===- OutputsTest.cpp - Tests of writing results to files ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Outputs.h"
#include "RunnerTesting.h"
#include "comm/Runner/Npy.h"

#include <filesystem>
#include <fstream>

using namespace mlir::comm;
using namespace mlir::comm::runner;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Checks the flags and writes the results; the failure's message or what was
/// written, a line each.
std::string write(const std::vector<std::string> &texts,
                  const RankValues &results = makeResults()) {
  std::vector<OutputSpec> specs;
  for (const std::string &text : texts)
    specs.push_back(*parseOutputSpec("--output", text));
  if (MaybeFailure failure = checkOutputs(makePrinted(), specs))
    return failure->message;
  Result<std::vector<std::string>> lines =
      writeOutputs(makePrinted(), results, specs);
  if (!lines)
    return lines.getFailure().message;
  std::string all;
  for (const std::string &line : *lines)
    all += line + "\n";
  return all;
}

TEST(Outputs, WritesFiles) {
  std::string folder = testing::TempDir() + "comm-outputs-";
  EXPECT_EQ(write({"1=@" + folder + "n.{rank}.npy"}),
            "wrote result 1 of ranks 0..2 to " + folder + "n.{rank}.npy\n");
  for (int64_t rank : {0, 1, 2}) {
    Result<HostTensor> read =
        readNpy(folder + "n." + std::to_string(rank) + ".npy");
    ASSERT_TRUE(bool(read));
    EXPECT_THAT(getElements(*read), ElementsAre(rank));
  }
  EXPECT_EQ(write({"1@2=@" + folder + "n2.npy", "grad.x=@" + folder + "g.npy"}),
            "wrote result 1 of rank 2 to " + folder +
                "n2.npy\n"
                "wrote result 'grad.x' of ranks 0..2 to " +
                folder + "g.npy\n");
  EXPECT_THAT(getElements(*readNpy(folder + "n2.npy")), ElementsAre(2));
  EXPECT_THAT(getElements(*readNpy(folder + "g.npy")), ElementsAre(7));
}

TEST(Outputs, WritesWhatIsInThisProcess) {
  std::string folder = testing::TempDir() + "comm-outputs-part-";
  std::filesystem::remove(folder + "g.npy");
  std::filesystem::remove(folder + "n.0.npy");
  RankValues results = makeResults();
  results[0].clear();
  EXPECT_EQ(write({"1=@" + folder + "n.{rank}.npy",
                   "grad.x=@" + folder + "g.npy", "1@0=@" + folder + "n0.npy"},
                  results),
            "wrote result 1 of ranks 1, 2 to " + folder + "n.{rank}.npy\n");
  EXPECT_THAT(getElements(*readNpy(folder + "n.2.npy")), ElementsAre(2));
  for (const char *file : {"n.0.npy", "g.npy", "n0.npy"})
    EXPECT_FALSE(std::ifstream(folder + file).good()) << file;
  results = makeResults();
  results[1].clear();
  EXPECT_EQ(write({"grad.x=@" + folder + "g.npy"}, results),
            "wrote result 'grad.x' of ranks 0, 2 to " + folder + "g.npy\n");
}

TEST(Outputs, RefusesWhatCannotBe) {
  EXPECT_EQ(write({"1=@n.npy"}),
            "--output=1=@n.npy: ranks 0 and 1 have different values: write "
            "{rank} into the name of the file, or name a rank");
  EXPECT_FALSE(std::ifstream("n.npy").good());
  EXPECT_THAT(write({"z=@z.npy"}), HasSubstr("no result 'z'"));
  EXPECT_THAT(write({"y@3=@z.npy"}), HasSubstr("rank 3 is out of range"));
  EXPECT_EQ(write({"1@0=@/nonexistent/n.npy"}),
            "--output=1@0=@/nonexistent/n.npy: cannot write "
            "'/nonexistent/n.npy': No such file or directory");
}

TEST(Outputs, RefusesOneFileForTwoValues) {
  EXPECT_EQ(write({"1@0=@n.npy", "1@1=@n.npy"}),
            "--output=1@1=@n.npy: 'n.npy' is written already by "
            "--output=1@0=@n.npy: give each value a file of its own ({rank} in "
            "a name stands for the rank)");
  EXPECT_THAT(write({"y@0=@./n.npy", "grad.x=@n.npy"}),
              HasSubstr("'n.npy' is written already by --output=y@0=@./n.npy"));
  EXPECT_THAT(write({"1=@n{rank}.npy", "grad.x=@n1.npy"}),
              HasSubstr("'n1.npy' is written already"));
  EXPECT_FALSE(std::ifstream("n.npy").good());
}

TEST(Outputs, ACheckLeavesFilesAsTheyAre) {
  std::string path = testing::TempDir() + "comm-outputs-old.npy";
  std::ofstream(path) << "old";
  EXPECT_FALSE(checkWritable(path));
  std::string text;
  std::ifstream(path) >> text;
  EXPECT_EQ(text, "old");
  std::string none = testing::TempDir() + "comm-outputs-none.npy";
  EXPECT_FALSE(checkWritable(none));
  EXPECT_FALSE(std::ifstream(none).good());
  EXPECT_TRUE(checkWritable(testing::TempDir()));
}

} // namespace
