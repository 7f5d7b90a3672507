//===- Group.cpp - Groups of calls, and how they reach the streams --------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nccl/Communicator.h"

#include <algorithm>

using namespace mlir::comm::cudadouble;

namespace {

/// What the calling thread has collected since ncclGroupStart.
struct Group {
  int depth = 0;
  std::vector<std::pair<ncclComm *, std::vector<Task>>> tasks;
  /// Communicators that have begun something other than tasks.
  std::vector<ncclComm *> begun;
  /// Of a call in the group, which then does nothing at all.
  ncclResult_t error = ncclSuccess;
};

} // namespace

static Group &getGroup() {
  thread_local Group group;
  return group;
}

bool mlir::comm::cudadouble::isInGroup() { return getGroup().depth > 0; }

/// Operations of one communicator run in the order of their calls, on whatever
/// streams they are.
static void keepOrder(Operation &operation, ncclComm &comm) {
  operation.issue = [&comm](Operation &self) {
    if (comm.last)
      self.waits.push_back(comm.last);
  };
  operation.issued = [&comm](Operation &self) { comm.last = self.completion; };
}

static void addAccesses(Operation &operation, const ncclComm &comm,
                        const Task &task) {
  int size = comm.clique->size();
  size_t bytes = getBytes(task.type);
  size_t send = task.getSendCount(comm.rank, size) * bytes;
  size_t recv = task.getRecvCount(comm.rank, size) * bytes;
  operation.accesses.push_back(
      {reinterpret_cast<uint64_t>(send ? task.send : task.recv), send, false});
  operation.accesses.push_back(
      {reinterpret_cast<uint64_t>(recv ? task.recv : task.send), recv, true});
}

static void issueCollective(Stream &stream, ncclComm &comm, const Task &task) {
  Operation operation;
  operation.entry = task.entry;
  addAccesses(operation, comm, task);
  keepOrder(operation, comm);
  auto number = std::make_shared<uint64_t>(0);
  operation.issue = [first = operation.issue, &comm, task](Operation &self) {
    first(self);
    uint64_t mine = comm.numCollectives++;
    self.run = [&comm, task, mine](Operation &running) {
      runCollective(comm, mine, task, running.at(0), running.at(1));
    };
  };
  getEngine().issue(stream, std::move(operation));
}

/// Messages of a group run at once: what one receives into, no other may use.
static void checkOverlaps(const Operation &operation) {
  const std::vector<Access> &accesses = operation.accesses;
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if ((accesses[i].write || accesses[j].write) &&
          accesses[i].address < accesses[j].address + accesses[j].bytes &&
          accesses[j].address < accesses[i].address + accesses[i].bytes)
        report("race", std::string(operation.entry) +
                           ": two messages of a group use the same memory, and "
                           "one is received into it");
}

/// All messages of a group on one stream make progress at once.
static void issueMessages(Stream &stream, ncclComm &comm,
                          const std::vector<Task> &tasks) {
  Operation operation;
  operation.entry = tasks.front().entry;
  for (const Task &task : tasks)
    addAccesses(operation, comm, task);
  checkOverlaps(operation);
  keepOrder(operation, comm);
  operation.run = [&comm, tasks](Operation &running) {
    std::vector<Part> parts;
    for (size_t i = 0; i < tasks.size(); ++i)
      parts.push_back(
          {&tasks[i], running.at(2 * i + (tasks[i].kind == Task::Kind::Recv))});
    runMessages(comm, parts);
  };
  getEngine().issue(stream, std::move(operation));
}

static ncclResult_t launch(ncclComm &comm, const std::vector<Task> &tasks) {
  Engine &engine = getEngine();
  std::lock_guard<std::mutex> lock(engine.mutex);
  std::set<cudaStream_t> done;
  for (const Task &task : tasks) {
    Stream *stream = engine.findStream(task.stream, task.entry);
    if (!stream)
      return fail(ncclUnhandledCudaError, "the stream is not alive");
    if (!task.isMessage()) {
      issueCollective(*stream, comm, task);
      continue;
    }
    if (!done.insert(task.stream).second)
      continue;
    std::vector<Task> messages;
    for (const Task &other : tasks)
      if (other.isMessage() && other.stream == task.stream)
        messages.push_back(other);
    issueMessages(*stream, comm, messages);
  }
  return ncclSuccess;
}

static ncclResult_t beginTasks(ncclComm &comm, std::vector<Task> tasks) {
  return begin(comm, nullptr, [&comm, tasks = std::move(tasks)] {
    return launch(comm, tasks);
  });
}

/// Reports what is wrong with a task's memory and its stream.
static ncclResult_t checkMemory(ncclComm &comm, const Task &task) {
  int size = comm.clique->size();
  size_t bytes = getBytes(task.type);
  size_t send = task.getSendCount(comm.rank, size) * bytes;
  size_t recv = task.getRecvCount(comm.rank, size) * bytes;
  uint64_t from = reinterpret_cast<uint64_t>(task.send);
  uint64_t to = reinterpret_cast<uint64_t>(task.recv);
  Engine &engine = getEngine();
  std::lock_guard<std::mutex> lock(engine.mutex);
  std::string entry = task.entry;
  Stream *stream = engine.findStream(task.stream, task.entry);
  if (!stream)
    return fail(ncclUnhandledCudaError, entry + ": invalid resource handle");
  if (stream->device != comm.device) {
    report("pointer", entry + ": the stream is of device " +
                          std::to_string(stream->device) +
                          ", the communicator of device " +
                          std::to_string(comm.device));
    return fail(ncclUnhandledCudaError, entry + ": invalid resource handle");
  }
  for (auto [address, part, name] :
       {std::tuple(from, send, ": send"), std::tuple(to, recv, ": recv")}) {
    if (!part)
      continue;
    Allocation *allocation = engine.memory.check(address, part, entry + name);
    if (!allocation)
      return fail(ncclInvalidArgument, entry + name + " is not valid");
    if (allocation->kind != MemoryKind::Device ||
        allocation->device != comm.device) {
      report("pointer", entry + name + " is not memory of device " +
                            std::to_string(comm.device));
      return fail(ncclInvalidArgument, entry + name + " is not valid");
    }
  }
  if (!send || !recv || from >= to + recv || to >= from + send)
    return ncclSuccess;
  // They overlap: only where NCCL says that this is in place.
  size_t chunk = task.count * bytes;
  bool inPlace;
  switch (task.kind) {
  case Task::Kind::AllGather:
    inPlace = from == to + comm.rank * chunk;
    break;
  case Task::Kind::Gather:
    inPlace = from == to + task.root * chunk;
    break;
  case Task::Kind::ReduceScatter:
    inPlace = to == from + comm.rank * chunk;
    break;
  case Task::Kind::Scatter:
    inPlace = to == from + task.root * chunk;
    break;
  case Task::Kind::AllToAll:
    inPlace = false;
    break;
  default:
    inPlace = from == to;
  }
  if (inPlace)
    return ncclSuccess;
  report("pointer", entry + ": send and recv overlap, and not in place");
  return fail(ncclInvalidArgument, entry + ": send and recv overlap");
}

static ncclResult_t add(ncclComm_t handle, Task task) {
  if (ncclResult_t result = enter(task.entry, handle, &task.injection))
    return result;
  std::string entry = task.entry;
  ncclComm &comm = *handle;
  if (!handle)
    return fail(ncclInvalidArgument, entry + ": no communicator");
  if (!getBytes(task.type))
    return fail(ncclInvalidArgument,
                entry + ": invalid type " + std::to_string(task.type));
  bool usesRoot = task.isRooted() || task.isMessage();
  if (usesRoot && (task.root < 0 || task.root >= comm.clique->size()))
    return fail(ncclInvalidArgument,
                entry + ": invalid root " + std::to_string(task.root));
  if (task.reduces()) {
    size_t own = task.op - ncclNumOps;
    if (task.op < 0 ||
        (task.op >= ncclNumOps &&
         (own >= comm.reductions.size() || !comm.reductions[own].isAlive)))
      return fail(ncclInvalidArgument,
                  entry + ": invalid reduction " + std::to_string(task.op));
    if (task.op >= ncclNumOps && comm.reductions[own].type != task.type)
      return fail(ncclInvalidArgument,
                  entry + ": the reduction is of another type");
  }
  if (ncclResult_t result = checkMemory(comm, task))
    return result;
  Group &group = getGroup();
  if (!group.depth)
    return beginTasks(comm, {task});
  auto known =
      std::find_if(group.tasks.begin(), group.tasks.end(),
                   [&](const auto &entry) { return entry.first == &comm; });
  if (known == group.tasks.end()) {
    group.tasks.emplace_back(&comm, std::vector<Task>{});
    known = std::prev(group.tasks.end());
  }
  known->second.push_back(std::move(task));
  return ncclSuccess;
}

ncclResult_t mlir::comm::cudadouble::start(ncclComm_t handle, Task task) {
  ncclResult_t result = add(handle, std::move(task));
  if (isInGroup() && result != ncclSuccess && result != ncclInProgress)
    getGroup().error = result;
  return result;
}

ncclResult_t mlir::comm::cudadouble::finishInGroup(ncclComm &comm) {
  Group &group = getGroup();
  if (!group.depth)
    return finish(comm);
  group.begun.push_back(&comm);
  return comm.blocking ? ncclSuccess : ncclInProgress;
}

ncclResult_t ncclGroupStart() {
  if (ncclResult_t result = enter("ncclGroupStart", nullptr))
    return result;
  ++getGroup().depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  Group &group = getGroup();
  if (!group.depth) {
    report("order", "ncclGroupEnd: there has been no ncclGroupStart");
    return fail(ncclInvalidUsage, "ncclGroupEnd: not in a group call.");
  }
  ncclResult_t result = enter("ncclGroupEnd", nullptr);
  if (--group.depth)
    return result;
  auto tasks = std::exchange(group.tasks, {});
  auto begun = std::exchange(group.begun, {});
  ncclResult_t error = std::exchange(group.error, ncclSuccess);
  if (result == ncclSuccess)
    result = error;
  // NCCL launches communicators by a hash that its ranks share, and not as the
  // program has them.
  std::stable_sort(tasks.begin(), tasks.end(), [](auto &a, auto &b) {
    std::hash<std::string> hash;
    return hash(a.first->clique->name) < hash(b.first->clique->name);
  });
  if (result != ncclSuccess)
    return result;
  auto add = [&](ncclResult_t one) {
    if (result == ncclSuccess || result == ncclInProgress)
      result = one == ncclSuccess ? result : one;
  };
  for (ncclComm *comm : begun)
    add(finish(*comm));
  for (auto &[comm, list] : tasks)
    add(beginTasks(*comm, std::move(list)));
  return result;
}
