//===- LaunchTest.cpp - Tests of calling and launching programs -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Launch.h"
#include "RunnerTesting.h"

#include <cstring>

using namespace mlir::comm;
using namespace mlir::comm::runner;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A memref descriptor as the compiler lays it out.
template <typename T, int Rank>
struct MemRef {
  T *allocated;
  T *aligned;
  int64_t offset;
  int64_t sizes[Rank];
  int64_t strides[Rank];
};
template <typename T>
struct MemRef<T, 0> {
  T *allocated;
  T *aligned;
  int64_t offset;
};

/// Parameter `i` of a packed call.
template <typename T>
T &getParameter(void **packed, int i) {
  return *static_cast<T *>(packed[i]);
}

/// Memory of a result, from the context that a packed call has.
template <typename T>
T *allocate(void **packed, size_t count) {
  return static_cast<T *>(
      commAllocate(getParameter<CommContext *>(packed, 1), count * sizeof(T)));
}

struct OneTensor {
  int32_t status;
  MemRef<float, 1> result;
};

//===----------------------------------------------------------------------===//
// One call
//===----------------------------------------------------------------------===//

/// (i1, f16, 2x3xf64, f64 of rank 0, i8) -> (i8, 3x2xf64, i1, f16, f64 of rank
/// 0): every kind of value, with padding between the results.
struct AllKinds {
  int32_t status;
  int8_t number;
  MemRef<double, 2> transposed;
  bool flag;
  uint16_t half;
  MemRef<double, 0> scalar;
};
void callAllKinds(void **packed) {
  auto *results = getParameter<AllKinds *>(packed, 0);
  auto *matrix = getParameter<MemRef<double, 2> *>(packed, 4);
  auto *scalar = getParameter<MemRef<double, 0> *>(packed, 5);
  EXPECT_EQ(matrix->sizes[0], 2);
  EXPECT_EQ(matrix->strides[0], 3);
  EXPECT_EQ(matrix->strides[1], 1);
  results->status = COMM_SUCCESS;
  results->number = getParameter<int8_t>(packed, 6) + 1;
  results->flag = !getParameter<bool>(packed, 2);
  results->half = getParameter<uint16_t>(packed, 3) ^ 0x8000;
  // The transpose as a strided view with an offset.
  double *copy = allocate<double>(packed, 7);
  std::memcpy(copy + 1, matrix->aligned + matrix->offset, 6 * sizeof(double));
  results->transposed = {copy, copy, 1, {3, 2}, {1, 3}};
  double *twice = allocate<double>(packed, 1);
  *twice = 2 * scalar->aligned[scalar->offset];
  results->scalar = {twice, twice, 0};
  // A program may write over its inputs.
  matrix->aligned[0] = -1;
}

ValueInfo makeInfo(CommDataType type, Shape shape, bool isScalar = false) {
  return {"", type, std::move(shape), isScalar, {}, {}};
}

/// A rank to call functions on.
class Invoke : public ::testing::Test {
protected:
  Invoke() {
    std::string error;
    world = runtime::World::create({{"tp", 1}}, "threads", {}, error);
  }
  ~Invoke() override { EXPECT_EQ(getContext().getArena().getNumLive(), 0); }

  runtime::Context &getContext() { return world->getContext(0); }

  std::unique_ptr<runtime::World> world;
};

TEST_F(Invoke, PassesEveryKindOfValue) {
  FunctionSignature signature;
  signature.arguments = {makeInfo(COMM_I1, {}, true),
                         makeInfo(COMM_F16, {}, true),
                         makeInfo(COMM_F64, {2, kDynamic}),
                         makeInfo(COMM_F64, {}), makeInfo(COMM_I8, {}, true)};
  signature.results = {makeInfo(COMM_I8, {}, true),
                       makeInfo(COMM_F64, {kDynamic, 2}),
                       makeInfo(COMM_I1, {}, true),
                       makeInfo(COMM_F16, {}, true), makeInfo(COMM_F64, {})};
  std::vector<HostTensor> arguments = {
      makeTensor(COMM_I1, {}, {1}), makeTensor(COMM_F16, {}, {1.5}),
      makeTensor(COMM_F64, {2, 3}, {1, 2, 3, 4, 5, 6}),
      makeTensor(COMM_F64, {}, {21}), makeTensor(COMM_I8, {}, {6})};
  Invocation invocation =
      invoke(callAllKinds, signature, &getContext(), arguments);
  EXPECT_EQ(invocation.status, COMM_SUCCESS);
  ASSERT_EQ(invocation.results.size(), 5u);
  EXPECT_THAT(getElements(invocation.results[0]), ElementsAre(7));
  EXPECT_EQ(invocation.results[1].formatType(), "3x2xf64");
  EXPECT_THAT(getElements(invocation.results[1]),
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(getElements(invocation.results[2]), ElementsAre(0));
  EXPECT_THAT(getElements(invocation.results[3]), ElementsAre(-1.5));
  EXPECT_THAT(getElements(invocation.results[4]), ElementsAre(42));
  EXPECT_EQ(arguments[2].getDouble(0), 1);
}

struct EmptyTensor {
  int32_t status;
  MemRef<float, 2> result;
};
void callEmpty(void **packed) {
  auto *results = getParameter<EmptyTensor *>(packed, 0);
  float *buffer = allocate<float>(packed, 1);
  *results = {COMM_SUCCESS, {buffer, buffer, 0, {0, 3}, {3, 1}}};
}

TEST_F(Invoke, TakesEmptyTensors) {
  FunctionSignature signature;
  signature.results = {makeInfo(COMM_F32, {kDynamic, 3})};
  Invocation invocation = invoke(callEmpty, signature, &getContext(), {});
  EXPECT_EQ(invocation.results[0].formatType(), "0x3xf32");
}

void callStatusOnly(void **packed) {
  *getParameter<int32_t *>(packed, 0) = getParameter<int64_t>(packed, 2);
}

TEST_F(Invoke, GivesTheStatus) {
  FunctionSignature signature;
  signature.arguments = {makeInfo(COMM_I64, {}, true)};
  for (double status : {COMM_SUCCESS, COMM_TIMEOUT})
    EXPECT_EQ(invoke(callStatusOnly, signature, &getContext(),
                     {makeTensor(COMM_I64, {}, {status})})
                  .status,
              status);
}

/// A rank whose buffers have addresses that the host cannot use.
class DeviceContext : public runtime::Context {
public:
  using Context::Context;
  bool usesHostMemory() const override { return false; }
  void *allocate(int64_t bytes) override {
    return toDevice(Context::allocate(bytes));
  }
  void release(void *memory) override { Context::release(toHost(memory)); }

protected:
  std::unique_ptr<runtime::Communicator>
  createCommunicator(runtime::Group) override {
    return nullptr;
  }
  runtime::Status move(const void *from, void *to, int64_t bytes,
                       Direction direction, const CommSite *) override {
    if (direction != Direction::FromHost)
      from = toHost(const_cast<void *>(from));
    if (direction != Direction::ToHost)
      to = toHost(to);
    std::memcpy(to, from, bytes);
    return COMM_SUCCESS;
  }

private:
  static constexpr uintptr_t base = uintptr_t(1) << 62;
  static void *toDevice(void *memory) {
    return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(memory) + base);
  }
  static void *toHost(void *memory) {
    return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(memory) - base);
  }
};

/// (2xf32, i64) -> 2xf32, without looking at what is in the buffers: the result
/// is in reverse where the number is -1.
void callCopy(void **packed) {
  auto *results = getParameter<OneTensor *>(packed, 0);
  auto *context = getParameter<CommContext *>(packed, 1);
  auto *argument = getParameter<MemRef<float, 1> *>(packed, 2);
  float *buffer = allocate<float>(packed, 2);
  commCopy(context, argument->aligned, buffer, 8, nullptr);
  int64_t stride = getParameter<int64_t>(packed, 3);
  results->status = commStatus(context);
  results->result = {buffer, buffer, stride < 0, {2}, {stride}};
}

TEST_F(Invoke, CopiesToDevicesAndBack) {
  FunctionSignature signature;
  signature.arguments = {makeInfo(COMM_F32, {2}), makeInfo(COMM_I64, {}, true)};
  signature.results = {makeInfo(COMM_F32, {2})};
  DeviceContext context(*world, 0);
  auto call = [&](double stride) {
    return getElements(invoke(callCopy, signature, &context,
                              {makeTensor(COMM_F32, {2}, {3, 4}),
                               makeTensor(COMM_I64, {}, {stride})})
                           .results[0]);
  };
  EXPECT_THAT(call(1), ElementsAre(3, 4));
  EXPECT_THAT(call(-1), ElementsAre(4, 3));
  EXPECT_EQ(context.getNumLive(), 0);
}

//===----------------------------------------------------------------------===//
// All ranks
//===----------------------------------------------------------------------===//

CommSite allReduceSite = {"comm.all_reduce", "f.mlir", 7, 3,
                          "over @mesh[\"tp\"]"};
CommSite sendSite = {"comm.send", "f.mlir", 9, 3, "over @mesh[\"tp\"]"};
CommSite recvSite = {"comm.recv", "f.mlir", 10, 3, "over @mesh[\"tp\"]"};

/// 2xf32 -> 2xf32: the sum over tp, then a message from rank 0 to 2 of it.
void callSum(void **packed) {
  auto *results = getParameter<OneTensor *>(packed, 0);
  auto *context = getParameter<CommContext *>(packed, 1);
  auto *argument = getParameter<MemRef<float, 1> *>(packed, 2);
  int64_t axis = 0;
  CommCommunicator *group = commCommunicator(context, &axis, 1);
  float *buffer = allocate<float>(packed, 2);
  commAllReduce(context, group, argument->aligned, buffer, 2, COMM_F32,
                COMM_SUM, &allReduceSite);
  commSend(context, group, buffer, 2, COMM_F32, 0, 2, &sendSite);
  float received[2];
  commRecv(context, group, received, 2, COMM_F32, 0, 2, &recvSite);
  results->status = commStatus(context);
  if (results->status != COMM_SUCCESS) {
    commRelease(context, buffer);
    return;
  }
  // The input is the rank's own copy: this must not be seen outside.
  argument->aligned[0] = 1000;
  buffer[0] += received[0];
  results->result = {buffer, buffer, 0, {2}, {1}};
}

FunctionSignature makeSumSignature() {
  FunctionSignature signature;
  signature.name = "f";
  signature.mesh = {{"tp", 3}};
  signature.arguments = {makeInfo(COMM_F32, {2})};
  signature.results = {makeInfo(COMM_F32, {2})};
  return signature;
}

RankValues makeSumInputs() {
  RankValues inputs(3);
  for (double rank : {0, 1, 2})
    inputs[rank].push_back(makeTensor(COMM_F32, {2}, {rank + 1, 10 * rank}));
  return inputs;
}

TEST(Launch, RunsAllRanks) {
  RankValues inputs = makeSumInputs();
  Launch run = launch(callSum, makeSumSignature(), inputs, {});
  ASSERT_FALSE(run.failure) << run.failure->message;
  ASSERT_EQ(run.results.size(), 3u);
  EXPECT_THAT(getElements(run.results[0][0]), ElementsAre(6, 30));
  EXPECT_THAT(getElements(run.results[1][0]), ElementsAre(6, 30));
  EXPECT_THAT(getElements(run.results[2][0]), ElementsAre(12, 30));
  EXPECT_TRUE(run.trace.empty());
  ASSERT_EQ(run.times.size(), 1u);
  EXPECT_GT(run.times[0].count(), 0);
  ASSERT_EQ(run.communicationTime.size(), 3u);
  for (auto time : run.communicationTime)
    EXPECT_LE(time.count(), run.times[0].count());
  EXPECT_THAT(formatTime(run),
              testing::MatchesRegex("time: [0-9.e+]+ [mu]?s, in collectives "
                                    "rank [0-2] [0-9]+% to rank [0-2] "
                                    "[0-9]+%"));
  EXPECT_THAT(getElements(inputs[0][0]), ElementsAre(1, 0));
}

/// 1xf32 -> 1xf32: adds 1 to the input, and gives that.
void callCount(void **packed) {
  auto *results = getParameter<OneTensor *>(packed, 0);
  auto *argument = getParameter<MemRef<float, 1> *>(packed, 2);
  float *buffer = allocate<float>(packed, 1);
  buffer[0] = argument->aligned[0] += 1;
  *results = {COMM_SUCCESS, {buffer, buffer, 0, {1}, {1}}};
}

TEST(Launch, Repeats) {
  FunctionSignature signature;
  signature.name = "f";
  signature.mesh = {{"tp", 2}};
  signature.arguments = {makeInfo(COMM_F32, {1})};
  signature.results = {makeInfo(COMM_F32, {1})};
  LaunchOptions options;
  options.repetitions = 5;
  RankValues inputs(2, {makeTensor(COMM_F32, {1}, {10})});
  Launch run = launch(callCount, signature, inputs, options);
  ASSERT_FALSE(run.failure) << run.failure->message;
  EXPECT_THAT(getElements(run.results[0][0]), ElementsAre(15));
  EXPECT_THAT(getElements(run.results[1][0]), ElementsAre(15));
  EXPECT_EQ(run.times.size(), 5u);
  EXPECT_THAT(formatTime(run),
              testing::MatchesRegex(
                  "time: best [0-9.e+-]+ [mu]?s, median [0-9.e+-]+ [mu]?s, "
                  "first [0-9.e+-]+ [mu]?s of 5 runs, in collectives .*"));
}

TEST(Launch, TracesEachRanksCollectives) {
  LaunchOptions options;
  options.trace = true;
  Launch run = launch(callSum, makeSumSignature(), makeSumInputs(), options);
  ASSERT_FALSE(run.failure) << run.failure->message;
  ASSERT_EQ(run.trace.size(), 5u);
  for (int i : {0, 2, 3})
    EXPECT_THAT(run.trace[i],
                testing::AllOf(HasSubstr("comm.all_reduce sum"),
                               HasSubstr("f.mlir:7"), HasSubstr("8 bytes")));
  EXPECT_THAT(run.trace[1], testing::StartsWith("rank 0: comm.send"));
  EXPECT_THAT(run.trace[2], testing::StartsWith("rank 1: comm.all_reduce"));
  EXPECT_THAT(run.trace[4], testing::StartsWith("rank 2: comm.recv"));
}

/// 2xf32 -> 2xf32: rank 1 leaves before the sum.
void callLeaving(void **packed) {
  auto *results = getParameter<OneTensor *>(packed, 0);
  auto *argument = getParameter<MemRef<float, 1> *>(packed, 2);
  if (argument->aligned[0] != 2)
    return callSum(packed);
  results->status = COMM_SUCCESS;
  float *buffer = allocate<float>(packed, 2);
  std::memset(buffer, 0, 8);
  results->result = {buffer, buffer, 0, {2}, {1}};
}

TEST(Launch, ReportsTheFirstFailure) {
  LaunchOptions options;
  options.trace = true;
  Launch run =
      launch(callLeaving, makeSumSignature(), makeSumInputs(), options);
  ASSERT_TRUE(run.failure);
  EXPECT_EQ(run.failure->code, ExitCode::Runtime);
  EXPECT_THAT(run.failure->message,
              testing::AllOf(testing::ContainsRegex("^rank [02]: "),
                             HasSubstr("comm.all_reduce"),
                             HasSubstr("f.mlir:7"), HasSubstr("rank 1"),
                             HasSubstr("ended")));
  EXPECT_TRUE(run.results.empty());
  for (const std::string &line : run.trace)
    EXPECT_THAT(line, HasSubstr(", failed"));
}

/// () -> (): fails by itself on rank 2.
void callFailing(void **packed) {
  int64_t rank = getParameter<int64_t>(packed, 2);
  *getParameter<int32_t *>(packed, 0) = rank == 2 ? 77 : 0;
}

TEST(Launch, ReportsAStatusOfTheProgramsOwn) {
  FunctionSignature signature = makeSumSignature();
  signature.arguments = {makeInfo(COMM_I64, {}, true)};
  signature.results.clear();
  RankValues inputs(3);
  for (double rank : {0, 1, 2})
    inputs[rank].push_back(makeTensor(COMM_I64, {}, {rank}));
  Launch run = launch(callFailing, signature, inputs, {});
  ASSERT_TRUE(run.failure);
  EXPECT_EQ(run.failure->message, "rank 2: '@f' returned status 77");
}

TEST(Launch, RunsOneRankWithoutAMesh) {
  FunctionSignature signature = makeSumSignature();
  signature.mesh.clear();
  signature.arguments = {makeInfo(COMM_I64, {}, true)};
  signature.results.clear();
  Launch run =
      launch(callFailing, signature, {{makeTensor(COMM_I64, {}, {1})}}, {});
  EXPECT_FALSE(run.failure);
  EXPECT_EQ(run.results.size(), 1u);
}

TEST(Launch, RefusesUnknownBackends) {
  LaunchOptions options;
  options.backend = "pigeons";
  Launch run = launch(callSum, makeSumSignature(), makeSumInputs(), options);
  ASSERT_TRUE(run.failure);
  EXPECT_EQ(run.failure->code, ExitCode::Usage);
  EXPECT_THAT(run.failure->message, HasSubstr("'pigeons'"));
}

} // namespace
