//===- CudaReductionTest.cpp - The same bits as on the host ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTesting.h"

#include <cmath>
#include <random>

using namespace mlir::comm;
using namespace mlir::comm::runtime;

namespace {
/// A reduction on three ranks, of elements from `skipped` on: kernels read
/// several at once where all buffers are aligned.
struct Reduced {
  CommDataType type;
  CommReduction reduction;
  int64_t count, skipped;

  int64_t size() const { return getByteSize(type); }

  /// What a rank has: numbers of every size, zeros of both signs, infinities
  /// and NaNs.
  std::vector<char> makeBits(int64_t rank) const {
    std::mt19937_64 random(rank * 1000 + type * 10 + reduction);
    std::vector<char> bytes((skipped + count) * size());
    for (char &byte : bytes)
      byte = static_cast<char>(random());
    if (type == COMM_I1)
      for (char &byte : bytes)
        byte &= 1;
    // Half of the floats are such that sums of them round.
    if (isFloat(type))
      for (int64_t i = 0; i < skipped + count; i += 2)
        put(bytes, i, std::ldexp(double(random()) / 1e19 - 0.9, random() % 4));
    for (int64_t i = skipped; isFloat(type) && i < skipped + count; i += 7)
      put(bytes, i, (i + rank) % 2 ? 0.0 : -0.0);
    return bytes;
  }

  void put(std::vector<char> &bytes, int64_t i, double value) const {
    std::vector<char> one = encode(type, {value});
    std::copy(one.begin(), one.end(), bytes.begin() + i * size());
  }

  /// What all ranks have afterwards; a NaN is any NaN.
  std::vector<char> run(const std::string &backend) const {
    std::string error;
    std::unique_ptr<World> world =
        World::create({{"x", 3}}, backend, {}, error);
    EXPECT_TRUE(world) << error;
    std::vector<std::vector<char>> results(3);
    std::optional<Failure> failure =
        runtime::run(*world, [&](const Rank &rank) {
          static const CommSite site = siteAt("comm.all_reduce", 1);
          Buffer buffer(rank.context, makeBits(rank.rank));
          void *data = static_cast<char *>(buffer.data()) + skipped * size();
          EXPECT_EQ(COMM_SUCCESS,
                    commAllReduce(rank.context, rank.group({0}), data, data,
                                  count, type, reduction, &site));
          results[rank.rank] = buffer.read();
          results[rank.rank].erase(results[rank.rank].begin(),
                                   results[rank.rank].begin() +
                                       skipped * size());
        });
    EXPECT_FALSE(failure) << failure->message;
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
    if (isFloat(type)) {
      Values values = decode(type, results[0]);
      for (int64_t i = 0; i < count; ++i)
        if (std::isnan(values[i]))
          put(results[0], i, NAN);
    }
    return results[0];
  }
};
} // namespace

class CudaReduction : public CudaTest {};

TEST_F(CudaReduction, GivesTheBitsOfTheHost) {
  for (CommDataType type : allTypes())
    for (int32_t reduction = COMM_SUM; reduction <= COMM_XOR; ++reduction) {
      bool isBitwise = reduction >= COMM_AND;
      if (isFloat(type)
              ? isBitwise
              : reduction == COMM_AVG || (type == COMM_I1 && !isBitwise))
        continue;
      for (int64_t skipped : {0, 1}) {
        Reduced reduced{type, static_cast<CommReduction>(reduction), 1003,
                        skipped};
        EXPECT_EQ(reduced.run("threads"), reduced.run("cuda-local"))
            << getName(type) << " "
            << getName(static_cast<CommReduction>(reduction));
      }
    }
}
