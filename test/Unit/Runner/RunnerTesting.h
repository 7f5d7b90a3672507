//===- RunnerTesting.h - What the runner's tests share ---------*- C++ -*--===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_UNIT_RUNNER_RUNNERTESTING_H
#define COMM_TEST_UNIT_RUNNER_RUNNERTESTING_H

#include "comm/Runner/Inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace mlir::comm::runner {

/// A tensor with the given elements, converted to `type`.
inline HostTensor makeTensor(CommDataType type, Shape shape,
                             const std::vector<double> &elements) {
  HostTensor tensor(type, std::move(shape));
  for (size_t i = 0; i < elements.size(); ++i)
    tensor.setDouble(i, elements[i]);
  return tensor;
}

/// All elements as numbers.
inline std::vector<double> getElements(const HostTensor &tensor) {
  std::vector<double> elements;
  for (int64_t i = 0; i < tensor.getElementCount(); ++i)
    elements.push_back(tensor.getDouble(i));
  return elements;
}

/// The flags, each parsed; a flag that is wrong fails the test.
inline std::vector<ValueSpec>
parseSpecs(const std::string &flag, const std::vector<std::string> &texts) {
  std::vector<ValueSpec> specs;
  for (const std::string &text : texts) {
    Result<ValueSpec> spec = parseValueSpec(flag, text);
    if (spec)
      specs.push_back(*spec);
    else
      ADD_FAILURE() << spec.getFailure().message;
  }
  return specs;
}

/// @f on the mesh [dp = 2, tp = 3] with %x: 2x2xf32, %w: 3xf32 replicated over
/// dp, %n: i32, %d: ?x2xf16 and the unnamed results 2xf32 replicated over tp,
/// and the gradient of w.
inline FunctionSignature makeSignature() {
  FunctionSignature signature;
  signature.name = "f";
  signature.mesh = {{"dp", 2}, {"tp", 3}};
  signature.arguments.resize(4);
  signature.arguments[0] = {"x", COMM_F32, {2, 2}, false, {}, {}};
  signature.arguments[1] = {"w", COMM_F32, {3}, false, {0}, {}};
  signature.arguments[2] = {"n", COMM_I32, {}, true, {}, {}};
  signature.arguments[3] = {"d", COMM_F16, {kDynamic, 2}, false, {}, {}};
  signature.results.resize(2);
  signature.results[0] = {"", COMM_F32, {2}, false, {1}, {}};
  signature.results[1] = {"", COMM_F32, {3}, false, {0}, 1u};
  return signature;
}

/// @f on three ranks with the results y: 2xf32, an unnamed i32 and the gradient
/// of x: f32.
inline FunctionSignature makePrinted() {
  FunctionSignature signature;
  signature.name = "f";
  signature.mesh = {{"tp", 3}};
  signature.arguments.resize(1);
  signature.arguments[0].name = "x";
  signature.results.resize(3);
  signature.results[0] = {"y", COMM_F32, {2}, false, {}, {}};
  signature.results[1] = {"", COMM_I32, {}, true, {}, {}};
  signature.results[2] = {"", COMM_F32, {}, false, {}, 0u};
  return signature;
}

/// What it gives.
inline RankValues makeResults() {
  RankValues results(3);
  for (double rank : {0, 1, 2}) {
    results[rank].push_back(
        makeTensor(COMM_F32, {2}, {rank == 1 ? 0.5 : 4, NAN}));
    results[rank].push_back(makeTensor(COMM_I32, {}, {rank}));
    results[rank].push_back(makeTensor(COMM_F32, {}, {7}));
  }
  return results;
}

} // namespace mlir::comm::runner

#endif // COMM_TEST_UNIT_RUNNER_RUNNERTESTING_H
