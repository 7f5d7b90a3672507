//===- WorldTensor.h - A value of all ranks with derivatives ----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_ORACLE_WORLDTENSOR_H
#define COMM_TEST_ORACLE_WORLDTENSOR_H

#include "Field.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace mlir::comm::oracle {

/// What every number of one evaluation carries.
struct World {
  int64_t ranks = 1;
  /// The number of directions of the world in which first derivatives are
  /// taken.
  int64_t directions = 0;
  /// Also carry the derivative along one more direction u and, for each
  /// direction above, the second derivative along it and u.
  bool hasSecond = false;

  /// Derivatives of a number: [directions], then [u], then [directions] along
  /// both.
  int64_t getChannels() const {
    return directions + (hasSecond ? directions + 1 : 0);
  }

  /// Set where an order could not be told from the doubles.
  bool isAmbiguous = false;
  /// Set where a division gave no double, or a number is too large for `digits`
  /// binary digits.
  bool isInexact = false;
  /// Set where two nearly equal numbers were compared: rounding may decide.
  bool isDelicate = false;
  int digits = 53;
  /// The largest absolute value seen.
  double largest = 1;
};

/// One SSA value: the numbers of all ranks, which have one shape. A scalar is
/// a tensor of rank 0.
class WorldTensor {
public:
  WorldTensor() = default;
  WorldTensor(World &world, llvm::ArrayRef<int64_t> shape, bool isFloat);

  World *world = nullptr;
  llvm::SmallVector<int64_t, 4> shape;
  /// Elements on one rank.
  int64_t size = 1;
  bool isFloat = true;
  /// Floats: [rank][element].
  std::vector<field::Residue> residues;
  std::vector<double> doubles;
  /// [rank][element][channel], or empty where all are zero.
  std::vector<field::Residue> derivatives;
  /// Integers and indices: [rank][element].
  std::vector<int64_t> integers;

  int64_t getCount() const { return world->ranks * size; }
  bool hasDerivatives() const { return !derivatives.empty(); }
  void addDerivatives() {
    derivatives.resize(getCount() * world->getChannels());
  }
  field::Residue *getDerivatives(int64_t position) {
    return derivatives.data() + position * world->getChannels();
  }
  const field::Residue *getDerivatives(int64_t position) const {
    return derivatives.data() + position * world->getChannels();
  }
  void setNumber(int64_t position, double value) {
    residues[position] = field::fromDouble(value);
    doubles[position] = value;
  }
  /// Whether two positions hold the same number with the same derivatives.
  bool isSame(int64_t a, int64_t b) const;
  /// this[to] = from[at], or this[to] += from[at].
  void copy(int64_t to, const WorldTensor &from, int64_t at);
  void accumulate(int64_t to, const WorldTensor &from, int64_t at);
  /// Scales the number at a position by the rational numerator / denominator.
  void scale(int64_t position, int64_t numerator, int64_t denominator);
  /// this[position] *= from[at].
  void multiply(int64_t position, const WorldTensor &from, int64_t at);
  std::string format(int64_t rank) const;
};

/// y[i] = x[source[i]] in the world's numbering, zero where it is negative.
WorldTensor gather(const WorldTensor &x, llvm::ArrayRef<int64_t> shape,
                   const std::vector<int64_t> &source);

/// -1, 0 or 1; exact where equal. Notes in the world how safe that is.
int compare(const WorldTensor &x, int64_t i, const WorldTensor &y, int64_t j);

/// Elementwise; an operand of one element goes with all.
enum class Binary { Add, Subtract, Multiply, Divide, Maximum, Minimum };
WorldTensor apply(Binary op, const WorldTensor &x, const WorldTensor &y);
WorldTensor negate(const WorldTensor &x);
/// |x|, with slope 0 at 0.
WorldTensor absolute(const WorldTensor &x);
/// condition ? x : y, the condition an integer tensor or scalar.
WorldTensor select(const WorldTensor &condition, const WorldTensor &x,
                   const WorldTensor &y);
/// Integers.
WorldTensor applyIntegers(const WorldTensor &x, const WorldTensor &y,
                          llvm::function_ref<int64_t(int64_t, int64_t)> op);

/// The extremum of several numbers, its derivative shared evenly between ties.
struct Candidate {
  const WorldTensor *tensor;
  int64_t position;
};
void setExtremum(WorldTensor &result, int64_t position, bool isMaximum,
                 llvm::ArrayRef<Candidate> candidates);

int64_t getSize(llvm::ArrayRef<int64_t> shape);
/// The indices of a row-major position.
llvm::SmallVector<int64_t, 4> getIndices(llvm::ArrayRef<int64_t> shape,
                                         int64_t position);
int64_t getPosition(llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> indices);

} // namespace mlir::comm::oracle

#endif // COMM_TEST_ORACLE_WORLDTENSOR_H
