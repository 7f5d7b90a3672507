//===- NcclOlderTests.cpp - Collectives of older versions of NCCL ---------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the backend makes of sends and receives where NCCL has no such function
// gives what the function gives.
//
//===----------------------------------------------------------------------===//

#include "NcclTesting.h"

#include "NCCL/OlderNccl.h"

using namespace mlir::comm::cudadouble;
namespace older = mlir::comm::runtime::older;

namespace {
using Floats = std::vector<float>;

class NcclOlder : public NcclTest {
protected:
  static constexpr int numRanks = 3;

  /// What a rank finds in a buffer of `size` numbers that holds its own.
  template <typename Body>
  static Floats getAfter(Rank &self, size_t size, Body body) {
    float *buffer = self.uploadNumbers(size);
    EXPECT_EQ(ncclSuccess, body(buffer));
    return download(buffer, size, self.stream);
  }
};
} // namespace

TEST_F(NcclOlder, AllToAll) {
  runComms(numRanks, [](Rank &self) {
    for (size_t count : {0, 1, 4}) {
      float *send = self.uploadNumbers(numRanks * count + 1);
      auto get = [&](auto function) {
        return getAfter(self, numRanks * count + 1, [&](float *recv) {
          return function(send, recv, count, ncclFloat32, self.comm,
                          self.stream);
        });
      };
      EXPECT_EQ(get(ncclAlltoAll), get(older::ncclAlltoAll)) << count;
    }
  });
}

TEST_F(NcclOlder, GatherToEachRoot) {
  runComms(numRanks, [](Rank &self) {
    for (int root = 0; root < numRanks; ++root)
      for (size_t count : {0, 1, 4}) {
        float *send = self.uploadNumbers(count + 1);
        auto get = [&](auto function) {
          return getAfter(self, numRanks * count + 1, [&](float *recv) {
            return function(send, recv, count, ncclFloat32, root, self.comm,
                            self.stream);
          });
        };
        EXPECT_EQ(get(ncclGather), get(older::ncclGather)) << root;
        auto getInPlace = [&](auto function) {
          return getAfter(self, numRanks * count + 1, [&](float *all) {
            bool isRoot = self.rank == root;
            return function(isRoot ? all + root * count : send, all, count,
                            ncclFloat32, root, self.comm, self.stream);
          });
        };
        EXPECT_EQ(getInPlace(ncclGather), getInPlace(older::ncclGather))
            << root;
      }
  });
}

TEST_F(NcclOlder, ScatterFromEachRoot) {
  runComms(numRanks, [](Rank &self) {
    for (int root = 0; root < numRanks; ++root)
      for (size_t count : {0, 1, 4}) {
        float *send = self.uploadNumbers(numRanks * count + 1);
        auto get = [&](auto function) {
          return getAfter(self, count + 1, [&](float *recv) {
            return function(send, recv, count, ncclFloat32, root, self.comm,
                            self.stream);
          });
        };
        EXPECT_EQ(get(ncclScatter), get(older::ncclScatter)) << root;
        auto getInPlace = [&](auto function) {
          return getAfter(self, numRanks * count + 1, [&](float *all) {
            bool isRoot = self.rank == root;
            return function(all, isRoot ? all + root * count : all, count,
                            ncclFloat32, root, self.comm, self.stream);
          });
        };
        EXPECT_EQ(getInPlace(ncclScatter), getInPlace(older::ncclScatter))
            << root;
      }
  });
}

TEST_F(NcclOlder, OfElementsOfEachSize) {
  runComms(numRanks, [](Rank &self) {
    // The same bytes, seen as more or fewer elements.
    for (auto [type, bytes] :
         {std::pair(ncclInt8, 1), std::pair(ncclUint8, 1),
          std::pair(ncclFloat16, 2), std::pair(ncclBfloat16, 2),
          std::pair(ncclInt32, 4), std::pair(ncclUint32, 4),
          std::pair(ncclInt64, 8), std::pair(ncclUint64, 8),
          std::pair(ncclFloat64, 8)}) {
      float *send = self.uploadNumbers(numRanks * 2);
      auto get = [&, type = type, bytes = bytes](auto function) {
        return getAfter(self, numRanks * 2, [&](float *recv) {
          return function(send, recv, 8 / bytes, type, self.comm, self.stream);
        });
      };
      EXPECT_EQ(get(ncclAlltoAll), get(older::ncclAlltoAll)) << type;
    }
  });
}

TEST_F(NcclOlder, ACallIsOneGroup) {
  std::atomic<int> numDone{0};
  runComms(numRanks, [&](Rank &self) {
    float *send = self.uploadNumbers(3), *recv = self.uploadNumbers(3);
    if (self.rank == 0)
      comm_double_reset_counts();
    ++numDone;
    while (numDone < numRanks)
      std::this_thread::yield();
    older::ncclAlltoAll(send, recv, 1, ncclFloat32, self.comm, self.stream);
    cudaStreamSynchronize(self.stream);
  });
  EXPECT_EQ(9u, comm_double_count("ncclSend"));
  EXPECT_EQ(9u, comm_double_count("ncclRecv"));
  EXPECT_EQ(3u, comm_double_count("ncclGroupEnd"));
}

TEST_F(NcclOlder, AnErrorEndsTheGroup) {
  runComms(1, [](Rank &self) {
    float *send = self.uploadNumbers(1), *recv = self.uploadNumbers(1);
    EXPECT_EQ(ncclInvalidArgument,
              older::ncclAlltoAll(send, recv, 1,
                                  static_cast<ncclDataType_t>(99), self.comm,
                                  self.stream));
    comm_double_fail("ncclRecv:1=ncclSystemError");
    EXPECT_EQ(ncclSystemError, older::ncclAlltoAll(send, recv, 1, ncclFloat32,
                                                   self.comm, self.stream));
    comm_double_clear_failures();
    // Not in a group that is open still.
    EXPECT_EQ(ncclSuccess, ncclAllReduce(send, send, 1, ncclFloat32, ncclSum,
                                         self.comm, self.stream));
    EXPECT_EQ(Floats{1}, download(send, 1, self.stream));
  });
}
