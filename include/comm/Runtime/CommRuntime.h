//===- CommRuntime.h - What compiled code calls -----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C ABI between lowered programs and the runtime. It is valid C and
// includes nothing of MLIR or LLVM. The functions are listed in
// RuntimeFunctions.def; they hold no logic.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNTIME_COMMRUNTIME_H
#define COMM_RUNTIME_COMMRUNTIME_H

#include <stdint.h>

/// Raised whenever a row of RuntimeFunctions.def, an enum value below or the
/// layout of CommSite changes. Lowered modules carry the number they were made
/// for.
#define COMM_RUNTIME_ABI_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/// One rank of a running program. Made by the runner, passed as the first
/// argument of every lowered function.
typedef struct CommContext CommContext;
/// The group of one rank over some mesh axes. Owned by its context.
typedef struct CommCommunicator CommCommunicator;

/// Element types. Integers are signless and reduce as signed, two's complement
/// with wrap-around. An i1 takes one byte, 0 or 1.
enum CommDataType {
  COMM_F16 = 0,
  COMM_BF16 = 1,
  COMM_F32 = 2,
  COMM_F64 = 3,
  COMM_I1 = 4,
  COMM_I8 = 5,
  COMM_I16 = 6,
  COMM_I32 = 7,
  COMM_I64 = 8
};

enum CommReduction {
  COMM_SUM = 0,
  COMM_AVG = 1,
  COMM_PROD = 2,
  COMM_MAX = 3,
  COMM_MIN = 4,
  COMM_AND = 5,
  COMM_OR = 6,
  COMM_XOR = 7
};

enum CommStatus {
  COMM_SUCCESS = 0,
  /// The call itself is wrong, or ranks disagree about it.
  COMM_INVALID = 1,
  /// A rank did not arrive within the timeout.
  COMM_TIMEOUT = 2,
  /// Another rank failed or has ended; this one only stopped.
  COMM_ABORTED = 3
};

/// Where in the user's program a call is from. Constant data of the lowered
/// module; the runtime keeps the pointer, so it must outlive the run.
typedef struct CommSite {
  const char *op;     ///< such as "comm.all_reduce"
  const char *file;   ///< the .mlir file, or "" where it is unknown
  int32_t line;       ///< 1-based, 0 where it is unknown
  int32_t column;
  const char *detail; ///< axes, dimensions: text for messages, such as
                      ///< "split 0 concat 1 over @mesh[\"tp\"]"
} CommSite;

#define COMM_ABI_Context CommContext *
#define COMM_ABI_Communicator CommCommunicator *
#define COMM_ABI_Send const void *
#define COMM_ABI_Recv void *
#define COMM_ABI_Site const CommSite *
#define COMM_ABI_Int64s const int64_t *
#define COMM_ABI_I64 int64_t
#define COMM_ABI_I32 int32_t
#define COMM_ABI_Bool int32_t
#define COMM_ABI_DataType int32_t
#define COMM_ABI_Reduction int32_t
#define COMM_ABI_Status int32_t

#ifdef __cplusplus
}
#endif

#endif // COMM_RUNTIME_COMMRUNTIME_H
