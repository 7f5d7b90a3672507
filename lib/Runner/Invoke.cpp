//===- Invoke.cpp - The calling convention of lowered functions -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Invoke.h"

#include "comm/Runtime/Communicator.h"

#include <algorithm>
#include <cstring>

using namespace mlir::comm;
using namespace mlir::comm::runner;

/// Copies from a buffer of the program, which may be a device's.
static void readBuffer(runtime::Context &context, const void *from, void *to,
                       int64_t bytes, const CommSite &site) {
  if (context.usesHostMemory())
    std::memcpy(to, from, bytes);
  else
    // A failure is the run's, which then has no results.
    (void)context.read(from, to, bytes, &site);
}

namespace {

/// What an error of CUDA is about: "argument 1 'x'" of "@f".
class ValueSite {
public:
  ValueSite(const char *kind, size_t number, const std::string &name,
            const FunctionSignature &signature)
      : text(std::string(kind) + " " + std::to_string(number) +
             (name.empty() ? "" : " '" + name + "'") + " of '@" +
             signature.name + "'"),
        site{text.c_str(), /*file=*/nullptr, 0, 0, ""} {}
  ValueSite(const ValueSite &) = delete;
  ValueSite &operator=(const ValueSite &) = delete;

  const CommSite &get() const { return site; }

private:
  std::string text;
  CommSite site;
};

/// A memref descriptor of any rank, word by word: allocated pointer, aligned
/// pointer, offset in elements, sizes, strides in elements.
class Descriptor {
public:
  static size_t getWordCount(size_t rank) { return 3 + 2 * rank; }

  /// Of a buffer that holds `tensor`.
  static std::vector<int64_t> create(const HostTensor &tensor, void *buffer) {
    size_t rank = tensor.getShape().size();
    std::vector<int64_t> words(getWordCount(rank));
    words[0] = words[1] = reinterpret_cast<intptr_t>(buffer);
    int64_t stride = 1;
    for (size_t i = rank; i-- > 0; stride *= tensor.getShape()[i]) {
      words[3 + i] = tensor.getShape()[i];
      words[3 + rank + i] = stride;
    }
    return words;
  }

  Descriptor(const char *words, size_t rank)
      : words(getWordCount(rank)), rank(rank) {
    std::memcpy(this->words.data(), words, this->words.size() * 8);
  }

  void *getAllocated() const { return reinterpret_cast<void *>(words[0]); }

  /// The elements, packed.
  HostTensor read(runtime::Context &context, CommDataType type,
                  const CommSite &site) const {
    Shape shape(words.begin() + 3, words.begin() + 3 + rank);
    HostTensor tensor(type, shape);
    int64_t bytes = getByteSize(type);
    auto *data = reinterpret_cast<const char *>(words[1]) + words[2] * bytes;
    if (tensor.getElementCount() == 0)
      return tensor;
    if (isPacked()) {
      readBuffer(context, data, tensor.getData(), tensor.getByteCount(), site);
      return tensor;
    }
    for (int64_t i = 0; i < tensor.getElementCount(); ++i) {
      Shape index = getIndex(shape, i);
      int64_t at = 0;
      for (size_t dim = 0; dim < rank; ++dim)
        at += index[dim] * words[3 + rank + dim];
      readBuffer(context, data + at * bytes, tensor.getElement(i), bytes, site);
    }
    return tensor;
  }

private:
  bool isPacked() const {
    int64_t stride = 1;
    for (size_t i = rank; i-- > 0; stride *= words[3 + i])
      if (words[3 + i] != 1 && words[3 + rank + i] != stride)
        return false;
    return true;
  }

  std::vector<int64_t> words;
  size_t rank;
};

/// The struct that a function fills: the status and each result at
/// the offset that its alignment gives it.
class ResultStruct {
public:
  explicit ResultStruct(const FunctionSignature &signature)
      : signature(signature) {
    size_t end = sizeof(int32_t);
    for (const ValueInfo &result : signature.results) {
      size_t alignment = result.isScalar ? getByteSize(result.type) : 8;
      size_t size = result.isScalar
                        ? alignment
                        : 8 * Descriptor::getWordCount(result.shape.size());
      offsets.push_back((end + alignment - 1) / alignment * alignment);
      end = offsets.back() + size;
    }
    // Words, for the alignment.
    storage.resize((end + 7) / 8);
  }

  void *getData() { return storage.data(); }
  int32_t getStatus() const {
    return *reinterpret_cast<const int32_t *>(storage.data());
  }

  /// Copies the results.
  std::vector<HostTensor> read(runtime::Context &context) const {
    std::vector<HostTensor> results;
    for (size_t i = 0; i < offsets.size(); ++i) {
      const ValueInfo &info = signature.results[i];
      if (info.isScalar) {
        HostTensor &scalar = results.emplace_back(info.type, Shape());
        std::memcpy(scalar.getData(), getField(i), getByteSize(info.type));
      } else {
        ValueSite site("result", i, info.name, signature);
        results.push_back(Descriptor(getField(i), info.shape.size())
                              .read(context, info.type, site.get()));
      }
    }
    return results;
  }

  /// Gives the results' buffers back to the rank's arena.
  void release(runtime::Context &context) {
    for (size_t i = 0; i < offsets.size(); ++i) {
      const ValueInfo &info = signature.results[i];
      if (info.isScalar)
        continue;
      context.release(
          Descriptor(getField(i), info.shape.size()).getAllocated());
    }
    // Nothing of this call is taken for the next one's.
    std::fill(storage.begin(), storage.end(), 0);
  }

private:
  const char *getField(size_t result) const {
    return reinterpret_cast<const char *>(storage.data()) + offsets[result];
  }

  const FunctionSignature &signature;
  std::vector<size_t> offsets;
  std::vector<int64_t> storage;
};

} // namespace

/// What a call points to, which stays where it is.
struct Invoker::State {
  State(PackedFunction function, const FunctionSignature &signature,
        CommContext *handle, std::vector<HostTensor> given)
      : function(function), handle(handle), arguments(std::move(given)),
        results(signature), resultPointer(results.getData()),
        descriptors(arguments.size()), descriptorPointers(arguments.size()) {
    packed = {&resultPointer, &this->handle};
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (signature.arguments[i].isScalar) {
        packed.push_back(arguments[i].getData());
        continue;
      }
      ValueSite site("argument", i, signature.arguments[i].name, signature);
      descriptors[i] =
          Descriptor::create(arguments[i], place(arguments[i], site.get()));
      descriptorPointers[i] = descriptors[i].data();
      packed.push_back(&descriptorPointers[i]);
    }
    key = makeKey(signature);
  }
  ~State() {
    for (void *buffer : buffers)
      context.release(buffer);
  }

  /// What the program is given, see Context::runStep.
  std::string makeKey(const FunctionSignature &signature) const {
    std::string text(reinterpret_cast<const char *>(&function),
                     sizeof function);
    for (size_t i = 0; i < arguments.size(); ++i)
      if (signature.arguments[i].isScalar)
        text.append(static_cast<const char *>(arguments[i].getData()),
                    arguments[i].getByteCount());
      else
        text.append(reinterpret_cast<const char *>(descriptors[i].data()),
                    8 * descriptors[i].size());
    return text;
  }

  void release() {
    if (holdsResults)
      results.release(context);
    holdsResults = false;
  }

  /// Where the program finds a tensor: as it is, or a copy on its device.
  void *place(HostTensor &tensor, const CommSite &site) {
    if (context.usesHostMemory())
      return tensor.getData();
    buffers.push_back(context.allocate(tensor.getByteCount()));
    (void)context.write(tensor.getData(), buffers.back(), tensor.getByteCount(),
                        &site);
    return buffers.back();
  }

  PackedFunction function;
  CommContext *handle;
  runtime::Context &context = *static_cast<runtime::Context *>(handle);
  std::vector<HostTensor> arguments;
  /// Copies of the arguments on the device.
  std::vector<void *> buffers;
  ResultStruct results;
  void *resultPointer;
  std::vector<std::vector<int64_t>> descriptors;
  std::vector<void *> descriptorPointers;
  std::vector<void *> packed;
  std::string key;
  bool holdsResults = false;
};

Invoker::Invoker(PackedFunction function, const FunctionSignature &signature,
                 CommContext *context, std::vector<HostTensor> arguments)
    : state(std::make_unique<State>(function, signature, context,
                                    std::move(arguments))) {}

Invoker::~Invoker() { releaseResults(); }

int32_t Invoker::call() {
  return state->context.runStep(state->key, [this]() -> runtime::Status {
    // It may be called twice, where a recording has failed.
    state->release();
    state->function(state->packed.data());
    state->holdsResults = true;
    return static_cast<runtime::Status>(state->results.getStatus());
  });
}

void Invoker::prepareCall() {
  if (!state->context.hasRecordedStep())
    state->release();
}

std::vector<HostTensor> Invoker::readResults() const {
  return state->results.read(state->context);
}

void Invoker::releaseResults() {
  // Nothing writes to them again.
  state->context.forgetStep();
  state->release();
}

Invocation mlir::comm::runner::invoke(PackedFunction function,
                                      const FunctionSignature &signature,
                                      CommContext *context,
                                      std::vector<HostTensor> arguments) {
  Invoker invoker(function, signature, context, std::move(arguments));
  Invocation invocation{invoker.call(), {}};
  if (invocation.status == COMM_SUCCESS)
    invocation.results = invoker.readResults();
  return invocation;
}
