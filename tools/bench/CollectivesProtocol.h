//===- CollectivesProtocol.h - How collectives are measured -----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the program of this project and that of MPI share: a rank fills what it
// sends, waits for the others, makes the call and reads all that it received,
// as real programs do. A warm loop over the same buffers would flatter both,
// and would hide where a call leaves its result. The time of one repetition is
// from the first rank's entry to the last rank's return.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_BENCH_COLLECTIVESPROTOCOL_H
#define COMM_TOOLS_BENCH_COLLECTIVESPROTOCOL_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <sched.h>
#include <string>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace bench {

/// Copy is none: each rank copies what it sends to what it receives.
enum Collective {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Broadcast,
  Copy
};

inline const char *getName(int collective) {
  static const char *const names[] = {"all_reduce",     "all_gather",
                                      "reduce_scatter", "all_to_all",
                                      "broadcast",      "copy"};
  return names[collective];
}

/// What to measure. `bytes` is the larger of what one rank sends and receives:
/// the whole vector for all_reduce and broadcast, n chunks for the others.
struct Cell {
  int collective;
  int64_t bytes;
  int repetitions;
};

/// `sizes` are bytes, separated by commas.
inline std::vector<Cell> makeCells(const std::string &sizes, double effort) {
  std::vector<Cell> cells;
  for (size_t at = 0; at < sizes.size();) {
    size_t end = std::min(sizes.find(',', at), sizes.size());
    int64_t bytes = std::stoll(sizes.substr(at, end - at));
    at = end + 1;
    // About as long for each size, but enough for a median.
    double repetitions = effort * 4e8 / (static_cast<double>(bytes) + 2e5);
    for (int collective = AllReduce; collective <= Broadcast; ++collective)
      cells.push_back(
          {collective, bytes, std::max(5, static_cast<int>(repetitions))});
  }
  return cells;
}

inline double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

/// The ranks of both programs take turns on the cores in the same way: else it
/// is the load of the machine that decides where they are.
inline void bindToCore(int64_t rank) {
  static const auto cores = [] {
    cpu_set_t available;
    std::vector<int> result;
    if (sched_getaffinity(0, sizeof available, &available) == 0)
      for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &available))
          result.push_back(core);
    return result;
  }();
  if (cores.empty())
    return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cores[rank % cores.size()], &set);
  sched_setaffinity(0, sizeof set, &set);
}

/// A barrier in memory that all ranks see, so that both programs start a call
/// in the same way.
struct Barrier {
  std::atomic<int64_t> arrived{0};

  void wait(int64_t numRanks) {
    int64_t number = arrived.fetch_add(1) / numRanks;
    // To yield takes longer than a small call: only where others need the core.
    static const bool yields = numRanks > sysconf(_SC_NPROCESSORS_ONLN);
    while (arrived.load(std::memory_order_acquire) < (number + 1) * numRanks)
      if (yields)
        sched_yield();
  }
};

/// Memory at its own place within a page: buffers at equal offsets modulo 4 KiB
/// are a special case, up to several times slower, that says little.
class Buffer {
public:
  Buffer(int64_t bytes, int64_t stagger)
      : memory(static_cast<char *>(
            std::aligned_alloc(4096, (bytes + 8191) / 4096 * 4096))),
        data(reinterpret_cast<float *>(memory + stagger % 4096 / 64 * 64)) {
    if (!memory)
      throw std::bad_alloc();
  }
  ~Buffer() { std::free(memory); }
  Buffer(const Buffer &) = delete;

private:
  char *memory;

public:
  float *const data;
};

/// One rank of one cell.
struct Run {
  Cell cell;
  int64_t rank, numRanks;
  /// Differs from process to process, for the places of buffers.
  int64_t process;
  Barrier *barrier;
  /// Makes the call: send, receive, the elements of one chunk or vector.
  std::function<void(const float *, float *, int64_t)> call;
  /// For each repetition: when the call begins and ends, and when all that was
  /// received has been read.
  double *times;
  static constexpr int numTimes = 3;

  bool hasChunks() const {
    return cell.collective == AllGather || cell.collective == ReduceScatter ||
           cell.collective == AllToAll;
  }

  /// Small integers, so that sums are exact.
  static float valueAt(int64_t rank, int64_t i, int repetition) {
    return static_cast<float>(
        (static_cast<int>(i) + 3 * static_cast<int>(rank) + repetition) & 7);
  }

  /// In lanes, as fast as memory is: the sums of small integers are exact.
  static double readAll(const float *data, int64_t count) {
    constexpr int64_t numLanes = 32;
    float lanes[numLanes] = {};
    double sum = 0;
    for (int64_t i = 0; i + numLanes <= count; i += numLanes)
      for (int64_t lane = 0; lane < numLanes; ++lane)
        lanes[lane] += data[i + lane];
    for (int64_t i = count / numLanes * numLanes; i < count; ++i)
      sum += data[i];
    for (float lane : lanes)
      sum += lane;
    return sum;
  }

  float expect(int64_t i, int64_t count, int repetition) const {
    float sum = 0;
    switch (cell.collective) {
    case AllGather:
      return valueAt(i / count, i % count, repetition);
    case AllToAll:
      return valueAt(i / count, rank * count + i % count, repetition);
    case Broadcast:
      return valueAt(0, i, repetition);
    case Copy:
      return valueAt(rank, i, repetition);
    case ReduceScatter:
      i += rank * count;
      break;
    }
    for (int64_t other = 0; other < numRanks; ++other)
      sum += valueAt(other, i, repetition);
    return sum;
  }

  void operator()() const {
    int64_t whole = cell.bytes / static_cast<int64_t>(sizeof(float));
    int64_t count = hasChunks() ? whole / numRanks : whole;
    int64_t sent = cell.collective == AllGather ? count : whole;
    int64_t received = cell.collective == ReduceScatter ? count : whole;
    int64_t place = process * 1216 + rank * 832;
    Buffer send(cell.bytes, place), recv(cell.bytes, place + 1920);
    std::fill_n(recv.data, received, -1.0f);
    // MPI_Bcast has one buffer, so both programs use one.
    float *result = cell.collective == Broadcast ? send.data : recv.data;
    constexpr int numWarm = 3;
    for (int i = 0; i < cell.repetitions + numWarm; ++i) {
      for (int64_t k = 0; k < sent; ++k)
        send.data[k] = valueAt(rank, k, i);
      barrier->wait(numRanks);
      double begin = now();
      call(send.data, result, count);
      double end = now();
      double sum = readAll(result, received);
      double readEnd = now();
      if (i < numWarm) {
        double expected = 0;
        for (int64_t k = 0; k < received; ++k)
          expected += expect(k, count, i);
        if (sum != expected) {
          std::fprintf(stderr, "wrong result of %s\n",
                       getName(cell.collective));
          std::abort();
        }
        continue;
      }
      double *at = times + numTimes * (i - numWarm);
      at[0] = begin;
      at[1] = end;
      at[2] = readEnd;
      barrier->wait(numRanks);
    }
  }
};

/// The median over repetitions, in seconds, from the first rank's begin to the
/// last rank's time `which`. `times[r]` are those of rank r.
inline double getMedian(const std::vector<std::vector<double>> &times,
                        int which) {
  std::vector<double> spans;
  for (size_t i = 0; i < times[0].size(); i += Run::numTimes) {
    double begin = times[0][i], end = times[0][i + which];
    for (const std::vector<double> &rank : times) {
      begin = std::min(begin, rank[i]);
      end = std::max(end, rank[i + which]);
    }
    spans.push_back(end - begin);
  }
  std::nth_element(spans.begin(), spans.begin() + spans.size() / 2,
                   spans.end());
  return spans[spans.size() / 2];
}

inline void print(const char *what, const Cell &cell,
                  const std::vector<std::vector<double>> &times) {
  std::printf("{\"what\": \"%s\", \"bytes\": %lld, \"seconds\": %.9g, "
              "\"with_read\": %.9g}\n",
              what, static_cast<long long>(cell.bytes), getMedian(times, 1),
              getMedian(times, 2));
  std::fflush(stdout);
}

} // namespace bench

#endif // COMM_TOOLS_BENCH_COLLECTIVESPROTOCOL_H
