//===- PtxCode.h - Decoded PTX: what the interpreter runs -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTXCODE_H
#define COMM_TEST_CUDADOUBLE_PTXCODE_H

#include "PtxType.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptx {

struct Function;
struct Instruction;
struct Thread;

using Execute = void (*)(Thread &, const Instruction &);

/// What an atomic instruction does to a value in memory, with its operands.
using Change = void (*)(void *value, const void *b, const void *c);

/// Operands are slots of the frame. A slot holds 64 bits, of which those above
/// the width of the register are zero. Immediates have slots of their own.
struct Instruction {
  Execute execute = nullptr;
  int32_t guard = -1;
  bool guardIsNegated = false;
  /// Elements of a vector (ld, st, mov), lanes of a packed type.
  uint8_t count = 1;
  /// What an instruction family needs beyond: see there.
  uint16_t flags = 0;
  uint32_t line = 0;
  /// Results and operands.
  uint32_t d = 0, e = 0, a = 0, b = 0, c = 0;
  /// First of `count` slots in Function::lists, or index of a call or of the
  /// targets of a branch.
  uint32_t list = 0;
  /// The offset of an address, the target of a branch, a mask.
  uint64_t immediate = 0;
};

enum class Special : uint8_t {
  TidX,
  NtidX,
  CtaidX,
  NctaidX,
  LaneId,
  WarpId,
  WarpCount,
  LanemaskEq,
  LanemaskLt,
  LanemaskLe,
  LanemaskGt,
  LanemaskGe,
  Zero,
  One,
};

/// Bytes copied between the frames of caller and callee.
struct FrameCopy {
  uint64_t caller = 0;
  uint64_t callee = 0;
  uint64_t bytes = 0;
};

struct Call {
  const Function *callee = nullptr;
  std::vector<FrameCopy> arguments;
  std::vector<FrameCopy> results;
};

/// Slot 0 holds the address of the frame's start, the registers follow, then
/// constants and special registers.
struct Function {
  std::string name;
  std::vector<Instruction> code;
  uint32_t registers = 0;
  std::vector<uint64_t> constants;
  /// Constants that depend on the thread.
  std::vector<std::pair<uint32_t, Special>> specials;
  uint64_t frameBytes = 0;
  std::vector<uint32_t> lists;
  std::vector<Call> calls;
  std::vector<std::vector<uint32_t>> targets;
  std::vector<Change> changes;

  // Of itself, and of what it calls once the module is linked.
  std::vector<std::string> problems;
  /// Waits for other threads.
  bool waits = false;
  std::vector<const Function *> callees;
  /// Offsets and sizes of the shared variables that it names.
  std::map<uint64_t, uint64_t> shared;
};

/// What the kernels of a module share.
struct Program {
  std::map<std::string, std::unique_ptr<Function>> functions;
  uint64_t sharedBytes = 0;
  /// `.global` and `.const` variables, at their addresses in `data`.
  std::vector<uint64_t> data;
  struct Extent {
    uint64_t bytes = 0;
    bool isConst = false;
  };
  std::map<uint64_t, Extent> extents;
};

} // namespace ptx

#endif // COMM_TEST_CUDADOUBLE_PTXCODE_H
