//===- InnerProduct.h - Inner products and errors over ranks ----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_CHECKGRADIENT_INNERPRODUCT_H
#define COMM_TOOLS_COMMRUN_CHECKGRADIENT_INNERPRODUCT_H

#include "Report.h"

namespace mlir::comm::runner {

/// The same value on all ranks: column `position` of RankValues.
struct Column {
  const RankValues &values;
  unsigned position;

  const HostTensor &operator[](size_t rank) const {
    return values[rank][position];
  }
  size_t getNumRanks() const { return values.size(); }
};

/// An inner product and the sum of the magnitudes of its terms.
struct Product {
  double value = 0;
  double magnitude = 0;

  Product &operator+=(const Product &other);
};

/// The typed inner product <a, b>: the sum over ranks that counts each replica
/// class of a replicated value once, by its lowest rank. Equal shapes.
Product multiply(const Mesh &mesh, const ValueInfo &info, Column a, Column b);

/// The lowest ranks of all replica classes, ascending.
std::vector<int64_t> getReplicaClasses(const Mesh &mesh, const ValueInfo &info);

/// The largest magnitude on all ranks; 0 where there are no elements, NaN where
/// one is.
double getLargest(Column values);

/// Compares element by element: the error is the largest difference, relative
/// to the largest magnitude of what is expected on any rank. Where shapes
/// differ the error is infinite; of integers, where any differ.
Finding compare(Column got, Column expected, double allowed);

/// Compares each rank with the lowest of its replica class, bit for bit.
Finding compareReplicas(const Mesh &mesh, const ValueInfo &info, Column values);

/// Says so where one number is the other times the number of ranks in a group,
/// the fault that is made most often: "the gradient is too large by a factor of
/// 4, the number of ranks over tp", `what` being "gradient". Else empty.
std::string describeFactor(const Mesh &mesh, const std::string &what,
                           double got, double expected);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_CHECKGRADIENT_INNERPRODUCT_H
