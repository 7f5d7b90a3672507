//===- WorldTensor.cpp - A value of all ranks with derivatives ------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorldTensor.h"

#include <algorithm>
#include <sstream>

using namespace mlir::comm::oracle;
using namespace mlir::comm::oracle::field;

int64_t mlir::comm::oracle::getSize(llvm::ArrayRef<int64_t> shape) {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  return size;
}

llvm::SmallVector<int64_t, 4>
mlir::comm::oracle::getIndices(llvm::ArrayRef<int64_t> shape,
                               int64_t position) {
  llvm::SmallVector<int64_t, 4> indices(shape.size());
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    indices[dim] = position % shape[dim];
    position /= shape[dim];
  }
  return indices;
}

int64_t mlir::comm::oracle::getPosition(llvm::ArrayRef<int64_t> shape,
                                        llvm::ArrayRef<int64_t> indices) {
  int64_t position = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    position = position * shape[dim] + indices[dim];
  return position;
}

WorldTensor::WorldTensor(World &world, llvm::ArrayRef<int64_t> shape,
                         bool isFloat)
    : world(&world), shape(shape.begin(), shape.end()),
      size(oracle::getSize(shape)), isFloat(isFloat) {
  if (isFloat) {
    residues.resize(getCount());
    doubles.resize(getCount());
  } else {
    integers.resize(getCount());
  }
}

bool WorldTensor::isSame(int64_t a, int64_t b) const {
  if (!isFloat)
    return integers[a] == integers[b];
  if (std::isnan(doubles[a]) || std::isnan(doubles[b]))
    return std::isnan(doubles[a]) && std::isnan(doubles[b]);
  if (residues[a] != residues[b] ||
      std::isinf(doubles[a]) != std::isinf(doubles[b]))
    return false;
  return !hasDerivatives() ||
         std::equal(getDerivatives(a), getDerivatives(a) + world->getChannels(),
                    getDerivatives(b));
}

void WorldTensor::copy(int64_t to, const WorldTensor &from, int64_t at) {
  if (!isFloat) {
    integers[to] = from.integers[at];
    return;
  }
  residues[to] = from.residues[at];
  doubles[to] = from.doubles[at];
  if (from.hasDerivatives()) {
    if (!hasDerivatives())
      addDerivatives();
    std::copy_n(from.getDerivatives(at), world->getChannels(),
                getDerivatives(to));
  } else if (hasDerivatives()) {
    std::fill_n(getDerivatives(to), world->getChannels(), 0);
  }
}

void WorldTensor::accumulate(int64_t to, const WorldTensor &from, int64_t at) {
  if (!isFloat) {
    integers[to] += from.integers[at];
    return;
  }
  residues[to] = add(residues[to], from.residues[at]);
  doubles[to] += from.doubles[at];
  world->largest = std::max(world->largest, std::fabs(doubles[to]));
  if (!from.hasDerivatives())
    return;
  if (!hasDerivatives())
    addDerivatives();
  Residue *y = getDerivatives(to);
  const Residue *x = from.getDerivatives(at);
  for (int64_t c = 0; c < world->getChannels(); ++c)
    y[c] = add(y[c], x[c]);
}

void WorldTensor::scale(int64_t position, int64_t numerator,
                        int64_t denominator) {
  Residue factor =
      field::multiply(fromInteger(numerator), invert(fromInteger(denominator)));
  residues[position] = field::multiply(residues[position], factor);
  doubles[position] *= static_cast<double>(numerator) / denominator;
  if (denominator != 1 && std::isfinite(doubles[position]) &&
      fromDouble(doubles[position]) != residues[position])
    world->isInexact = true;
  if (hasDerivatives())
    for (int64_t c = 0; c < world->getChannels(); ++c)
      getDerivatives(position)[c] =
          field::multiply(getDerivatives(position)[c], factor);
}

/// The derivatives of x·y: (x·y)' = x·y' + x'·y in every channel, and along
/// both directions also the products of the two first derivatives.
static void multiplyDerivatives(const World &world, Residue x,
                                const Residue *dx, Residue y, const Residue *dy,
                                Residue *result) {
  int64_t n = world.directions, channels = world.getChannels();
  std::vector<Residue> sum(channels);
  for (int64_t c = 0; c < channels; ++c) {
    if (dx)
      sum[c] = multiply(dx[c], y);
    if (dy)
      sum[c] = add(sum[c], multiply(x, dy[c]));
  }
  if (world.hasSecond && dx && dy)
    for (int64_t c = 0; c < n; ++c)
      sum[n + 1 + c] = add(sum[n + 1 + c],
                           add(multiply(dx[c], dy[n]), multiply(dx[n], dy[c])));
  std::copy(sum.begin(), sum.end(), result);
}

/// The derivatives of q = x/y, from q·y = x.
static void divideDerivatives(const World &world, Residue q, const Residue *dx,
                              Residue y, const Residue *dy, Residue *dq) {
  int64_t n = world.directions, channels = world.getChannels();
  Residue inverse = invert(y);
  for (int64_t c = 0; c < channels; ++c) {
    Residue value = dx ? dx[c] : 0;
    if (dy)
      value = subtract(value, multiply(q, dy[c]));
    if (c > n && dy)
      value = subtract(value, add(multiply(dq[c - n - 1], dy[n]),
                                  multiply(dq[n], dy[c - n - 1])));
    dq[c] = multiply(value, inverse);
  }
}

void WorldTensor::multiply(int64_t position, const WorldTensor &from,
                           int64_t at) {
  if (!isFloat) {
    integers[position] *= from.integers[at];
    return;
  }
  if (from.hasDerivatives() && !hasDerivatives())
    addDerivatives();
  if (hasDerivatives())
    multiplyDerivatives(
        *world, residues[position], getDerivatives(position), from.residues[at],
        from.hasDerivatives() ? from.getDerivatives(at) : nullptr,
        getDerivatives(position));
  residues[position] = field::multiply(residues[position], from.residues[at]);
  doubles[position] *= from.doubles[at];
}

std::string WorldTensor::format(int64_t rank) const {
  std::ostringstream text;
  text << "[";
  for (int64_t i = 0; i < size; ++i) {
    text << (i ? ", " : "");
    if (isFloat)
      text << doubles[rank * size + i];
    else
      text << integers[rank * size + i];
  }
  text << "]";
  return text.str();
}

WorldTensor mlir::comm::oracle::gather(const WorldTensor &x,
                                       llvm::ArrayRef<int64_t> shape,
                                       const std::vector<int64_t> &source) {
  WorldTensor y(*x.world, shape, x.isFloat);
  if (x.hasDerivatives())
    y.addDerivatives();
  for (size_t i = 0; i < source.size(); ++i)
    if (source[i] >= 0)
      y.copy(i, x, source[i]);
  return y;
}

int mlir::comm::oracle::compare(const WorldTensor &x, int64_t i,
                                const WorldTensor &y, int64_t j) {
  World &world = *x.world;
  double a = x.doubles[i], b = y.doubles[j];
  if (std::isinf(a) || std::isinf(b))
    return a < b ? -1 : a > b;
  double distance = std::fabs(a - b);
  double scale = std::max({1.0, std::fabs(a), std::fabs(b)});
  bool isEqual = x.residues[i] == y.residues[j];
  if (world.isInexact && distance <= 1e-4 * scale)
    world.isDelicate = true;
  if (isEqual)
    return 0;
  if (distance <= 1e-9 * scale)
    world.isAmbiguous = true;
  return a < b ? -1 : 1;
}

WorldTensor mlir::comm::oracle::apply(Binary op, const WorldTensor &x,
                                      const WorldTensor &y) {
  World &world = *x.world;
  const WorldTensor &larger = x.size == 1 ? y : x;
  WorldTensor z(world, larger.shape, true);
  if (x.hasDerivatives() || y.hasDerivatives())
    z.addDerivatives();
  for (int64_t k = 0; k < z.getCount(); ++k) {
    int64_t i = x.size == z.size ? k : k / z.size;
    int64_t j = y.size == z.size ? k : k / z.size;
    const Residue *dx = x.hasDerivatives() ? x.getDerivatives(i) : nullptr;
    const Residue *dy = y.hasDerivatives() ? y.getDerivatives(j) : nullptr;
    Residue a = x.residues[i], b = y.residues[j];
    double u = x.doubles[i], v = y.doubles[j];
    switch (op) {
    case Binary::Add:
    case Binary::Subtract: {
      bool isSum = op == Binary::Add;
      z.residues[k] = isSum ? add(a, b) : subtract(a, b);
      z.doubles[k] = isSum ? u + v : u - v;
      if (!dx && !dy)
        break;
      Residue *dz = z.getDerivatives(k);
      for (int64_t c = 0; c < world.getChannels(); ++c) {
        Residue left = dx ? dx[c] : 0, right = dy ? dy[c] : 0;
        dz[c] = isSum ? add(left, right) : subtract(left, right);
      }
      break;
    }
    case Binary::Multiply:
      z.residues[k] = multiply(a, b);
      z.doubles[k] = u * v;
      if (dx || dy)
        multiplyDerivatives(world, a, dx, b, dy, z.getDerivatives(k));
      break;
    case Binary::Divide:
      z.doubles[k] = b ? u / v : NAN;
      z.residues[k] = b ? multiply(a, invert(b)) : 0;
      if (b && std::isfinite(z.doubles[k]) &&
          fromDouble(z.doubles[k]) != z.residues[k])
        world.isInexact = true;
      if ((dx || dy) && b)
        divideDerivatives(world, z.residues[k], dx, b, dy, z.getDerivatives(k));
      break;
    case Binary::Maximum:
    case Binary::Minimum:
      if (std::isnan(u) || std::isnan(v))
        z.doubles[k] = NAN;
      else
        setExtremum(z, k, op == Binary::Maximum, {{&x, i}, {&y, j}});
      break;
    }
    if (std::isfinite(z.doubles[k]))
      world.largest = std::max(world.largest, std::fabs(z.doubles[k]));
  }
  if (world.largest > std::ldexp(1.0, world.digits))
    world.isInexact = true;
  return z;
}

void mlir::comm::oracle::setExtremum(WorldTensor &result, int64_t position,
                                     bool isMaximum,
                                     llvm::ArrayRef<Candidate> candidates) {
  Candidate best = candidates[0];
  for (const Candidate &other : candidates.drop_front()) {
    int order =
        compare(*other.tensor, other.position, *best.tensor, best.position);
    if (isMaximum ? order > 0 : order < 0)
      best = other;
  }
  int64_t ties = 0;
  WorldTensor sum(*result.world, {}, true);
  for (const Candidate &other : candidates)
    if (compare(*other.tensor, other.position, *best.tensor, best.position) ==
        0) {
      ++ties;
      sum.accumulate(0, *other.tensor, other.position);
    }
  if (sum.hasDerivatives())
    sum.scale(0, 1, ties);
  sum.residues[0] = best.tensor->residues[best.position];
  sum.doubles[0] = best.tensor->doubles[best.position];
  result.copy(position, sum, 0);
}

WorldTensor mlir::comm::oracle::negate(const WorldTensor &x) {
  return apply(Binary::Subtract, WorldTensor(*x.world, x.shape, true), x);
}

WorldTensor mlir::comm::oracle::absolute(const WorldTensor &x) {
  WorldTensor zero(*x.world, {}, true), y = x, minus = negate(x);
  for (int64_t i = 0; i < x.getCount(); ++i) {
    int order = std::isnan(x.doubles[i]) ? 1 : compare(x, i, zero, 0);
    if (order <= 0)
      y.copy(i, minus, i);
    if (order == 0 && y.hasDerivatives())
      std::fill_n(y.getDerivatives(i), x.world->getChannels(), 0);
  }
  return y;
}

WorldTensor mlir::comm::oracle::select(const WorldTensor &condition,
                                       const WorldTensor &x,
                                       const WorldTensor &y) {
  const WorldTensor *larger = &condition;
  for (const WorldTensor *operand : {&x, &y})
    if (operand->size != 1 || larger->shape.empty())
      larger = operand;
  WorldTensor z(*x.world, larger->shape, x.isFloat);
  if (x.hasDerivatives() || y.hasDerivatives())
    z.addDerivatives();
  auto at = [&](const WorldTensor &operand, int64_t k) {
    return operand.size == z.size ? k : k / z.size;
  };
  for (int64_t k = 0; k < z.getCount(); ++k) {
    const WorldTensor &taken = condition.integers[at(condition, k)] ? x : y;
    z.copy(k, taken, at(taken, k));
  }
  return z;
}

WorldTensor mlir::comm::oracle::applyIntegers(
    const WorldTensor &x, const WorldTensor &y,
    llvm::function_ref<int64_t(int64_t, int64_t)> op) {
  WorldTensor z(*x.world, x.size == 1 ? y.shape : x.shape, false);
  for (int64_t k = 0; k < z.getCount(); ++k)
    z.integers[k] = op(x.integers[x.size == z.size ? k : k / z.size],
                       y.integers[y.size == z.size ? k : k / z.size]);
  return z;
}
