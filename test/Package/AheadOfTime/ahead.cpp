//===- ahead.cpp - A program around a layer that was compiled before ------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runtime/Communicator.h"
#include "layer.h"

#include <iostream>

using namespace mlir::comm::runtime;

int main() {
  layer_results forward[4];
  layer_vjp_results backward[4];
  std::string error;
  std::unique_ptr<World> world =
      World::create(LAYER_MESH, LAYER_BACKEND, Options(), error);
  if (!world) {
    std::cerr << error << "\n";
    return 1;
  }
  // On a thread for each rank: x is one value, every rank has its own w.
  std::optional<Failure> failure = world->launch([&](Context &context) {
    int64_t rank = context.getRank();
    float number = rank;
    float x[] = {1, 2, 3, 4}, w[] = {number, number, number, number};
    float seed[] = {1, 1, 1, 1};
    CommTensor_f32_1 xs = comm_tensor_f32_1(x, 4), ws = comm_tensor_f32_1(w, 4);
    CommTensor_f32_1 seeds = comm_tensor_f32_1(seed, 4);
    _mlir_ciface_layer(&forward[rank], &context, &xs, &ws);
    _mlir_ciface_layer_vjp(&backward[rank], &context, &xs, &ws, &seeds);
  });
  if (failure) {
    // The first failure of the run.
    std::cerr << failure->message << "\n";
    return 1;
  }
  for (int rank = 0; rank < 4; ++rank) {
    // Their memory is the ranks' and goes with the world.
    for (CommTensor_f32_1 tensor :
         {forward[rank].y, backward[rank].grad_x, backward[rank].grad_w})
      for (int i = 0; i < 4; ++i)
        std::cout << tensor.aligned[tensor.offset + i] << " ";
    std::cout << "\n";
  }
}
