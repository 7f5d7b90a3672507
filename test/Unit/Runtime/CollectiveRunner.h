//===- CollectiveRunner.h - Runs one collective -----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_UNIT_RUNTIME_COLLECTIVERUNNER_H
#define COMM_TEST_UNIT_RUNTIME_COLLECTIVERUNNER_H

#include "Model.h"

namespace mlir::comm::runtime {

enum class Op {
  Barrier,
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Permute,
  Broadcast,
  Reduce,
  Gather,
  Scatter,
  Message
};

/// What to call. `count` is as in RuntimeFunctions.def.
struct Request {
  Op op;
  CommDataType type;
  int64_t count;
  CommReduction reduction;
  int64_t root, from, to;
  std::vector<int64_t> pairs;
  /// Receive into the buffer that is sent, where the two have the same size.
  bool inPlace;
};

/// One rank's view of one group of a test's mesh.
class CollectiveRunner {
public:
  CollectiveRunner(const std::vector<int64_t> &sizes,
                   const std::vector<int64_t> &axes, const Rank &rank)
      : rank(rank), model(sizes, axes, rank.rank), group(rank.group(axes)) {
    EXPECT_EQ(model.index, commAxisIndex(rank.context, group));
  }

  int64_t size() const { return static_cast<int64_t>(model.ranks.size()); }

  /// Makes the call on new data and checks the result.
  void check(const Request &request);

private:
  bool sendsChunks(Op op) const {
    return op == Op::ReduceScatter || op == Op::AllToAll || op == Op::Scatter;
  }
  bool receivesChunks(Op op) const {
    return op == Op::AllGather || op == Op::AllToAll || op == Op::Gather;
  }
  Values expect(const Request &request, const Inputs &inputs) const;
  Status call(const Request &request, const void *send, void *recv);

  Rank rank;
  ModelGroup model;
  CommCommunicator *group;
  int64_t salt = 0;
};

} // namespace mlir::comm::runtime

#endif // COMM_TEST_UNIT_RUNTIME_COLLECTIVERUNNER_H
