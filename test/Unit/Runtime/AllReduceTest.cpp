//===- AllReduceTest.cpp - Reductions over all ranks ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Spawn.h"

using namespace mlir::comm::runtime;

extern "C" int32_t commHeaderIsValidC(void);

TEST(Header, IsValidC) { EXPECT_TRUE(commHeaderIsValidC()); }

TEST(AllReduce, Sum) {
  for (int64_t n : {1, 2, 3, 4, 6, 8})
    for (int64_t count : {0, 1, 5, 1023, 5001})
      spawn({n}, [&](const Rank &rank) {
        CommSite site = siteAt("comm.all_reduce", 3);
        std::vector<float> in(count), out(count, -1);
        for (int64_t i = 0; i < count; ++i)
          in[i] = static_cast<float>(rank.rank * 100 + i);
        EXPECT_EQ(COMM_SUCCESS,
                  commAllReduce(rank.context, rank.group({0}), in.data(),
                                out.data(), count, COMM_F32, COMM_SUM, &site));
        for (int64_t i = 0; i < count; ++i)
          ASSERT_EQ(out[i], 100 * n * (n - 1) / 2 + n * i);
      });
}
