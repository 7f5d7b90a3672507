//===- Invoke.h - The calling convention of lowered functions --*- C++ -*--===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lowered function @f is called through MLIR's C interface,
//
//   void _mlir_ciface_f(Results *, CommContext *, arguments...)
//
// where Results is { int32_t status; results... }. A tensor is a memref
// descriptor, an argument by pointer and a result by value; a scalar is itself,
// an `index` an int64_t, an i1 one byte. The caller owns the results' buffers
// and gives them back by commRelease.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_INVOKE_H
#define COMM_RUNNER_INVOKE_H

#include "comm/Runner/Signature.h"

#include <memory>

namespace mlir::comm::runner {

/// The packed form of `_mlir_ciface_f`: takes a pointer to each parameter.
using PackedFunction = void (*)(void **);

/// What one rank's call gave.
struct Invocation {
  /// COMM_SUCCESS, or what the function failed with: then there are no results,
  /// and whatever the function says of their buffers is not looked at.
  int32_t status;
  std::vector<HostTensor> results;
};

/// Calls of a function on one rank with the same arguments, which must be of
/// the types that the signature tells.
class Invoker {
public:
  Invoker(PackedFunction function, const FunctionSignature &signature,
          CommContext *context, std::vector<HostTensor> arguments);
  Invoker(const Invoker &) = delete;
  Invoker &operator=(const Invoker &) = delete;
  /// Frees the results of the last call.
  ~Invoker();

  /// Calls the function once and returns its status; or does again what it did,
  /// where the context has recorded that (Context::runStep). The results of an
  /// earlier call are freed, or written again. Nothing else is done here: the
  /// time that this takes is the function's own.
  int32_t call();
  /// Frees the results, as the next call does; for whoever measures it. A step
  /// that is recorded keeps them.
  void prepareCall();
  /// Copies of the last call's results, which must have succeeded.
  std::vector<HostTensor> readResults() const;
  /// Frees the last call's results, also after a failure: only what is in the
  /// buffers is not to be trusted then. Forgets what was recorded.
  void releaseResults();

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Calls the function once.
Invocation invoke(PackedFunction function, const FunctionSignature &signature,
                  CommContext *context, std::vector<HostTensor> arguments);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_INVOKE_H
