//===- LauncherTest.cpp - What launchers say about a process --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Store/Launcher.h"
#include "gtest/gtest.h"

#include <map>

using namespace mlir::comm::runtime;

namespace {
using Environment = std::map<std::string, std::string>;

std::optional<Process> read(const Environment &environment,
                            std::string &error) {
  return readLauncher(
      [&](const char *name) {
        auto it = environment.find(name);
        return it == environment.end() ? nullptr : it->second.c_str();
      },
      error);
}

Process expectProcess(const Environment &environment) {
  std::string error;
  std::optional<Process> process = read(environment, error);
  EXPECT_TRUE(process) << error;
  return process.value_or(Process());
}

std::string expectError(const Environment &environment) {
  std::string error;
  EXPECT_FALSE(read(environment, error));
  return error;
}

const Environment torchrun = {
    {"WORLD_SIZE", "8"},      {"RANK", "5"},
    {"LOCAL_RANK", "1"},      {"MASTER_ADDR", "gpu3"},
    {"MASTER_PORT", "29400"}, {"TORCHELASTIC_RUN_ID", "a"}};
} // namespace

TEST(Launcher, NothingIsOneProcess) {
  EXPECT_EQ("", expectError({}));
  // A batch script is none of the tasks that it starts.
  EXPECT_EQ("", expectError({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}));
  Environment environment = torchrun;
  environment["COMM_LAUNCHER"] = "none";
  EXPECT_EQ("", expectError(environment));
}

TEST(Launcher, Torchrun) {
  Process process = expectProcess(torchrun);
  EXPECT_EQ("torchrun", process.launcher);
  EXPECT_EQ(8, process.numRanks);
  EXPECT_EQ(5, process.rank);
  EXPECT_EQ(1, process.localRank);
  EXPECT_EQ("gpu3", process.address);
  EXPECT_EQ(29401, process.port);
  EXPECT_EQ("a", process.run);
}

TEST(Launcher, PlacesInsteadOfTheMaster) {
  Environment environment = torchrun;
  environment["COMM_PORT"] = "4000";
  EXPECT_EQ(4000, expectProcess(environment).port);
  environment["COMM_RENDEZVOUS"] = "/shared/meet";
  EXPECT_EQ("/shared/meet", expectProcess(environment).file);
}

TEST(Launcher, Mpirun) {
  Environment environment = {{"OMPI_COMM_WORLD_SIZE", "4"},
                             {"OMPI_COMM_WORLD_RANK", "3"},
                             {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                             {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                             {"PMIX_NAMESPACE", "job7"}};
  EXPECT_EQ("mpirun started rank 3 of several, and nothing says where they "
            "meet: set MASTER_ADDR and MASTER_PORT, or COMM_RENDEZVOUS to a "
            "file that all of them see",
            expectError(environment));
  // On one host all find the same place.
  environment["OMPI_COMM_WORLD_LOCAL_SIZE"] = "4";
  Process process = expectProcess(environment);
  EXPECT_EQ(3, process.rank);
  EXPECT_EQ(1, process.localRank);
  EXPECT_EQ("127.0.0.1", process.address);
  EXPECT_EQ(process.port, expectProcess(environment).port);
  EXPECT_GE(process.port, 20000);
  EXPECT_LT(process.port, 30000);
}

TEST(Launcher, Srun) {
  Process process = expectProcess({{"SLURM_PROCID", "9"},
                                   {"SLURM_NTASKS", "16"},
                                   {"SLURM_LOCALID", "1"},
                                   {"SLURM_JOB_ID", "77"},
                                   {"SLURM_STEP_ID", "0"},
                                   {"SLURM_STEP_NODELIST", "gpu[03-04,9]"}});
  EXPECT_EQ("srun", process.launcher);
  EXPECT_EQ(16, process.numRanks);
  EXPECT_EQ(9, process.rank);
  EXPECT_EQ(1, process.localRank);
  EXPECT_EQ("gpu03", process.address);
  EXPECT_EQ("77.0", process.run);
}

TEST(Launcher, ByHand) {
  Process process =
      expectProcess({{"COMM_RENDEZVOUS", "meet"}, {"COMM_RANK", "2"}});
  EXPECT_EQ("COMM_RANK", process.launcher);
  EXPECT_EQ(2, process.rank);
  EXPECT_EQ(0, process.numRanks);
  EXPECT_EQ(-1, process.localRank);
}

TEST(Launcher, FirstHosts) {
  EXPECT_EQ("a", getFirstHost("a"));
  EXPECT_EQ("a", getFirstHost("a,b[1-2]"));
  EXPECT_EQ("n007", getFirstHost("n[007-12]"));
  EXPECT_EQ("n7-ib", getFirstHost("n[7,9]-ib,m"));
  EXPECT_EQ("r1n2", getFirstHost("r[1-4]n[2-3]"));
  EXPECT_EQ("", getFirstHost("n[7"));
}

TEST(Launcher, Mistakes) {
  EXPECT_EQ("WORLD_SIZE is set and RANK is not",
            expectError({{"WORLD_SIZE", "2"}}));
  EXPECT_EQ("COMM_RENDEZVOUS is set and COMM_RANK is not",
            expectError({{"COMM_RENDEZVOUS", "meet"}}));
  Environment environment = torchrun;
  environment["RANK"] = "8";
  EXPECT_EQ("torchrun says that this is rank 8 of 8", expectError(environment));
  environment["RANK"] = "two";
  EXPECT_EQ("RANK is 'two', expected a number from 0 to 1048576",
            expectError(environment));
  environment["RANK"] = "2";
  environment["COMM_LAUNCHER"] = "x";
  EXPECT_EQ("COMM_LAUNCHER is 'x', expected 'none'", expectError(environment));
}
