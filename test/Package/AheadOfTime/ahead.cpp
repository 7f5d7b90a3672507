//===- ahead.cpp - A program around a layer that was compiled before ------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runtime/Communicator.h"

#include <cstdlib>
#include <iostream>

using namespace mlir::comm::runtime;

/// MLIR's descriptor of a memref of rank 1.
struct Vector {
  float *allocated, *aligned;
  int64_t offset, size, stride;
};

struct Results {
  int32_t status;
  Vector y, dx, dw;
};

extern "C" void _mlir_ciface_layer_vjp(Results *results, CommContext *context,
                                       Vector *x, Vector *w, Vector *dy);

static Vector wrap(float (&values)[4]) { return {values, values, 0, 4, 1}; }

int main() {
  Results results[4];
  std::string error;
  std::unique_ptr<World> world =
      World::create({{"tp", 4}}, "threads", Options(), error);
  std::optional<Failure> failure = world->launch([&](Context &context) {
    // The rank's own.
    float number = context.getRank();
    float x[] = {1, 2, 3, 4}, dy[] = {1, 1, 1, 1};
    float w[] = {number, number, number, number};
    Vector xs = wrap(x), ws = wrap(w), dys = wrap(dy);
    _mlir_ciface_layer_vjp(&results[context.getRank()], &context, &xs, &ws,
                           &dys);
  });
  if (failure) {
    // The first failure of the run.
    std::cerr << failure->message << "\n";
    return 1;
  }
  for (Results &result : results) {
    // Their memory is the ranks' and goes with the world.
    for (Vector vector : {result.y, result.dx, result.dw})
      for (int i = 0; i < 4; ++i)
        std::cout << vector.aligned[vector.offset + i] << " ";
    std::cout << "\n";
  }
}
