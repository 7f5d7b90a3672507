//===- CollectiveProgramsTest.cpp - Every collective, from text to ranks --===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramRunner.h"
#include "gtest/gtest.h"

using namespace mlir::comm;

/// A program of one op on one tensor, run on the mesh: world rank 3 * dp + tp.
static std::string run(const std::string &op, const std::string &from,
                       const std::string &to,
                       const std::vector<std::string> &inputs,
                       const std::vector<std::string> &expected) {
  return runProgram("comm.mesh @mesh [dp = 2, tp = 3]\n"
                    "func.func @main(%x: " +
                        from + ") -> " + to + " {\n  " + op +
                        "\n  return %y : " + to + "\n}\n",
                    inputs, expected);
}

// Behind an argument's type: it is one value over tp.
static const std::string replicated =
    " {comm.replicated = #comm.axes<@mesh[\"tp\"]>}";

// Each rank's element is 1 or 2 at a decimal place of its own.
static const std::vector<std::string> places = {
    "0@0=1,2",       "0@1=10,20",       "0@2=100,200",
    "0@3=1000,2000", "0@4=10000,20000", "0@5=100000,200000"};

TEST(CollectivePrograms, AllReduce) {
  EXPECT_EQ(
      run("%y = comm.all_reduce sum %x over @mesh[\"tp\"] : tensor<2xf32>",
          "tensor<2xf32>", "tensor<2xf32>", places,
          {"0@0=111,222", "0@2=111,222", "0@3=111000,222000",
           "0@5=111000,222000"}),
      "");
  EXPECT_EQ(
      run("%y = comm.all_reduce max %x over @mesh[\"dp\"] : tensor<2xf32>",
          "tensor<2xf32>", "tensor<2xf32>", places,
          {"0@0=1000,2000", "0@1=10000,20000", "0@4=10000,20000"}),
      "");
  EXPECT_EQ(run("%y = comm.all_reduce avg %x over @mesh[\"dp\", \"tp\"] : "
                "tensor<2xf64>",
                "tensor<2xf64>", "tensor<2xf64>", places, {"0=18518.5,37037"}),
            "");
  EXPECT_EQ(run("%y = comm.all_reduce or %x over @mesh[\"tp\"] : tensor<2xi1>",
                "tensor<2xi1>", "tensor<2xi1>", {"0=0,0", "0@4=1,0"},
                {"0@0=0,0", "0@3=1,0", "0@5=1,0"}),
            "");
}

TEST(CollectivePrograms, AllGather) {
  EXPECT_EQ(
      run("%y = comm.all_gather %x dim 0 over @mesh[\"tp\"] : "
          "tensor<2xf32> -> tensor<6xf32>",
          "tensor<2xf32>", "tensor<6xf32>", places,
          {"0@1=1,2,10,20,100,200", "0@3=1000,2000,10000,20000,100000,200000"}),
      "");
  // Along the last dimension, in a group that is not numbered in mesh order.
  EXPECT_EQ(run("%y = comm.all_gather %x dim 1 over @mesh[\"tp\", \"dp\"] : "
                "tensor<2x1xf32> -> tensor<2x6xf32>",
                "tensor<2x1xf32>", "tensor<2x6xf32>", places,
                {"0=[[1,1000,10,10000,100,100000],"
                 "[2,2000,20,20000,200,200000]]"}),
            "");
}

TEST(CollectivePrograms, AllGatherOfDynamicSizes) {
  EXPECT_EQ(run("%y = comm.all_gather %x dim 1 over @mesh[\"tp\"] : "
                "tensor<?x?xf32> -> tensor<?x3xf32>",
                "tensor<?x?xf32>", "tensor<?x3xf32>",
                {"0@0=2x1xf32=1,2", "0@1=2x1xf32=3,4", "0@2=2x1xf32=5,6",
                 "0@3=2x1xf32=7,8", "0@4=2x1xf32=9,10", "0@5=2x1xf32=11,12"},
                {"0@0=[[1,3,5],[2,4,6]]", "0@4=[[7,9,11],[8,10,12]]"}),
            "");
}

TEST(CollectivePrograms, ReduceScatter) {
  EXPECT_EQ(run("%y = comm.reduce_scatter sum %x dim 1 over @mesh[\"dp\"] : "
                "tensor<2x2xf32> -> tensor<2x1xf32>",
                "tensor<2x2xf32>", "tensor<2x1xf32>",
                {"0=0,0,0,0", "0@0=[[1,2],[3,4]]", "0@3=[[10,20],[30,40]]"},
                {"0@0=[[11],[33]]", "0@3=[[22],[44]]", "0@1=[[0],[0]]"}),
            "");
  EXPECT_EQ(run("%y = comm.reduce_scatter avg %x dim 0 over @mesh[\"dp\"] : "
                "tensor<?xf32> -> tensor<?xf32>",
                "tensor<?xf32>", "tensor<?xf32>",
                {"0=2xf32=0,0", "0@1=2xf32=1,2", "0@4=2xf32=3,5"},
                {"0@1=1xf32=2", "0@4=1xf32=3.5"}),
            "");
}

TEST(CollectivePrograms, AllToAll) {
  const std::string prefix = "%y = comm.all_to_all %x split ";
  // Rank r of the group holds 10 r + its index.
  const std::vector<std::string> inputs = {
      "0@0=[[0,1,2]]",    "0@1=[[10,11,12]]", "0@2=[[20,21,22]]",
      "0@3=[[30,31,32]]", "0@4=[[40,41,42]]", "0@5=[[50,51,52]]"};
  EXPECT_EQ(run(prefix + "1 concat 0 over @mesh[\"tp\"] : tensor<1x3xf32> -> "
                         "tensor<3x1xf32>",
                "tensor<1x3xf32>", "tensor<3x1xf32>", inputs,
                {"0@1=[[1],[11],[21]]", "0@5=[[32],[42],[52]]"}),
            "");
  EXPECT_EQ(run(prefix + "1 concat 1 over @mesh[\"tp\"] : tensor<1x3xf32>",
                "tensor<1x3xf32>", "tensor<1x3xf32>", inputs,
                {"0@1=[[1,11,21]]", "0@3=[[30,40,50]]"}),
            "");
  EXPECT_EQ(run(prefix + "1 concat 2 over @mesh[\"dp\"] : tensor<2x2x2xf32> -> "
                         "tensor<2x1x4xf32>",
                "tensor<2x2x2xf32>", "tensor<2x1x4xf32>",
                {"0=iota", "0@0=[[[1,2],[3,4]],[[5,6],[7,8]]]",
                 "0@3=[[[10,20],[30,40]],[[50,60],[70,80]]]"},
                {"0@0=[[[1,2,10,20]],[[5,6,50,60]]]",
                 "0@3=[[[3,4,30,40]],[[7,8,70,80]]]"}),
            "");
}

TEST(CollectivePrograms, Rooted) {
  EXPECT_EQ(
      run("%y = comm.broadcast %x root 2 over @mesh[\"tp\"] : tensor<2xf32>",
          "tensor<2xf32>", "tensor<2xf32>", places,
          {"0@0=100,200", "0@4=100000,200000"}),
      "");
  EXPECT_EQ(
      run("%y = comm.reduce sum %x root 1 over @mesh[\"tp\"] : tensor<2xf32>",
          "tensor<2xf32>", "tensor<2xf32>", places,
          {"0@0=0,0", "0@1=111,222", "0@4=111000,222000", "0@5=0,0"}),
      "");
  EXPECT_EQ(run("%y = comm.gather %x dim 1 root 1 over @mesh[\"dp\"] : "
                "tensor<2x1xf32> -> tensor<2x2xf32>",
                "tensor<2x1xf32>", "tensor<2x2xf32>", places,
                {"0@0=0,0,0,0", "0@3=[[1,1000],[2,2000]]"}),
            "");
  EXPECT_EQ(run("%y = comm.scatter %x dim 1 root 1 over @mesh[\"dp\"] : "
                "tensor<1x2xf32> -> tensor<1x1xf32>",
                "tensor<1x2xf32>", "tensor<1x1xf32>", places,
                {"0@0=1000", "0@3=2000", "0@2=100000"}),
            "");
}

TEST(CollectivePrograms, PointToPoint) {
  EXPECT_EQ(run("%y = comm.permute %x [(0, 1), (1, 2)] over @mesh[\"tp\"] : "
                "tensor<2xf32>",
                "tensor<2xf32>", "tensor<2xf32>", places,
                {"0@0=0,0", "0@1=1,2", "0@2=10,20", "0@5=10000,20000"}),
            "");
  EXPECT_EQ(
      run("%m = comm.send %x from 2 to 0 over @mesh[\"tp\"] : tensor<2xf32> -> "
          "!comm.message<tensor<2xf32>>\n"
          "%y = comm.recv %m : !comm.message<tensor<2xf32>> -> tensor<2xf32>",
          "tensor<2xf32>", "tensor<2xf32>", places,
          {"0@0=100,200", "0@1=0,0", "0@2=0,0", "0@3=100000,200000"}),
      "");
}

TEST(CollectivePrograms, Local) {
  const std::string six = "0=[[1,2,3],[4,5,6]]";
  EXPECT_EQ(run("%y = comm.all_slice %x dim 1 over @mesh[\"tp\"] : "
                "tensor<2x3xf32> -> tensor<2x1xf32>",
                "tensor<2x3xf32>" + replicated, "tensor<2x1xf32>", {six},
                {"0@0=[[1],[4]]", "0@2=[[3],[6]]", "0@4=[[2],[5]]"}),
            "");
  EXPECT_EQ(run("%y = comm.root_mask %x root 1 over @mesh[\"tp\"] : "
                "tensor<2x3xf32>",
                "tensor<2x3xf32>" + replicated, "tensor<2x3xf32>", {six},
                {"0@0=0,0,0,0,0,0", "0@1=[[1,2,3],[4,5,6]]"}),
            "");
  EXPECT_EQ(run("%y = comm.vary %x over @mesh[\"tp\"] : tensor<2x3xf32>\n"
                "comm.barrier over @mesh[\"dp\"]",
                "tensor<2x3xf32>" + replicated, "tensor<2x3xf32>", {six},
                {six}),
            "");
}

TEST(CollectivePrograms, ScalarsAndAxisIndex) {
  EXPECT_EQ(run("%i = comm.axis_index over @mesh[\"tp\", \"dp\"] : index\n"
                "%y = arith.addi %i, %x : index",
                "index", "index", {"0=100"},
                {"0@0=100", "0@1=102", "0@3=101", "0@5=105"}),
            "");
  EXPECT_EQ(run("%y = comm.all_reduce sum %x over @mesh[\"tp\"] : tensor<f32>",
                "tensor<f32>", "tensor<f32>", {"0=1", "0@2=5"},
                {"0@0=7", "0@3=3"}),
            "");
}

TEST(CollectivePrograms, EmptyTensors) {
  EXPECT_EQ(run("%y = comm.all_gather %x dim 1 over @mesh[\"tp\"] : "
                "tensor<1x0x2xf32> -> tensor<1x0x2xf32>",
                "tensor<1x0x2xf32>", "tensor<1x0x2xf32>", {}, {}),
            "");
  EXPECT_EQ(run("%y = comm.all_to_all %x split 1 concat 2 over @mesh[\"tp\"] : "
                "tensor<1x0x2xf32> -> tensor<1x0x6xf32>",
                "tensor<1x0x2xf32>", "tensor<1x0x6xf32>", {}, {}),
            "");
  EXPECT_EQ(run("%y = comm.reduce_scatter sum %x dim 1 over @mesh[\"tp\"] : "
                "tensor<1x?x2xf32> -> tensor<1x?x2xf32>",
                "tensor<1x?x2xf32>", "tensor<1x?x2xf32>", {"0=1x0x2xf32=rand"},
                {}),
            "");
}

TEST(CollectivePrograms, StridedOperands) {
  // A column of a matrix, summed; then it is as its packed copy.
  EXPECT_EQ(
      run("%s = tensor.extract_slice %x[0, 1] [2, 1] [1, 1] : "
          "tensor<2x3xf32> to tensor<2xf32>\n"
          "%y = comm.all_reduce sum %s over @mesh[\"dp\"] : tensor<2xf32>",
          "tensor<2x3xf32>", "tensor<2xf32>",
          {"0=iota", "0@3=[[10,20,30],[40,50,60]]"},
          {"0@0=21,54", "0@3=21,54"}),
      "");
  EXPECT_EQ(
      run("%e = tensor.empty() : tensor<3x2xf32>\n"
          "%t = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e : "
          "tensor<3x2xf32>) permutation = [1, 0]\n"
          "%y = comm.all_reduce sum %t over @mesh[\"dp\"] : tensor<3x2xf32>",
          "tensor<2x3xf32>", "tensor<3x2xf32>",
          {"0=[[1,2,3],[4,5,6]]", "0@3=[[10,20,30],[40,50,60]]"},
          {"0@0=[[11,44],[22,55],[33,66]]"}),
      "");
}

TEST(CollectivePrograms, SizesThatDoNotDivide) {
  const std::string message =
      run("%y = comm.all_slice %x dim 0 over @mesh[\"tp\"] : "
          "tensor<?xf32> -> tensor<?xf32>",
          "tensor<?xf32>" + replicated, "tensor<?xf32>", {"0=4xf32=rand"}, {});
  EXPECT_NE(message.find("operand dimension 0 (4) is not divisible by the "
                         "group size (3) of axes [\"tp\"]"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("program.mlir:3"), std::string::npos) << message;
  EXPECT_NE(run("%y = comm.all_gather %x dim 0 over @mesh[\"tp\"] : "
                "tensor<?xf32> -> tensor<6xf32>",
                "tensor<?xf32>", "tensor<6xf32>", {"0=4xf32=rand"}, {}),
            "");
}
