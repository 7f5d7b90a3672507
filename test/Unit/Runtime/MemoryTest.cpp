//===- MemoryTest.cpp - The memory of collectives themselves --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

using namespace mlir::comm::runtime;

/// Sanitizers end the process where there is no memory, unless told not to.
extern "C" const char *__asan_default_options() {
  return "allocator_may_return_null=1";
}
extern "C" const char *__tsan_default_options() {
  return "allocator_may_return_null=1";
}

static int32_t rotateInPlace(const Rank &rank, float *data, int64_t count,
                             const CommSite &site) {
  int64_t pairs[] = {0, 1, 1, 2, 2, 0};
  return commPermute(rank.context, rank.group({0}), data, data, count, COMM_F32,
                     pairs, 3, &site);
}

namespace {
/// A device of few bytes.
class SmallSource : public MemorySource {
public:
  explicit SmallSource(int64_t bytes) : numFree(bytes) {}
  void *allocate(int64_t bytes) override {
    if (bytes > numFree)
      return nullptr;
    numFree -= bytes;
    void *memory = std::malloc(bytes);
    sizes[memory] = bytes;
    return memory;
  }
  void free(void *memory) override {
    numFree += sizes.at(memory);
    std::free(memory);
  }

private:
  int64_t numFree;
  std::map<void *, int64_t> sizes;
};
} // namespace

TEST(Memory, OfOtherSizesIsGivenBackWhereThereIsNoMore) {
  Arena arena(std::make_unique<SmallSource>(1024));
  void *small[] = {arena.tryAllocate(256), arena.tryAllocate(256)};
  EXPECT_EQ(nullptr, arena.tryAllocate(1024));
  arena.release(small[0]);
  EXPECT_EQ(small[0], arena.tryAllocate(250));
  arena.release(small[0]);
  EXPECT_EQ(nullptr, arena.tryAllocate(1024));
  arena.release(small[1]);
  EXPECT_EQ(0, arena.getNumLive());
  void *large = arena.tryAllocate(1024);
  EXPECT_NE(nullptr, large);
  EXPECT_EQ(1, arena.getNumLive());
  arena.release(nullptr);
  arena.release(large);
  EXPECT_EQ(0, arena.getNumLive());
  EXPECT_EQ(3, arena.getNumSystemAllocations());
}

TEST(Memory, IsTakenOnceForCallsInPlace) {
  CommSite site = siteAt("comm.permute", 6);
  std::unique_ptr<World> world = makeWorld({3});
  std::optional<Failure> failure = run(*world, [&](const Rank &rank) {
    const Arena &arena = world->getContext(rank.rank).getArena();
    // Too much to be shown as a copy.
    std::vector<float> data(10000, rank.rank);
    for (int64_t step = 1; step <= 4; ++step) {
      EXPECT_EQ(COMM_SUCCESS,
                rotateInPlace(rank, data.data(), data.size(), site));
      EXPECT_EQ((rank.rank + 3 * step - step) % 3, data.front());
      EXPECT_EQ(data.front(), data.back());
      EXPECT_EQ(1, arena.getNumSystemAllocations());
      EXPECT_EQ(0, arena.getNumLive());
    }
  });
  EXPECT_FALSE(failure);
}

TEST(Memory, ThatThereIsNotIsAFailure) {
  CommSite site = siteAt("comm.permute", 6);
  std::unique_ptr<World> world = makeWorld({3});
  std::optional<Failure> failure = run(*world, [&](const Rank &rank) {
    float data[1] = {};
    // More than can be addressed, of which nothing is touched.
    EXPECT_NE(COMM_SUCCESS, rotateInPlace(rank, data, int64_t(1) << 48, site));
  });
  ASSERT_TRUE(failure);
  EXPECT_EQ(COMM_NO_MEMORY, failure->status);
  EXPECT_EQ("comm.permute at test.mlir:6: no memory for 1125899906842624 "
            "bytes, which it receives into a buffer that it sends",
            failure->message);
}
