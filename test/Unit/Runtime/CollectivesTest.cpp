//===- CollectivesTest.cpp - Every collective against the model -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveRunner.h"

using namespace mlir::comm::runtime;

namespace {
struct Place {
  std::vector<int64_t> sizes, axes;
};

class Collectives : public testing::TestWithParam<Place> {
protected:
  /// `program` on all ranks, for each number of elements: nothing, odd ones,
  /// and enough for each rank to reduce a part of it, or for the two blocks of
  /// threads of a kernel, which is interpreted.
  void forAll(const std::function<void(CollectiveRunner &, Request)> &program,
              const std::vector<CommDataType> &types = movedTypes()) {
    const Place &place = GetParam();
    int64_t many = getTestBackend() == "threads" ? 4999 : 299;
    spawn(place.sizes, [&](const Rank &rank) {
      CollectiveRunner runner(place.sizes, place.axes, rank);
      for (CommDataType type : types)
        for (int64_t count : {int64_t(0), int64_t(3), many})
          for (bool inPlace : {false, true}) {
            Request request{};
            request.type = type;
            request.count = count;
            request.inPlace = inPlace;
            program(runner, request);
          }
    });
  }

  /// What is only moved has a size and no type, except for NCCL.
  static std::vector<CommDataType> movedTypes() {
    return getTestBackend() == "cuda-local"
               ? std::vector<CommDataType>{COMM_I8, COMM_BF16, COMM_F64}
               : allTypes();
  }

  static std::vector<CommReduction> reductionsOf(CommDataType type, int64_t n) {
    if (type == COMM_I1)
      return {COMM_AND, COMM_OR, COMM_XOR};
    if (!isFloat(type))
      return {COMM_SUM, COMM_PROD, COMM_MAX, COMM_MIN,
              COMM_AND, COMM_OR,   COMM_XOR};
    std::vector<CommReduction> result = {COMM_SUM, COMM_PROD, COMM_MAX,
                                         COMM_MIN};
    // Only such averages are exact in every type.
    if ((n & (n - 1)) == 0)
      result.push_back(COMM_AVG);
    return result;
  }

  static std::vector<int64_t> rootsOf(int64_t n) {
    if (n < 3)
      return {n - 1};
    return {0, n / 2, n - 1};
  }

  void forAllReductions(Op op) {
    forAll(
        [&](CollectiveRunner &runner, Request request) {
          request.op = op;
          for (CommReduction reduction :
               reductionsOf(request.type, runner.size())) {
            request.reduction = reduction;
            // A product of eight twos fits an int8 only as what is left of it.
            if (reduction == COMM_PROD && runner.size() > 6)
              continue;
            runner.check(request);
          }
        },
        allTypes());
  }

  void forAllRoots(Op op) {
    forAll([&](CollectiveRunner &runner, Request request) {
      request.op = op;
      for (int64_t root : rootsOf(runner.size())) {
        request.root = root;
        request.reduction = request.type == COMM_I1 ? COMM_XOR : COMM_SUM;
        runner.check(request);
      }
    });
  }
};
} // namespace

TEST_P(Collectives, Barrier) {
  forAll([](CollectiveRunner &runner, Request request) {
    request.op = Op::Barrier;
    runner.check(request);
  });
}

TEST_P(Collectives, AllReduce) { forAllReductions(Op::AllReduce); }
TEST_P(Collectives, ReduceScatter) { forAllReductions(Op::ReduceScatter); }
TEST_P(Collectives, Reduce) { forAllRoots(Op::Reduce); }
TEST_P(Collectives, Broadcast) { forAllRoots(Op::Broadcast); }
TEST_P(Collectives, Gather) { forAllRoots(Op::Gather); }
TEST_P(Collectives, Scatter) { forAllRoots(Op::Scatter); }

TEST_P(Collectives, AllGather) {
  forAll([](CollectiveRunner &runner, Request request) {
    request.op = Op::AllGather;
    runner.check(request);
  });
}

TEST_P(Collectives, AllToAll) {
  forAll([](CollectiveRunner &runner, Request request) {
    request.op = Op::AllToAll;
    runner.check(request);
  });
}

TEST_P(Collectives, Permute) {
  forAll([](CollectiveRunner &runner, Request request) {
    request.op = Op::Permute;
    int64_t n = runner.size();
    runner.check(request); // No pairs: zeros on all ranks.
    request.pairs = {n - 1, n - 1};
    runner.check(request);
    request.pairs.clear();
    for (int64_t i = 0; i + 1 < n; ++i) // A shift with an open end.
      request.pairs.insert(request.pairs.end(), {i, i + 1});
    runner.check(request);
    request.pairs.insert(request.pairs.end(), {n - 1, 0}); // A ring.
    runner.check(request);
  });
}

TEST_P(Collectives, SendAndRecv) {
  forAll([](CollectiveRunner &runner, Request request) {
    request.op = Op::Message;
    int64_t n = runner.size();
    for (int64_t from : rootsOf(n))
      for (int64_t to : rootsOf(n)) {
        if (from == to)
          continue;
        request.from = from;
        request.to = to;
        runner.check(request);
      }
  });
}

INSTANTIATE_TEST_SUITE_P(Line, Collectives,
                         testing::Values(Place{{1}, {0}}, Place{{2}, {0}},
                                         Place{{3}, {0}}, Place{{4}, {0}},
                                         Place{{6}, {0}}, Place{{8}, {0}}));
INSTANTIATE_TEST_SUITE_P(Grid, Collectives,
                         testing::Values(Place{{2, 3}, {0}}, Place{{2, 3}, {1}},
                                         Place{{2, 3}, {0, 1}},
                                         Place{{2, 3}, {1, 0}},
                                         Place{{2, 2, 2}, {2, 0}},
                                         Place{{2, 1, 3}, {1, 2}}));

/// Of more than the caches hold: the results go past them, and none of the
/// buffers lies as that would like it.
TEST(LargeCollectives, AreTheSame) {
  spawn({3}, [](const Rank &rank) {
    CollectiveRunner runner({3}, {0}, rank);
    for (Op op : {Op::AllReduce, Op::AllGather, Op::ReduceScatter, Op::AllToAll,
                  Op::Broadcast})
      for (bool inPlace : {false, true}) {
        Request request{};
        request.op = op;
        request.type = COMM_F64;
        bool hasChunks = op == Op::AllGather || op == Op::ReduceScatter ||
                         op == Op::AllToAll;
        request.count = (hasChunks ? 250000 : 750000) + 1;
        request.reduction = COMM_SUM;
        request.root = 1;
        request.inPlace = inPlace;
        runner.check(request);
      }
  });
}

/// So many that together they write more than the caches hold, though each
/// sends so little that it shows a copy and does not wait for the others.
TEST(ManyRanks, GatherWhatEachShows) {
  spawn({256}, [](const Rank &rank) {
    CollectiveRunner runner({256}, {0}, rank);
    Request request{};
    request.op = Op::AllGather;
    request.type = COMM_F32;
    request.count = 64;
    for (int i = 0; i < 3; ++i)
      runner.check(request);
  });
}
