//===- ByHand.h - The steps of steps.mlir, written by hand ------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_GPU_BYHAND_H
#define COMM_TEST_GPU_BYHAND_H

#include <memory>

/// What a careful engineer writes against CUDA, cuBLASLt and NCCL: a stream to
/// compute on, one to communicate on, events between them, buffers that are
/// taken once. On device 0, with a communicator of one rank. A call that fails
/// ends the process with its name.
class ByHand {
public:
  ByHand();
  ~ByHand();

  void product();
  void elementwise();
  void step();
  void small();
  /// Copies 256 MiB from one buffer to another.
  void copy();
  void synchronize();

private:
  struct State;
  std::unique_ptr<State> state;
};

#endif // COMM_TEST_GPU_BYHAND_H
