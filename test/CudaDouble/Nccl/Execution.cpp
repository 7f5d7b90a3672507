//===- Execution.cpp - Collectives meet and messages arrive ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nccl/Communicator.h"

#include <cstring>

using namespace mlir::comm::cudadouble;
using Kind = Task::Kind;

/// The ranks whose calls are not what the others' are: reports it, and fails
/// the communicator of every rank.
static bool checkAgreement(Clique &clique, const Meeting &meeting,
                           uint64_t number) {
  const Task &first = *meeting.arrivals.begin()->second.task;
  for (const auto &[rank, arrival] : meeting.arrivals) {
    const Task &task = *arrival.task;
    bool sameOp = task.op == first.op ||
                  (task.op >= ncclNumOps && first.op >= ncclNumOps);
    if (task.kind == first.kind && task.count == first.count &&
        task.type == first.type && sameOp && task.root == first.root)
      continue;
    std::string text = "collective " + std::to_string(number) + " of " +
                       clique.name + ": rank 0 calls " + first.describe() +
                       ", rank " + std::to_string(rank) + " calls " +
                       task.describe();
    report("order", text);
    for (ncclComm *comm : clique.members)
      if (comm)
        setError(*comm, ncclInvalidUsage, text);
    return false;
  }
  return true;
}

/// Takes what all ranks send before it writes anything: recv may be send.
static void compute(const Meeting &meeting, int size) {
  const Task &task = *meeting.arrivals.begin()->second.task;
  size_t chunk = task.count * getBytes(task.type);
  std::vector<std::vector<unsigned char>> sends(size);
  std::vector<double> factors;
  for (const auto &[rank, arrival] : meeting.arrivals) {
    size_t bytes = task.getSendCount(rank, size) * getBytes(task.type);
    if (bytes && arrival.send)
      sends[rank].assign(arrival.send, arrival.send + bytes);
    else
      sends[rank].assign(bytes, 0xff);
    factors.push_back(arrival.factor);
  }
  // Those of all ranks, each from its `part`th chunk on.
  auto reduceInto = [&](unsigned char *out, size_t part) {
    std::vector<const unsigned char *> in;
    for (const auto &send : sends)
      in.push_back(send.data() + part * chunk);
    reduce(task.type, task.op, in, task.op >= ncclNumOps ? &factors : nullptr,
           task.count, out);
  };
  for (const auto &[rank, arrival] : meeting.arrivals) {
    unsigned char *out = arrival.recv;
    if (!out || !task.getRecvCount(rank, size))
      continue;
    switch (task.kind) {
    case Kind::AllReduce:
    case Kind::Reduce:
      reduceInto(out, 0);
      break;
    case Kind::ReduceScatter:
      reduceInto(out, rank);
      break;
    case Kind::Broadcast:
      std::memcpy(out, sends[task.root].data(), chunk);
      break;
    case Kind::Scatter:
      std::memcpy(out, sends[task.root].data() + rank * chunk, chunk);
      break;
    case Kind::AllGather:
    case Kind::Gather:
      for (int from = 0; from < size; ++from)
        std::memcpy(out + from * chunk, sends[from].data(), chunk);
      break;
    case Kind::AllToAll:
      for (int from = 0; from < size; ++from)
        std::memcpy(out + from * chunk, sends[from].data() + rank * chunk,
                    chunk);
      break;
    case Kind::Send:
    case Kind::Recv:
      break;
    }
  }
}

/// What the plan of failures says about a task that runs. True where it goes
/// on; else returns when the communicator is aborted.
static bool runInjection(ncclComm &comm, const Task &task,
                         std::unique_lock<std::mutex> &lock) {
  if (!task.injection)
    return true;
  if (task.injection->how == Injection::How::Async)
    setError(comm, getResult(task.injection->error),
             std::string("injected into ") + task.entry);
  comm.clique->changed.wait(lock, [&] { return comm.isAborted; });
  return false;
}

void mlir::comm::cudadouble::runCollective(ncclComm &comm, uint64_t number,
                                           const Task &task,
                                           const unsigned char *send,
                                           unsigned char *recv) {
  Clique &clique = *comm.clique;
  std::unique_lock<std::mutex> lock(clique.mutex);
  if (comm.isAborted || !runInjection(comm, task, lock))
    return;
  double factor = task.reduces() && task.op >= ncclNumOps
                      ? comm.reductions[task.op - ncclNumOps].factor
                      : 1;
  Meeting &meeting = clique.meetings[number];
  meeting.arrivals[comm.rank] = {&task, send, recv, factor};
  if (static_cast<int>(meeting.arrivals.size()) == clique.size()) {
    if (checkAgreement(clique, meeting, number))
      compute(meeting, clique.size());
    meeting.done = true;
    clique.changed.notify_all();
  }
  clique.changed.wait(lock, [&] { return meeting.done || comm.isAborted; });
  // Whoever comes later finds this rank missing.
  if (!meeting.done)
    meeting.arrivals.erase(comm.rank);
  else if (++meeting.numLeft == clique.size())
    clique.meetings.erase(number);
}

/// Takes the message for a receive, if there is one.
static bool receive(ncclComm &comm, const Part &part) {
  const Task &task = *part.task;
  std::deque<Message> &mailbox = comm.clique->mailboxes[{task.root, comm.rank}];
  if (mailbox.empty())
    return false;
  Message message = mailbox.front();
  mailbox.pop_front();
  const Task &sent = *message.task;
  if (sent.count != task.count || sent.type != task.type) {
    std::string text = comm.clique->name + ": rank " +
                       std::to_string(comm.rank) + " calls " + task.describe() +
                       ", rank " + std::to_string(task.root) + " calls " +
                       sent.describe();
    report("order", text);
    for (ncclComm *member : comm.clique->members)
      if (member)
        setError(*member, ncclInvalidUsage, text);
  } else if (part.bytes && message.bytes) {
    std::memcpy(part.bytes, message.bytes, task.count * getBytes(task.type));
  }
  *message.taken = true;
  comm.clique->changed.notify_all();
  return true;
}

void mlir::comm::cudadouble::runMessages(ncclComm &comm,
                                         const std::vector<Part> &parts) {
  Clique &clique = *comm.clique;
  std::unique_lock<std::mutex> lock(clique.mutex);
  for (const Part &part : parts)
    if (comm.isAborted || !runInjection(comm, *part.task, lock))
      return;
  std::vector<std::shared_ptr<bool>> sent;
  std::vector<Part> open;
  for (const Part &part : parts) {
    if (part.task->kind == Kind::Recv) {
      open.push_back(part);
      continue;
    }
    sent.push_back(std::make_shared<bool>(false));
    clique.mailboxes[{comm.rank, part.task->root}].push_back(
        {part.task, part.bytes, sent.back()});
  }
  clique.changed.notify_all();
  clique.changed.wait(lock, [&] {
    // In order from each peer: those behind one that waits, wait too.
    std::set<int> waiting;
    std::vector<Part> still;
    for (const Part &part : open)
      if (waiting.count(part.task->root) || !receive(comm, part)) {
        waiting.insert(part.task->root);
        still.push_back(part);
      }
    open = std::move(still);
    bool all = open.empty();
    for (const auto &taken : sent)
      all &= *taken;
    return all || comm.isAborted;
  });
  // What nobody has taken is in no mailbox any more.
  for (auto &[ends, mailbox] : clique.mailboxes)
    for (auto it = mailbox.begin(); it != mailbox.end();)
      it = ends.first == comm.rank && !*it->taken ? mailbox.erase(it)
                                                  : std::next(it);
}
