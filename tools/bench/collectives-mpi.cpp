//===- collectives-mpi.cpp - Measures the collectives of MPI --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mpirun -n RANKS comm-bench-collectives-mpi SIZES PROCESS EFFORT
//
//===----------------------------------------------------------------------===//

#include "CollectivesProtocol.h"

#include <mpi.h>

using namespace bench;

/// The value of a text variable of the library, such as how ranks copy from
/// each other's memory, or "".
static std::string readVariable(const char *name) {
  int provided, index, count;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS)
    return "";
  MPI_T_cvar_handle handle;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS)
    return "";
  int value = 0;
  MPI_T_cvar_read(handle, &value);
  int verbosity, bind, scope, nameLength = 0, textLength = 0;
  MPI_Datatype type;
  MPI_T_enum values;
  MPI_T_cvar_get_info(index, nullptr, &nameLength, &verbosity, &type, &values,
                      nullptr, &textLength, &bind, &scope);
  char text[64] = "";
  int length = sizeof text, item = 0, number = 0;
  if (values != MPI_T_ENUM_NULL) {
    int size = 0;
    char enumName[64];
    int enumLength = sizeof enumName;
    MPI_T_enum_get_info(values, &size, enumName, &enumLength);
    for (item = 0; item < size; ++item) {
      length = sizeof text;
      MPI_T_enum_get_item(values, item, &number, text, &length);
      if (number == value)
        return text;
    }
  }
  return std::to_string(value);
}

static void call(int collective, const float *send, float *recv, int count) {
  MPI_Comm world = MPI_COMM_WORLD;
  switch (collective) {
  case AllReduce:
    MPI_Allreduce(send, recv, count, MPI_FLOAT, MPI_SUM, world);
    break;
  case AllGather:
    MPI_Allgather(send, count, MPI_FLOAT, recv, count, MPI_FLOAT, world);
    break;
  case ReduceScatter:
    MPI_Reduce_scatter_block(send, recv, count, MPI_FLOAT, MPI_SUM, world);
    break;
  case AllToAll:
    MPI_Alltoall(send, count, MPI_FLOAT, recv, count, MPI_FLOAT, world);
    break;
  case Broadcast:
    MPI_Bcast(recv, count, MPI_FLOAT, 0, world);
    break;
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4)
    MPI_Abort(MPI_COMM_WORLD, 2);
  int rank, numRanks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &numRanks);
  if (rank == 0) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    std::string name(version, length);
    std::printf(
        "{\"library\": \"%s\", \"transport\": \"vader, single copy by %s\"}\n",
        name.substr(0, name.find(',')).c_str(),
        readVariable("btl_vader_single_copy_mechanism").c_str());
  }

  bindToCore(rank);
  MPI_Win window;
  void *memory;
  MPI_Win_allocate_shared(rank == 0 ? 64 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                          &memory, &window);
  MPI_Aint size;
  int unit;
  MPI_Win_shared_query(window, 0, &size, &unit, &memory);
  auto *barrier = static_cast<Barrier *>(memory);
  if (rank == 0)
    new (barrier) Barrier();
  MPI_Barrier(MPI_COMM_WORLD);

  for (const Cell &cell : makeCells(argv[1], std::stod(argv[3]))) {
    int numTimes = Run::numTimes * cell.repetitions;
    std::vector<double> times(numTimes), all(numTimes * numRanks);
    Run{cell,
        rank,
        numRanks,
        std::stoll(argv[2]),
        barrier,
        [&](const float *send, float *recv, int64_t count) {
          call(cell.collective, send, recv, static_cast<int>(count));
        },
        times.data()}();
    MPI_Gather(times.data(), numTimes, MPI_DOUBLE, all.data(), numTimes,
               MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank != 0)
      continue;
    std::vector<std::vector<double>> byRank;
    for (int i = 0; i < numRanks; ++i)
      byRank.emplace_back(all.begin() + i * numTimes,
                          all.begin() + (i + 1) * numTimes);
    print(getName(cell.collective), cell, byRank);
  }
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
