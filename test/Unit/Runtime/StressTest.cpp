//===- StressTest.cpp - Random sequences of collectives -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveRunner.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>

using namespace mlir::comm::runtime;

namespace {
/// A call over some axes; the same on all ranks.
struct Step {
  std::vector<int64_t> axes;
  Request request;
};

class Generator {
public:
  Generator(std::vector<int64_t> sizes, unsigned seed)
      : sizes(std::move(sizes)), random(seed) {}

  Step next() {
    Step step;
    std::vector<int64_t> axes(sizes.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), random);
    axes.resize(1 + upTo(sizes.size()));
    int64_t n = 1;
    for (int64_t axis : axes)
      n *= sizes[axis];

    Request &request = step.request;
    request.op = static_cast<Op>(upTo(11));
    request.type = allTypes()[upTo(allTypes().size())];
    // Some that are shown to the others as a copy, and some that are not.
    request.count = upTo(4) ? upTo(40) : upTo(12000 / n);
    request.reduction = request.type == COMM_I1 ? COMM_XOR : COMM_MAX;
    request.root = upTo(n);
    request.from = upTo(n);
    request.to = n > 1 ? (request.from + 1 + upTo(n - 1)) % n : 0;
    if (request.op == Op::Message && n == 1)
      request.op = Op::Broadcast;
    request.inPlace = upTo(2);
    std::vector<int64_t> targets(n);
    std::iota(targets.begin(), targets.end(), 0);
    std::shuffle(targets.begin(), targets.end(), random);
    for (int64_t source = 0; source < n; ++source)
      if (upTo(3))
        request.pairs.insert(request.pairs.end(), {source, targets[source]});
    step.axes = axes;
    return step;
  }

private:
  int64_t upTo(int64_t limit) { return random() % limit; }

  std::vector<int64_t> sizes;
  std::mt19937 random;
};
} // namespace

/// How many calls the test makes: COMM_STRESS_CALLS, which the tests under
/// sanitizers set to fewer.
static int64_t getNumCalls() {
  const char *text = std::getenv("COMM_STRESS_CALLS");
  return text ? std::atoll(text) : 10000;
}

/// A mesh of 2 to 32 ranks with one to three axes; mostly of at most 8.
static std::vector<int64_t> makeMesh(std::mt19937 &random) {
  int64_t most = random() % 4 ? 8 : 32;
  std::vector<int64_t> sizes;
  int64_t numRanks = 1;
  for (size_t i = 0, n = 1 + random() % 3; i < n; ++i) {
    sizes.push_back(1 + random() % (most / numRanks));
    numRanks *= sizes.back();
  }
  if (numRanks == 1)
    sizes[0] = 2;
  return sizes;
}

TEST(Stress, RandomSequences) {
  constexpr int64_t callsOfAWorld = 50;
  for (unsigned seed = 1; seed <= getNumCalls() / callsOfAWorld; ++seed) {
    std::mt19937 random(seed);
    std::vector<int64_t> sizes = makeMesh(random);
    spawn(sizes, [&](const Rank &rank) {
      Generator generator(sizes, seed);
      std::map<std::vector<int64_t>, CollectiveRunner> runners;
      for (int64_t i = 0; i < callsOfAWorld; ++i) {
        Step step = generator.next();
        auto it = runners.find(step.axes);
        if (it == runners.end())
          it = runners
                   .emplace(step.axes, CollectiveRunner(sizes, step.axes, rank))
                   .first;
        it->second.check(step.request);
      }
    });
  }
}

TEST(Stress, FarMoreRanksThanCores) {
  spawn({10, 20}, [](const Rank &rank) {
    CollectiveRunner all({10, 20}, {1, 0}, rank);
    CollectiveRunner row({10, 20}, {1}, rank);
    for (int i = 0; i < 3; ++i) {
      Request request{};
      request.op = Op::AllReduce;
      request.type = COMM_F32;
      request.count = 3000;
      all.check(request);
      request.op = Op::AllToAll;
      request.count = 3;
      row.check(request);
    }
  });
}
