//===- MessageGroupTest.cpp - Messages that move at once ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On every backend: what a group of messages gives is what its messages give
// one by one.
//
//===----------------------------------------------------------------------===//

#include "Model.h"

using namespace mlir::comm::runtime;

namespace {
/// A message of one element more than its number, over some axes.
struct Message {
  std::vector<int64_t> axes;
  int64_t from, to;
};

class MessageGroups : public testing::Test {
protected:
  const CommSite send = siteAt("comm.send", 3), recv = siteAt("comm.recv", 4);

  /// What a rank sends in message `i`.
  static Values getSent(int64_t rank, size_t i) {
    return makeInput(COMM_F32, rank, int64_t(i) + 1, int64_t(i));
  }

  /// A rank's buffers of some messages, and what is to be in them.
  struct Exchange {
    Exchange(const Rank &rank, const std::vector<Message> &messages)
        : messages(messages) {
      for (size_t i = 0; i < messages.size(); ++i) {
        sent.push_back(std::make_unique<Buffer>(
            rank.context, encode(COMM_F32, getSent(rank.rank, i))));
        received.push_back(std::make_unique<Buffer>(
            rank.context, encode(COMM_F32, Values(i + 1, 77))));
      }
    }

    void check(const Rank &rank, const std::vector<int64_t> &sizes) {
      for (size_t i = 0; i < messages.size(); ++i) {
        const Message &message = messages[i];
        ModelGroup group(sizes, message.axes, rank.rank);
        Values expected = group.index == message.to
                              ? getSent(group.ranks[message.from], i)
                              : Values(i + 1, 0);
        EXPECT_EQ(expected, decode(COMM_F32, received[i]->read()))
            << "message " << i << " on rank " << rank.rank;
      }
    }

    const std::vector<Message> &messages;
    std::vector<std::unique_ptr<Buffer>> sent, received;
  };

  int32_t sendOne(const Rank &rank, Exchange &exchange, size_t i) const {
    const Message &message = exchange.messages[i];
    return commSend(rank.context, rank.group(message.axes),
                    exchange.sent[i]->data(), i + 1, COMM_F32, message.from,
                    message.to, &send);
  }
  int32_t receiveOne(const Rank &rank, Exchange &exchange, size_t i) const {
    const Message &message = exchange.messages[i];
    return commRecv(rank.context, rank.group(message.axes),
                    exchange.received[i]->data(), i + 1, COMM_F32, message.from,
                    message.to, &recv);
  }

  /// All messages in one group, `times` times.
  void exchangeAtOnce(const std::vector<int64_t> &sizes,
                      const std::vector<Message> &messages, int times = 1) {
    spawn(sizes, [&](const Rank &rank) {
      Exchange exchange(rank, messages);
      for (int k = 0; k < times; ++k) {
        int32_t status = commGroupStart(rank.context, &send);
        for (size_t i = 0; i < messages.size(); ++i)
          status |= sendOne(rank, exchange, i) | receiveOne(rank, exchange, i);
        status |= commGroupEnd(rank.context, &send);
        EXPECT_EQ(COMM_SUCCESS, status);
      }
      exchange.check(rank, sizes);
    });
  }

  /// The failure of what three ranks do, all alike: the first to come to it
  /// stops the others.
  std::string fail(const std::function<void(const Rank &)> &program) {
    Options options;
    options.timeout = std::chrono::seconds(60);
    std::unique_ptr<World> world = makeWorld({3}, options);
    std::optional<Failure> failure = run(*world, program);
    EXPECT_TRUE(failure);
    return failure ? failure->message : "";
  }
};
} // namespace

TEST_F(MessageGroups, OneAfterAnother) {
  exchangeAtOnce({4}, {{{0}, 0, 1}, {{0}, 1, 2}, {{0}, 2, 3}, {{0}, 3, 0}});
}

TEST_F(MessageGroups, ToAndFromOneRank) {
  exchangeAtOnce({4}, {{{0}, 2, 0},
                       {{0}, 2, 1},
                       {{0}, 2, 3},
                       {{0}, 0, 2},
                       {{0}, 1, 2},
                       {{0}, 3, 2}});
}

TEST_F(MessageGroups, SeveralOnOneChannelStayInOrder) {
  exchangeAtOnce({3}, {{{0}, 0, 2}, {{0}, 0, 2}, {{0}, 1, 0}, {{0}, 0, 2}}, 3);
}

TEST_F(MessageGroups, OverSeveralAxes) {
  // The last list is of none of the mesh's own axes.
  exchangeAtOnce({2, 3, 2},
                 {{{1}, 0, 2}, {{0}, 1, 0}, {{1}, 2, 1}, {{2, 1}, 5, 1}}, 2);
}

TEST_F(MessageGroups, OfNothing) {
  spawn({3}, [&](const Rank &rank) {
    EXPECT_EQ(COMM_SUCCESS, commGroupStart(rank.context, &send));
    EXPECT_EQ(COMM_SUCCESS, commGroupEnd(rank.context, &send));
    EXPECT_EQ(COMM_SUCCESS, commGroupStart(rank.context, &send));
    EXPECT_EQ(COMM_SUCCESS, commSend(rank.context, rank.group({0}), nullptr, 0,
                                     COMM_F32, 0, 1, &send));
    EXPECT_EQ(COMM_SUCCESS, commRecv(rank.context, rank.group({0}), nullptr, 0,
                                     COMM_F32, 0, 1, &recv));
    EXPECT_EQ(COMM_SUCCESS, commGroupEnd(rank.context, &send));
  });
}

/// They are received after the group in which they are sent, in an order that
/// is not that of two communicators of the same ranks.
TEST_F(MessageGroups, AMessageMayBeReceivedLater) {
  std::vector<int64_t> sizes = {2, 2};
  std::vector<Message> messages = {
      {{0, 1}, 0, 3}, {{1, 0}, 0, 3}, {{0, 1}, 0, 3}, {{0}, 0, 1}};
  spawn(sizes, [&](const Rank &rank) {
    Exchange exchange(rank, messages);
    int32_t status = commGroupStart(rank.context, &send);
    for (size_t i = 0; i < messages.size(); ++i)
      status |= sendOne(rank, exchange, i);
    status |= commGroupEnd(rank.context, &send);
    for (size_t i = 0; i < messages.size(); ++i)
      status |= receiveOne(rank, exchange, i);
    EXPECT_EQ(COMM_SUCCESS, status);
    exchange.check(rank, sizes);
  });
}

TEST_F(MessageGroups, AGroupInAGroup) {
  EXPECT_EQ("commGroupStart at test.mlir:4: in a group of messages that begins "
            "with comm.send at test.mlir:3",
            fail([&](const Rank &rank) {
              commGroupStart(rank.context, &send);
              EXPECT_NE(COMM_SUCCESS, commGroupStart(rank.context, &recv));
            }));
}

TEST_F(MessageGroups, AnEndWithoutABeginning) {
  EXPECT_EQ("commGroupEnd at test.mlir:3: no group of messages has begun",
            fail([&](const Rank &rank) {
              EXPECT_NE(COMM_SUCCESS, commGroupEnd(rank.context, &send));
            }));
}

TEST_F(MessageGroups, ABeginningWithoutAnEnd) {
  EXPECT_EQ(
      "the program ended in a group of messages that begins with "
      "comm.send at test.mlir:3",
      fail([&](const Rank &rank) { commGroupStart(rank.context, &send); }));
}

TEST_F(MessageGroups, OnlyMessagesStandInThem) {
  using Work = std::function<int32_t(const Rank &, float *)>;
  CommSite site = siteAt("comm.test", 9);
  CommKernel kernel = {"kernel", "", 1};
  auto refuse = [&](const char *op, const Work &work) {
    EXPECT_EQ(std::string(op) +
                  ": in a group of messages that begins with comm.send at "
                  "test.mlir:3, where only messages may stand",
              fail([&](const Rank &rank) {
                float values[8] = {};
                commGroupStart(rank.context, &send);
                EXPECT_NE(COMM_SUCCESS, work(rank, values));
              }));
  };
  refuse("comm.test at test.mlir:9", [&](const Rank &rank, float *values) {
    return commAllReduce(rank.context, rank.group({0}), values, values, 1,
                         COMM_F32, COMM_SUM, &site);
  });
  refuse("comm.test at test.mlir:9", [&](const Rank &rank, float *) {
    return commBarrier(rank.context, rank.group({0}), &site);
  });
  refuse("comm.test at test.mlir:9", [&](const Rank &rank, float *) {
    return commLaunch(rank.context, &kernel, 1, 1, nullptr, &site);
  });
  refuse("comm.test at test.mlir:9", [&](const Rank &rank, float *values) {
    return commCopy(rank.context, values, values + 4, 4, &site);
  });
  refuse("comm.test at test.mlir:9", [&](const Rank &rank, float *values) {
    return commRead(rank.context, values, values + 4, 4, &site);
  });
  refuse("comm.test at test.mlir:9", [&](const Rank &rank, float *values) {
    return commGemm(rank.context, COMM_F32, 0, 0, 1, 1, 1, 1, values, 1, 1,
                    values + 1, 1, 1, 0, values + 2, 1, 1, &site);
  });
  refuse("waiting for the device", [&](const Rank &rank, float *) {
    return static_cast<Context *>(rank.context)->synchronize();
  });
}
