//===- ElementTypes.cpp - Element types and half-width floats -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runtime/ElementTypes.h"

using namespace mlir::comm::runtime;

bool mlir::comm::runtime::isDataType(int32_t type) {
  return type >= COMM_F16 && type <= COMM_I64;
}

bool mlir::comm::runtime::isReduction(int32_t reduction) {
  return reduction >= COMM_SUM && reduction <= COMM_XOR;
}

bool mlir::comm::runtime::isFloat(CommDataType type) {
  return type <= COMM_F64;
}

int64_t mlir::comm::runtime::getByteSize(CommDataType type) {
  switch (type) {
  case COMM_I1:
  case COMM_I8:
    return 1;
  case COMM_F16:
  case COMM_BF16:
  case COMM_I16:
    return 2;
  case COMM_F32:
  case COMM_I32:
    return 4;
  case COMM_F64:
  case COMM_I64:
    return 8;
  }
  return 0;
}

const char *mlir::comm::runtime::getName(CommDataType type) {
  static const char *const names[] = {"f16", "bf16", "f32", "f64", "i1",
                                      "i8",  "i16",  "i32", "i64"};
  return names[type];
}

const char *mlir::comm::runtime::getName(CommReduction reduction) {
  static const char *const names[] = {"sum", "avg", "prod", "max",
                                      "min", "and", "or",   "xor"};
  return names[reduction];
}
