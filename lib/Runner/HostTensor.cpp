//===- HostTensor.cpp - A value of one rank -------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/HostTensor.h"

#include <cstring>
#include <new>

using namespace mlir::comm::runner;

std::optional<int64_t> mlir::comm::runner::getElementCount(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (size == 0)
      return 0;
  for (int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(count, size, &count))
      return std::nullopt;
  if (count > INT64_MAX / 8)
    return std::nullopt;
  return count;
}

std::string mlir::comm::runner::formatType(CommDataType type,
                                           const Shape &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (size == kDynamic ? "?" : std::to_string(size)) + "x";
  return text + getName(type);
}

std::string mlir::comm::runner::formatIndex(const Shape &index) {
  std::string text = "[";
  for (size_t i = 0; i < index.size(); ++i)
    text += (i ? ", " : "") + std::to_string(index[i]);
  return text + "]";
}

Shape mlir::comm::runner::getIndex(const Shape &shape, int64_t position) {
  Shape index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    index[i] = position % shape[i];
    position /= shape[i];
  }
  return index;
}

HostTensor::HostTensor(CommDataType type, Shape shape)
    : type(type), shape(std::move(shape)),
      count(*runner::getElementCount(this->shape)) {
  // A multiple of the alignment, and never nothing.
  size_t bytes = (static_cast<size_t>(getByteCount()) / 64 + 1) * 64;
  data.reset(static_cast<char *>(std::aligned_alloc(64, bytes)));
  if (!data)
    throw std::bad_alloc();
  std::memset(data.get(), 0, bytes);
}

HostTensor::HostTensor(const HostTensor &other)
    : HostTensor(other.type, other.shape) {
  std::memcpy(getData(), other.getData(), getByteCount());
}

HostTensor &HostTensor::operator=(HostTensor other) {
  type = other.type;
  shape = std::move(other.shape);
  count = other.count;
  data = std::move(other.data);
  return *this;
}

bool HostTensor::isIdenticalTo(const HostTensor &other) const {
  return type == other.type && shape == other.shape &&
         std::memcmp(getData(), other.getData(), getByteCount()) == 0;
}
