//===- Model.h - A plain model of collectives -------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_UNIT_RUNTIME_MODEL_H
#define COMM_TEST_UNIT_RUNTIME_MODEL_H

#include "Spawn.h"
#include "comm/Runtime/ElementTypes.h"

#include <cstring>

namespace mlir::comm::runtime {

/// Values of all element types. Tests keep to small integers, which every type
/// holds exactly.
using Values = std::vector<double>;

inline const std::vector<CommDataType> &allTypes() {
  static const std::vector<CommDataType> types = {
      COMM_F16, COMM_BF16, COMM_F32, COMM_F64, COMM_I1,
      COMM_I8,  COMM_I16,  COMM_I32, COMM_I64};
  return types;
}

template <typename T>
void store(std::vector<char> &bytes, size_t i, T value) {
  std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
}

template <typename T>
T load(const std::vector<char> &bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

inline std::vector<char> encode(CommDataType type, const Values &values) {
  std::vector<char> bytes(values.size() * getByteSize(type));
  for (size_t i = 0; i < values.size(); ++i) {
    switch (type) {
    case COMM_F16:
      store(bytes, i, toHalf(static_cast<float>(values[i])));
      break;
    case COMM_BF16:
      store(bytes, i, toBFloat(static_cast<float>(values[i])));
      break;
    case COMM_F32:
      store(bytes, i, static_cast<float>(values[i]));
      break;
    case COMM_F64:
      store(bytes, i, values[i]);
      break;
    case COMM_I1:
    case COMM_I8:
      store(bytes, i, static_cast<int8_t>(values[i]));
      break;
    case COMM_I16:
      store(bytes, i, static_cast<int16_t>(values[i]));
      break;
    case COMM_I32:
      store(bytes, i, static_cast<int32_t>(values[i]));
      break;
    case COMM_I64:
      store(bytes, i, static_cast<int64_t>(values[i]));
      break;
    }
  }
  return bytes;
}

inline Values decode(CommDataType type, const std::vector<char> &bytes) {
  Values values(bytes.size() / getByteSize(type));
  for (size_t i = 0; i < values.size(); ++i) {
    switch (type) {
    case COMM_F16:
      values[i] = toFloat(load<Half>(bytes, i));
      break;
    case COMM_BF16:
      values[i] = toFloat(load<BFloat>(bytes, i));
      break;
    case COMM_F32:
      values[i] = load<float>(bytes, i);
      break;
    case COMM_F64:
      values[i] = load<double>(bytes, i);
      break;
    case COMM_I1:
    case COMM_I8:
      values[i] = load<int8_t>(bytes, i);
      break;
    case COMM_I16:
      values[i] = load<int16_t>(bytes, i);
      break;
    case COMM_I32:
      values[i] = load<int32_t>(bytes, i);
      break;
    case COMM_I64:
      values[i] = static_cast<double>(load<int64_t>(bytes, i));
      break;
    }
  }
  return values;
}

/// What world rank `rank` holds at the start of a collective: known to all, and
/// different on each. `salt` tells repetitions apart.
inline Values makeInput(CommDataType type, int64_t rank, int64_t count,
                        int64_t salt) {
  Values values(count);
  for (int64_t i = 0; i < count; ++i) {
    int64_t hash = (rank * 7919 + i * 104729 + salt * 31) % 1009;
    values[i] = type == COMM_I1 ? hash % 2 : hash % 5 - 2;
  }
  return values;
}

/// The members of a group, by walking over all ranks; written apart from
/// getGroup, which it checks.
struct ModelGroup {
  ModelGroup(const std::vector<int64_t> &sizes,
             const std::vector<int64_t> &axes, int64_t rank) {
    int64_t world = 1;
    for (int64_t size : sizes)
      world *= size;
    int64_t members = 1;
    for (int64_t axis : axes)
      members *= sizes[axis];
    ranks.resize(members);
    for (int64_t other = 0; other < world; ++other) {
      std::vector<int64_t> mine = coordinates(sizes, rank);
      std::vector<int64_t> theirs = coordinates(sizes, other);
      int64_t number = 0;
      for (int64_t axis : axes) {
        number = number * sizes[axis] + theirs[axis];
        mine[axis] = theirs[axis];
      }
      if (mine != theirs)
        continue;
      ranks[number] = other;
      if (other == rank)
        index = number;
    }
  }

  static std::vector<int64_t> coordinates(const std::vector<int64_t> &sizes,
                                          int64_t rank) {
    std::vector<int64_t> result(sizes.size());
    for (size_t i = sizes.size(); i-- > 0; rank /= sizes[i])
      result[i] = rank % sizes[i];
    return result;
  }

  std::vector<int64_t> ranks;
  int64_t index = 0;
};

/// What all members of a group hold, by number in the group.
using Inputs = std::vector<Values>;

inline double combine(CommReduction reduction, double a, double b) {
  switch (reduction) {
  case COMM_SUM:
  case COMM_AVG:
    return a + b;
  case COMM_PROD:
    return a * b;
  case COMM_MAX:
    return std::max(a, b);
  case COMM_MIN:
    return std::min(a, b);
  case COMM_AND:
    return static_cast<double>(int64_t(a) & int64_t(b));
  case COMM_OR:
    return static_cast<double>(int64_t(a) | int64_t(b));
  case COMM_XOR:
    return static_cast<double>(int64_t(a) ^ int64_t(b));
  }
  return 0;
}

inline Values modelReduce(const Inputs &inputs, CommReduction reduction) {
  Values result = inputs[0];
  for (size_t j = 1; j < inputs.size(); ++j)
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = combine(reduction, result[i], inputs[j][i]);
  if (reduction == COMM_AVG)
    for (double &value : result)
      value /= static_cast<double>(inputs.size());
  return result;
}

inline Values chunk(const Values &values, int64_t index, int64_t count) {
  return Values(values.begin() + index * count,
                values.begin() + (index + 1) * count);
}

inline Values modelGather(const Inputs &inputs) {
  Values result;
  for (const Values &input : inputs)
    result.insert(result.end(), input.begin(), input.end());
  return result;
}

/// Inputs hold a chunk for each member; member `index` receives its own.
inline Values modelAllToAll(const Inputs &inputs, int64_t index,
                            int64_t count) {
  Values result;
  for (const Values &input : inputs) {
    Values part = chunk(input, index, count);
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

inline Values modelPermute(const Inputs &inputs,
                           const std::vector<int64_t> &pairs, int64_t index) {
  for (size_t i = 0; i < pairs.size(); i += 2)
    if (pairs[i + 1] == index)
      return inputs[pairs[i]];
  return Values(inputs[0].size());
}

} // namespace mlir::comm::runtime

#endif // COMM_TEST_UNIT_RUNTIME_MODEL_H
