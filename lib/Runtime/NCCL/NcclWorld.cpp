//===- NcclWorld.cpp - Ranks that communicate through NCCL ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NcclWorld.h"

#include "NcclCommunicator.h"
#include "RegisteredMemory.h"
#include "Store/Roster.h"
#include "Store/TcpStore.h"
#include "Watchdog.h"
#include "comm/Runtime/Backend.h"

#include <cstdlib>

using namespace mlir::comm::runtime;

std::string mlir::comm::runtime::encode(const Failure &failure) {
  return std::to_string(failure.rank) + " " + std::to_string(failure.status) +
         " " + failure.message;
}

Failure mlir::comm::runtime::decodeFailure(const std::string &text) {
  Failure failure{0, COMM_ABORTED, ""};
  int status = COMM_ABORTED, read = 0;
  long long rank = 0;
  if (std::sscanf(text.c_str(), "%lld %d %n", &rank, &status, &read) >= 2)
    failure = {rank, static_cast<Status>(status), text.substr(read)};
  return failure;
}

NcclContext::NcclContext(NcclWorld &world, int64_t rank,
                         std::shared_ptr<CudaStreams> streams,
                         std::shared_ptr<NcclHandles> handles)
    : CudaContext(world, rank, streams,
                  wantsRegisteredMemory()
                      ? createRegisteredSource(streams, handles)
                      : nullptr),
      streams(std::move(streams)), handles(std::move(handles)) {}

NcclWorld &NcclContext::getNcclWorld() const {
  return static_cast<NcclWorld &>(getWorld());
}

Status NcclContext::beginCollective(std::vector<Step> steps,
                                    const CommSite *site) {
  bool waits = streams->mustCommunicationWait();
  if (Status status = beginCommunication(site))
    return status;
  return check(progress.begin(std::move(steps), waits, streams->isCapturing(),
                              getCommunicationStream()),
               site);
}

Status NcclContext::endCollective(const CommSite *site) {
  endCommunication();
  return check(progress.end(streams->isCapturing(), getCommunicationStream()),
               site);
}

Status NcclContext::settle(const std::vector<Step> &steps, const char *call,
                           ncclResult_t result, ncclComm_t comm) {
  if (result == ncclSuccess)
    return COMM_SUCCESS;
  // Perhaps only because another rank has failed.
  if (Status status = getStatus())
    return status;
  if (result != ncclInProgress)
    return fail(COMM_INVALID, describeInFull(steps) + ": " + call + ": " +
                                  runtime::describe(result, comm));
  Failure failure =
      getNcclWorld().getWatchdog().explainTimeout(getRank(), steps);
  Status status = getStatus();
  return status ? status : fail(failure.status, failure.message);
}

Status NcclContext::runStep(const std::string &key,
                            const std::function<Status()> &step) {
  if (!hasRecordedStep())
    progress.forgetRecorded();
  if (Status status = CudaContext::runStep(key, step))
    return status;
  if (!hasRecordedStep())
    return COMM_SUCCESS;
  return check(progress.addRecorded(getComputeStream()), nullptr);
}

std::unique_ptr<Communicator> NcclContext::createCommunicator(Group group) {
  return std::make_unique<NcclCommunicator>(*this, std::move(group));
}

NcclWorld::NcclWorld(Mesh mesh, Options options)
    : World(std::move(mesh), std::move(options)) {}

std::vector<int64_t> NcclWorld::getLocalRanks() const {
  std::vector<int64_t> ranks;
  for (auto &[rank, context] : contexts)
    ranks.push_back(rank);
  return ranks;
}

std::vector<NcclHandles *> NcclWorld::getHandles() const {
  std::vector<NcclHandles *> handles;
  for (auto &[rank, context] : contexts)
    handles.push_back(&context->getHandles());
  return handles;
}

Patience NcclWorld::getPatience() const {
  return {getOptions().timeout, [this] {
            return hasFailed() || store->get(failureKey) ||
                   store->get(lostKey) || !store->getTrouble().empty();
          }};
}

/// `dp = 2, tp = 4`.
static std::string describeMesh(const Mesh &mesh) {
  std::string text;
  for (const MeshAxis &axis : mesh)
    text += (text.empty() ? "" : ", ") + axis.name + " = " +
            std::to_string(axis.size);
  return text;
}

/// Meets the other processes, if there are any.
std::string NcclWorld::join(std::optional<Process> process) {
  if (!process) {
    store = std::make_unique<LocalStore>();
    return "";
  }
  if (process->numRanks == 0)
    process->numRanks = getNumRanks();
  if (process->numRanks != getNumRanks())
    return "the mesh has " + std::to_string(getNumRanks()) + " ranks (" +
           describeMesh(getMesh()) + "), and " + process->launcher +
           " started " + std::to_string(process->numRanks) +
           " processes, which are one rank each; COMM_LAUNCHER=none makes all "
           "ranks threads of one process";
  std::string error;
  store = TcpStore::join(*process, getDeadline(getOptions().timeout), error);
  if (store) {
    store->follow(failureKey);
    store->follow(lostKey);
  }
  return error;
}

/// Opens the devices of the ranks from `first` to before `last`.
std::string NcclWorld::openRanks(int64_t first, int64_t last, int firstDevice) {
  for (int64_t rank = first; rank < last; ++rank) {
    std::string error;
    int device = firstDevice + static_cast<int>(rank - first);
    std::shared_ptr<CudaStreams> streams =
        CudaStreams::create(device, rank, error);
    if (!streams)
      return error;
    contexts[rank] = std::make_unique<NcclContext>(
        *this, rank, streams, std::make_shared<NcclHandles>(rank, device));
  }
  return "";
}

/// The device of one process of several. Where each sees only its own, that is
/// number 0 in all of them.
static int chooseDevice(const Process &process, int numDevices) {
  int64_t number = process.localRank < 0 ? process.rank : process.localRank;
  return static_cast<int>(number % numDevices);
}

/// Who tells devices of a host apart does it as NCCL does.
static Member describeRank(const NcclContext &context, const Mesh &mesh) {
  Member member = getHost();
  if (const char *host = std::getenv("NCCL_HOSTID"))
    member.hostId = host;
  char id[32] = "";
  if (cudaDeviceGetPCIBusId(id, sizeof id, context.getDevice()) != cudaSuccess)
    (void)cudaGetLastError();
  member.device = context.getDevice();
  member.deviceId = id;
  int version = 0;
  (void)ncclGetVersion(&version);
  member.program = "the mesh [" + describeMesh(mesh) + "] and NCCL " +
                   std::to_string(version);
  return member;
}

/// The communicators of all ranks that live here.
std::string NcclWorld::start() {
  std::string id, error;
  if (static_cast<int64_t>(contexts.size()) == getNumRanks() &&
      getNumRanks() > 1) {
    id = makeUniqueId(error);
  } else {
    NcclContext &context = *contexts.begin()->second;
    std::optional<std::string> start =
        meet(*store, context.getRank(), getNumRanks(),
             describeRank(context, getMesh()), getOptions().timeout,
             makeUniqueId, error);
    id = start.value_or("");
  }
  if (!error.empty())
    return error;
  return openHandles(getHandles(), getMesh(), id, getPatience());
}

std::unique_ptr<NcclWorld> NcclWorld::create(Mesh mesh, Options options,
                                             std::string &error) {
  std::unique_ptr<NcclWorld> world(
      new NcclWorld(std::move(mesh), std::move(options)));
  std::optional<Process> process = readLauncher(
      [](const char *name) -> const char * { return std::getenv(name); },
      error);
  if (!error.empty())
    return nullptr;
  int numDevices = 0;
  if (cudaError_t failure = cudaGetDeviceCount(&numDevices)) {
    error = std::string("no CUDA device: cudaGetDeviceCount: ") +
            cudaGetErrorString(failure);
    return nullptr;
  }
  int64_t numRanks = world->getNumRanks();
  if (!process && numRanks > numDevices) {
    error = "the " + std::to_string(numRanks) +
            " ranks of the mesh are threads of one process, which has " +
            std::to_string(numDevices) +
            " GPUs: NCCL takes one rank for each; --backend=cuda-local runs "
            "many on one, and torchrun, mpirun or srun on several hosts";
    return nullptr;
  }
  error = world->join(process);
  if (!error.empty())
    return nullptr;
  error = process ? world->openRanks(process->rank, process->rank + 1,
                                     chooseDevice(*process, numDevices))
                  : world->openRanks(0, numRanks, 0);
  if (error.empty())
    error = world->start();
  if (!error.empty()) {
    // What stopped this one, or what stops the others, which wait for it.
    int64_t rank = process ? process->rank : 0;
    if (std::optional<std::string> text = world->store->get(failureKey)) {
      Failure failure = decodeFailure(*text);
      // What all have been told alike, one may have repeated.
      if (failure.message != error)
        error = "stopped because rank " + std::to_string(failure.rank) +
                " failed: " + failure.message;
    } else if (std::optional<std::string> lost = world->store->get(lostKey)) {
      error = "the process of rank " + *lost + " has ended before the start";
    } else {
      world->store->setFirst(failureKey, encode({rank, COMM_INVALID, error}));
    }
    return nullptr;
  }
  world->watchdog = std::make_unique<Watchdog>(*world);
  world->watchdog->start();
  return world;
}

NcclWorld::~NcclWorld() {
  // NCCL keeps communicators alive for the graphs that they are in, and would
  // wait for their end.
  for (auto &[rank, context] : contexts)
    context->forgetStep();
  // It stays: its thread may just be telling the world of a failure.
  if (watchdog)
    watchdog->stop();
  if (!hasFailed())
    NcclHandles::close(getHandles(), getDeadline(getOptions().timeout));
  // What is left is aborted: the streams end then.
  for (auto &[rank, context] : contexts)
    context->getHandles().abort();
  contexts.clear();
  if (store)
    store->leave();
}

void NcclWorld::onFailure() {
  store->setFirst(failureKey, encode(*getFailure()));
  if (watchdog)
    watchdog->wake();
}

void NcclWorld::onEnd(int64_t) {
  if (watchdog)
    watchdog->wake();
}

const int32_t commBackendAbiVersion = COMM_RUNTIME_ABI_VERSION;

World *commCreateWorld(Mesh mesh, Options options, std::string &error) {
  return NcclWorld::create(std::move(mesh), std::move(options), error)
      .release();
}
