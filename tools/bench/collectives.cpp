//===- collectives.cpp - Measures the collectives of the runtime ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// comm-bench-collectives RANKS SIZES PROCESS EFFORT
//
//===----------------------------------------------------------------------===//

#include "CollectivesProtocol.h"
#include "comm/Runtime/Communicator.h"

#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace bench;
using namespace mlir::comm::runtime;

static void call(Context &context, int collective, const float *send,
                 float *recv, int64_t count) {
  static const CommSite site = {"comm.bench", "", 0, 0, ""};
  const int64_t axes[] = {0};
  CommCommunicator *group = commCommunicator(&context, axes, 1);
  int32_t status = COMM_INVALID;
  switch (collective) {
  case bench::AllReduce:
    status = commAllReduce(&context, group, send, recv, count, COMM_F32,
                           COMM_SUM, &site);
    break;
  case bench::AllGather:
    status = commAllGather(&context, group, send, recv, count, COMM_F32, &site);
    break;
  case bench::ReduceScatter:
    status = commReduceScatter(&context, group, send, recv, count, COMM_F32,
                               COMM_SUM, &site);
    break;
  case bench::AllToAll:
    status = commAllToAll(&context, group, send, recv, count, COMM_F32, &site);
    break;
  case bench::Broadcast:
    status =
        commBroadcast(&context, group, send, recv, count, COMM_F32, 0, &site);
    break;
  }
  if (status != COMM_SUCCESS)
    std::abort();
}

/// The yardstick: a copy that does not read what it overwrites, as fast as
/// vector registers do it. Written apart from the runtime's.
#if defined(__x86_64__)
__attribute__((target("avx2"))) static void
streamCopy(float *to, const float *from, int64_t count) {
  for (; count && reinterpret_cast<uintptr_t>(to) % 32; --count)
    *to++ = *from++;
  for (; count >= 32; count -= 32, to += 32, from += 32)
    for (int i = 0; i < 32; i += 8)
      _mm256_stream_ps(to + i, _mm256_loadu_ps(from + i));
  for (; count; --count)
    *to++ = *from++;
  _mm_sfence();
}
#else
static void streamCopy(float *to, const float *from, int64_t count) {
  std::memcpy(to, from, count * sizeof(float));
}
#endif

/// What no cache holds.
static constexpr int64_t largeBytes = 1 << 26;

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  int64_t numRanks = std::stoll(argv[1]), process = std::stoll(argv[3]);
  std::string error;
  auto world = World::create({{"x", numRanks}}, "threads", Options(), error);
  Barrier barrier;
  std::vector<std::vector<double>> times(numRanks);
  auto failure = world->launch([&](Context &context) {
    int64_t rank = context.getRank();
    bindToCore(rank);
    auto measure = [&](const Cell &cell, const char *what, auto callee) {
      times[rank].assign(Run::numTimes * cell.repetitions, 0);
      Run{cell,     rank,   numRanks,          process,
          &barrier, callee, times[rank].data()}();
      barrier.wait(numRanks);
      if (rank == 0)
        print(what, cell, times);
      barrier.wait(numRanks);
    };
    for (const Cell &cell : makeCells(argv[2], std::stod(argv[4]))) {
      // As a cell of its own, right beside each that it is compared with.
      if (cell.bytes >= largeBytes)
        measure({Copy, cell.bytes, cell.repetitions}, "copy",
                [](const float *send, float *recv, int64_t count) {
                  streamCopy(recv, send, count);
                });
      measure(cell, bench::getName(cell.collective),
              [&](const float *send, float *recv, int64_t count) {
                call(context, cell.collective, send, recv, count);
              });
    }
  });
  return failure ? 1 : 0;
}
