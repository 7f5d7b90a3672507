//===- NpyTest.cpp - Tests of NumPy's array files -------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Npy.h"
#include "RunnerTesting.h"

#include <fstream>

using namespace mlir::comm;
using namespace mlir::comm::runner;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string getPath() { return testing::TempDir() + "comm-npy-test.npy"; }

/// A file of version 1.0 with the given dictionary and data.
std::string makeFile(const std::string &dictionary, const std::string &data) {
  std::string file = "\x93NUMPY\x01";
  file += '\0';
  file += static_cast<char>(dictionary.size());
  file += '\0';
  return file + dictionary + data;
}

/// Reads a file with these bytes.
Result<HostTensor> readBytes(const std::string &bytes) {
  std::ofstream(getPath(), std::ios::binary) << bytes;
  return readNpy(getPath());
}

/// Why a file with these bytes cannot be read.
std::string getFailure(const std::string &bytes) {
  Result<HostTensor> tensor = readBytes(bytes);
  if (tensor)
    return "it can be read";
  EXPECT_EQ(tensor.getFailure().code, ExitCode::Usage);
  EXPECT_THAT(tensor.getFailure().message, HasSubstr(getPath()));
  return tensor.getFailure().message;
}

TEST(Npy, EveryTypeSurvives) {
  for (CommDataType type : {COMM_F16, COMM_F32, COMM_F64, COMM_I1, COMM_I8,
                            COMM_I16, COMM_I32, COMM_I64}) {
    HostTensor tensor = makeTensor(type, {2, 3}, {1, 0, -3, 4.5, 5, 6});
    ASSERT_FALSE(writeNpy(getPath(), tensor));
    Result<HostTensor> read = readNpy(getPath());
    ASSERT_TRUE(bool(read)) << read.getFailure().message;
    EXPECT_TRUE(read->isIdenticalTo(tensor)) << getName(type);
  }
}

TEST(Npy, EveryRankSurvives) {
  for (Shape shape : {Shape{}, Shape{5}, Shape{0}, Shape{2, 0, 3},
                      Shape{1, 2, 1, 2, 1, 2, 1, 2}}) {
    HostTensor tensor(COMM_I32, shape);
    for (int64_t i = 0; i < tensor.getElementCount(); ++i)
      tensor.setInt64(i, i * i - 7);
    ASSERT_FALSE(writeNpy(getPath(), tensor));
    Result<HostTensor> read = readNpy(getPath());
    ASSERT_TRUE(bool(read)) << read.getFailure().message;
    EXPECT_TRUE(read->isIdenticalTo(tensor)) << tensor.formatType();
  }
}

TEST(Npy, BFloatIsWrittenAsFloat) {
  ASSERT_FALSE(writeNpy(getPath(), makeTensor(COMM_BF16, {2}, {0.5, -3})));
  Result<HostTensor> read = readNpy(getPath());
  ASSERT_TRUE(bool(read));
  EXPECT_EQ(read->formatType(), "2xf32");
  EXPECT_THAT(getElements(*read), ElementsAre(0.5, -3));
}

TEST(Npy, DataIsAligned) {
  for (int64_t size : {1, 10, 100000}) {
    ASSERT_FALSE(writeNpy(getPath(), HostTensor(COMM_I8, {size})));
    std::ifstream file(getPath(), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ((bytes.size() - size) % 64, 0u);
    EXPECT_EQ(bytes[bytes.size() - size - 1], '\n');
  }
}

TEST(Npy, ReadsFortranOrderTransposed) {
  Result<HostTensor> read = readBytes(
      makeFile("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }",
               std::string("\1\2\3\4\5\6")));
  ASSERT_TRUE(bool(read)) << read.getFailure().message;
  EXPECT_THAT(getElements(*read), ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(Npy, ReadsOtherSpellingsAndVersions) {
  std::string dictionary =
      "{\"shape\":(2,),\"descr\":\"|b1\",\"fortran_order\":False}   \n";
  EXPECT_THAT(getElements(*readBytes(makeFile(dictionary, "\1\377"))),
              ElementsAre(1, 1));
  std::string file = "\x93NUMPY\x02";
  file += '\0';
  file += static_cast<char>(dictionary.size());
  file += std::string(3, '\0');
  EXPECT_TRUE(bool(readBytes(file + dictionary + "\1\377")));
}

TEST(Npy, RefusesWhatIsNotThere) {
  EXPECT_EQ(readNpy("/nonexistent/x.npy").getFailure().message,
            "cannot read '/nonexistent/x.npy': No such file or directory");
  EXPECT_FALSE(bool(readNpy(testing::TempDir())));
  MaybeFailure failure = writeNpy("/nonexistent/x.npy", HostTensor());
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ExitCode::Runtime);
  EXPECT_EQ(failure->message,
            "cannot write '/nonexistent/x.npy': No such file or directory");
}

TEST(Npy, RefusesGarbage) {
  EXPECT_THAT(getFailure(""), HasSubstr("not a .npy file"));
  EXPECT_THAT(getFailure("PK\3\4 a zip file"), HasSubstr("not a .npy file"));
  EXPECT_THAT(getFailure("\x93NUMPY\x09____"), HasSubstr("version 9"));
  EXPECT_THAT(getFailure(makeFile("", "")), HasSubstr("malformed"));
  for (const char *dictionary :
       {"{", "{}", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': "
        "(2,)}"})
    EXPECT_THAT(getFailure(makeFile(dictionary, "12345678")),
                HasSubstr("malformed"))
        << dictionary;
}

TEST(Npy, RefusesOtherTypes) {
  for (const char *type : {">f4", "<u4", "<c8", "|u1", "<U5", "|O"})
    EXPECT_THAT(
        getFailure(makeFile("{'descr': '" + std::string(type) +
                                "', 'fortran_order': False, "
                                "'shape': (1,), }",
                            "1234")),
        HasSubstr("element type '" + std::string(type) + "' is not supported"));
}

TEST(Npy, RefusesEveryTruncation) {
  ASSERT_FALSE(writeNpy(getPath(), makeTensor(COMM_F32, {2}, {1, 2})));
  std::ifstream file(getPath(), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(bool(readBytes(bytes.substr(0, size)))) << size;
  EXPECT_TRUE(bool(readBytes(bytes)));
  EXPECT_THAT(getFailure(bytes.substr(0, bytes.size() - 1)),
              HasSubstr("holds 7 bytes of data, and its type 2xf32 needs 8"));
  EXPECT_THAT(getFailure(bytes + "x"), HasSubstr("holds 9 bytes of data"));
}

TEST(Npy, RefusesSizesBeyondMemory) {
  EXPECT_THAT(
      getFailure(makeFile("{'descr': '<f8', 'fortran_order': False, 'shape': "
                          "(4294967296, 4294967296), }",
                          "")),
      HasSubstr("more than memory can hold"));
  EXPECT_THAT(getFailure(makeFile("{'descr': '<f8', 'fortran_order': False, "
                                  "'shape': (99999999999999999999,), }",
                                  "")),
              HasSubstr("malformed"));
}

} // namespace
