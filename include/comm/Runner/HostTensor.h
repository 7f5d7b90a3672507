//===- HostTensor.h - A value of one rank -----------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_HOSTTENSOR_H
#define COMM_RUNNER_HOSTTENSOR_H

#include "comm/Runner/Elements.h"

#include <cstdlib>
#include <memory>
#include <vector>

namespace mlir::comm::runner {

/// Sizes of a tensor, outermost first.
using Shape = std::vector<int64_t>;

/// The size that is not known before the program runs.
constexpr int64_t kDynamic = -1;

/// The number of elements, or none where it or the byte size at 8 bytes each
/// does not fit an int64_t. No size may be dynamic.
std::optional<int64_t> getElementCount(const Shape &shape);
/// As MLIR writes it, such as "4x?xf32", or "f32" for rank 0.
std::string formatType(CommDataType type, const Shape &shape);
/// As a person writes it, such as "[1, 2]".
std::string formatIndex(const Shape &index);
/// The indices of the element at the row-major position `position`.
Shape getIndex(const Shape &shape, int64_t position);

/// One rank's value of a tensor or of a scalar (rank 0): a contiguous,
/// row-major buffer that it owns, aligned to 64 bytes. Copies are deep.
class HostTensor {
public:
  /// A scalar 0.0 of type f32.
  HostTensor() : HostTensor(COMM_F32, {}) {}
  /// Zeros. `shape` must have an element count. Throws std::bad_alloc where
  /// memory is short.
  HostTensor(CommDataType type, Shape shape);
  HostTensor(const HostTensor &other);
  HostTensor(HostTensor &&other) = default;
  HostTensor &operator=(HostTensor other);

  CommDataType getType() const { return type; }
  const Shape &getShape() const { return shape; }
  int64_t getElementCount() const { return count; }
  int64_t getByteCount() const { return count * getByteSize(type); }
  /// "4x2xf32".
  std::string formatType() const { return runner::formatType(type, shape); }

  /// Never null, also where there are no elements.
  void *getData() { return data.get(); }
  const void *getData() const { return data.get(); }

  /// Elements are numbered in row-major order; loads and stores convert as
  /// those of Elements.h do.
  const void *getElement(int64_t position) const {
    return data.get() + position * getByteSize(type);
  }
  void *getElement(int64_t position) {
    return data.get() + position * getByteSize(type);
  }
  double getDouble(int64_t position) const {
    return loadDouble(type, getElement(position));
  }
  int64_t getInt64(int64_t position) const {
    return loadInt64(type, getElement(position));
  }
  void setDouble(int64_t position, double value) {
    storeDouble(type, getElement(position), value);
  }
  void setInt64(int64_t position, int64_t value) {
    storeInt64(type, getElement(position), value);
  }

  /// Equal types, shapes and bits: a NaN equals itself, 0 is not -0.
  bool isIdenticalTo(const HostTensor &other) const;

private:
  struct Free {
    void operator()(char *pointer) const { std::free(pointer); }
  };

  CommDataType type;
  Shape shape;
  int64_t count;
  std::unique_ptr<char, Free> data;
};

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_HOSTTENSOR_H
