//===- CollectivesTests.cpp - What NCCL's collectives compute -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NcclTesting.h"

#include <cmath>
#include <cuda_fp16.h>

using namespace mlir::comm::cudadouble;
using Floats = std::vector<float>;

namespace {

class Collectives : public NcclTest {};

} // namespace

TEST_F(Collectives, AllReduce) {
  runComms(3, [](Rank &self) {
    float *x = self.uploadNumbers(2), *y = allocate<float>(2);
    EXPECT_EQ(
        ncclAllReduce(x, y, 2, ncclFloat32, ncclSum, self.comm, self.stream),
        ncclSuccess);
    EXPECT_EQ(download(y, 2, self.stream), (Floats{303, 306}));
    // In place.
    ncclAllReduce(x, x, 2, ncclFloat32, ncclMax, self.comm, self.stream);
    EXPECT_EQ(download(x, 2, self.stream), (Floats{201, 202}));
  });
}

TEST_F(Collectives, MaxDropsNaNs) {
  runComms(3, [](Rank &self) {
    float *x = upload<float>({self.rank == 1 ? NAN : 1.0f}, self.stream);
    ncclAllReduce(x, x, 1, ncclFloat32, ncclMax, self.comm, self.stream);
    EXPECT_EQ(download(x, 1, self.stream), Floats{1});
  });
}

TEST_F(Collectives, HalvesAreRoundedOnce) {
  runComms(3, [](Rank &self) {
    // 2048 + 1 + 1: each step in f16 would stay at 2048.
    __half *x =
        upload<__half>({__half(self.rank ? 1.0f : 2048.0f)}, self.stream);
    ncclAllReduce(x, x, 1, ncclFloat16, ncclSum, self.comm, self.stream);
    EXPECT_EQ(__half2float(download(x, 1, self.stream)[0]), 2050);
  });
}

TEST_F(Collectives, AverageAndPreMulSum) {
  runComms(4, [](Rank &self) {
    float *x = self.uploadNumbers(1), *y = allocate<float>(1);
    ncclAllReduce(x, y, 1, ncclFloat32, ncclAvg, self.comm, self.stream);
    EXPECT_EQ(download(y, 1, self.stream), Floats{151});
    float factor = self.rank ? 0 : 2;
    ncclRedOp_t op;
    EXPECT_EQ(ncclRedOpCreatePreMulSum(&op, &factor, ncclFloat32,
                                       ncclScalarHostImmediate, self.comm),
              ncclSuccess);
    ncclAllReduce(x, y, 1, ncclFloat32, op, self.comm, self.stream);
    EXPECT_EQ(download(y, 1, self.stream), Floats{2});
    EXPECT_EQ(ncclRedOpDestroy(op, self.comm), ncclSuccess);
    EXPECT_EQ(ncclAllReduce(x, y, 1, ncclFloat32, op, self.comm, self.stream),
              ncclInvalidArgument);
  });
}

TEST_F(Collectives, GatherAndScatter) {
  runComms(3, [](Rank &self) {
    float *x = self.uploadNumbers(3), *y = allocate<float>(3);
    float *one = allocate<float>(1);
    ncclAllGather(x, y, 1, ncclFloat32, self.comm, self.stream);
    EXPECT_EQ(download(y, 3, self.stream), (Floats{1, 101, 201}));
    ncclAlltoAll(x, y, 1, ncclFloat32, self.comm, self.stream);
    float own = self.rank + 1;
    EXPECT_EQ(download(y, 3, self.stream), (Floats{own, 100 + own, 200 + own}));
    ncclReduceScatter(x, one, 1, ncclFloat32, ncclSum, self.comm, self.stream);
    EXPECT_EQ(download(one, 1, self.stream), Floats{300 + 3 * own});
    ncclScatter(x, one, 1, ncclFloat32, 2, self.comm, self.stream);
    EXPECT_EQ(download(one, 1, self.stream), Floats{200 + own});
    // Only the root has somewhere to write to.
    ncclGather(one, self.rank == 1 ? y : nullptr, 1, ncclFloat32, 1, self.comm,
               self.stream);
    if (self.rank == 1) {
      EXPECT_EQ(download(y, 3, self.stream), (Floats{201, 202, 203}));
    }
  });
}

TEST_F(Collectives, InPlace) {
  runComms(3, [](Rank &self) {
    float *x = self.uploadNumbers(3);
    ncclAllGather(x + self.rank, x, 1, ncclFloat32, self.comm, self.stream);
    EXPECT_EQ(download(x, 3, self.stream), (Floats{1, 102, 203}));
    ncclReduceScatter(x, x + self.rank, 1, ncclFloat32, ncclSum, self.comm,
                      self.stream);
    EXPECT_EQ(download(x, 3, self.stream)[self.rank],
              3 * (1 + 101 * self.rank));
  });
}

TEST_F(Collectives, BroadcastAndReduce) {
  runComms(3, [](Rank &self) {
    float *x = self.uploadNumbers(2), *y = allocate<float>(2);
    ncclBroadcast(self.rank == 1 ? x : nullptr, y, 2, ncclFloat32, 1, self.comm,
                  self.stream);
    EXPECT_EQ(download(y, 2, self.stream), (Floats{101, 102}));
    ncclReduce(x, self.rank == 2 ? y : nullptr, 2, ncclFloat32, ncclProd, 2,
               self.comm, self.stream);
    if (self.rank == 2) {
      EXPECT_EQ(download(y, 2, self.stream),
                (Floats{1 * 101 * 201, 2 * 102 * 202}));
    }
  });
}

TEST_F(Collectives, MessagesAroundARing) {
  runComms(3, [](Rank &self) {
    float *x = self.uploadNumbers(2), *y = allocate<float>(2);
    int next = (self.rank + 1) % 3, before = (self.rank + 2) % 3;
    EXPECT_EQ(ncclGroupStart(), ncclSuccess);
    ncclSend(x, 2, ncclFloat32, next, self.comm, self.stream);
    ncclRecv(y, 2, ncclFloat32, before, self.comm, self.stream);
    EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
    EXPECT_EQ(download(y, 2, self.stream),
              (Floats{100.f * before + 1, 100.f * before + 2}));
  });
}

TEST_F(Collectives, MessagesKeepTheirOrder) {
  runComms(2, [](Rank &self) {
    float *x = self.uploadNumbers(2);
    for (int i = 0; i < 2; ++i)
      if (self.rank == 0)
        ncclSend(x + i, 1, ncclFloat32, 1, self.comm, self.stream);
      else
        ncclRecv(x + i, 1, ncclFloat32, 0, self.comm, self.stream);
    EXPECT_EQ(download(x, 2, self.stream), (Floats{1, 2}));
  });
}

TEST_F(Collectives, AMessageToOneself) {
  runComms(2, [](Rank &self) {
    float *x = self.uploadNumbers(1), *y = allocate<float>(1);
    ncclGroupStart();
    ncclSend(x, 1, ncclFloat32, self.rank, self.comm, self.stream);
    ncclRecv(y, 1, ncclFloat32, self.rank, self.comm, self.stream);
    ncclGroupEnd();
    EXPECT_EQ(download(y, 1, self.stream), self.numbers(1));
  });
}

TEST_F(Collectives, SplitByColorAndKey) {
  runComms(4, [](Rank &self) {
    // Odd and even ranks; the higher rank comes first.
    ncclComm_t half;
    EXPECT_EQ(
        ncclCommSplit(self.comm, self.rank % 2, -self.rank, &half, nullptr),
        ncclSuccess);
    int rank, size;
    ncclCommUserRank(half, &rank);
    ncclCommCount(half, &size);
    EXPECT_EQ(rank, self.rank < 2);
    EXPECT_EQ(size, 2);
    float *x = self.uploadNumbers(1), *y = allocate<float>(2);
    ncclAllGather(x, y, 1, ncclFloat32, half, self.stream);
    float low = 100.f * (self.rank % 2) + 1;
    EXPECT_EQ(download(y, 2, self.stream), (Floats{low + 200, low}));
    EXPECT_EQ(ncclCommDestroy(half), ncclSuccess);
    ncclComm_t none;
    EXPECT_EQ(ncclCommSplit(self.comm, self.rank ? NCCL_SPLIT_NOCOLOR : 0, 0,
                            &none, nullptr),
              ncclSuccess);
    EXPECT_EQ(none == nullptr, self.rank != 0);
    ncclCommDestroy(none);
  });
}

TEST_F(Collectives, NonBlockingOnesArePolled) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  runRanks(3, [&](int rank) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    Rank self{rank, makeStream(), nullptr};
    EXPECT_EQ(ncclCommInitRankConfig(&self.comm, 3, id, rank, &config),
              ncclInProgress);
    EXPECT_EQ(poll(self.comm), ncclSuccess);
    float *x = self.uploadNumbers(1);
    EXPECT_EQ(
        ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, self.comm, self.stream),
        ncclInProgress);
    EXPECT_EQ(poll(self.comm), ncclSuccess);
    EXPECT_EQ(download(x, 1, self.stream), Floats{303});
    ncclComm_t sub = nullptr;
    EXPECT_EQ(ncclCommSplit(self.comm, 0, rank, &sub, nullptr), ncclInProgress);
    EXPECT_EQ(sub, nullptr);
    EXPECT_EQ(poll(self.comm), ncclSuccess);
    ASSERT_NE(sub, nullptr);
    EXPECT_EQ(ncclCommFinalize(sub), ncclInProgress);
    EXPECT_EQ(poll(sub), ncclSuccess);
    EXPECT_EQ(ncclCommDestroy(sub), ncclSuccess);
    EXPECT_EQ(ncclCommDestroy(self.comm), ncclSuccess);
  });
}
