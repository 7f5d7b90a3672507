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
/// layout of CommSite or CommKernel changes. Lowered modules carry the number
/// they were made for.
#define COMM_RUNTIME_ABI_VERSION 5

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
  COMM_ABORTED = 3,
  /// There is no memory for what the call needs besides its buffers.
  COMM_NO_MEMORY = 4
};

/// Where in the user's program a call is from. Constant data of the lowered
/// module; the runtime keeps the pointer, so it must outlive the run.
typedef struct CommSite {
  const char *op;   ///< such as "comm.all_reduce"
  const char *file; ///< the .mlir file, or "" where it is unknown; null where
                    ///< there is none: what no program calls
  int32_t line;     ///< 1-based, 0 where it is unknown
  int32_t column;
  const char *detail; ///< axes, dimensions: text for messages, such as
                      ///< "split 0 concat 1 over @mesh[\"tp\"]"
} CommSite;

/// A function that runs on a device. Constant data of the lowered module; the
/// runtime keeps the pointer and loads each image once for each device.
typedef struct CommKernel {
  const char *name;
  /// PTX (ends with a null byte), a cubin or a fat binary.
  const void *image;
  int64_t imageBytes;
} CommKernel;

/// The C type of a word of RuntimeFunctions.def.
#define COMM_ABI_TYPE(Word) COMM_ABI_##Word
#define COMM_ABI_Context CommContext *
#define COMM_ABI_Communicator CommCommunicator *
#define COMM_ABI_Send const void *
#define COMM_ABI_Recv void *
#define COMM_ABI_Site const CommSite *
#define COMM_ABI_Int64s const int64_t *
#define COMM_ABI_Memory void *
#define COMM_ABI_Kernel const CommKernel *
#define COMM_ABI_Arguments void **
#define COMM_ABI_I64 int64_t
#define COMM_ABI_I32 int32_t
#define COMM_ABI_Bool int32_t
#define COMM_ABI_DataType int32_t
#define COMM_ABI_Reduction int32_t
#define COMM_ABI_Status int32_t

/// COMM_ABI_MAP(M, A, B, C) is M(A), M(B), M(C): for the parameters of a row,
/// of which there may be 20. A user of the table writes its own M, such as one
/// that makes the LLVM type of a word:
///
///   #define TYPE(Word) get##Word##Type(context)
///   #define COMM_RUNTIME_FUNCTION(Name, Result, ...)
///     declare(#Name, TYPE(Result), {COMM_ABI_MAP(TYPE, __VA_ARGS__)});
///   #include "comm/Runtime/RuntimeFunctions.def"
#define COMM_ABI_MAP(M, ...)                                                   \
  COMM_ABI_JOIN(COMM_ABI_MAP_, COMM_ABI_COUNT(__VA_ARGS__, 0))(M, __VA_ARGS__)
#define COMM_ABI_JOIN(A, B) COMM_ABI_JOIN_(A, B)
#define COMM_ABI_JOIN_(A, B) A##B
#define COMM_ABI_COUNT(...)                                                    \
  COMM_ABI_COUNT_(__VA_ARGS__, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9,  \
                  8, 7, 6, 5, 4, 3, 2, 1, 0)
#define COMM_ABI_COUNT_(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12,     \
                        _13, _14, _15, _16, _17, _18, _19, _20, _21, N, ...)   \
  N
#define COMM_ABI_MAP_1(M, T) M(T)
#define COMM_ABI_MAP_2(M, T, ...) M(T), COMM_ABI_MAP_1(M, __VA_ARGS__)
#define COMM_ABI_MAP_3(M, T, ...) M(T), COMM_ABI_MAP_2(M, __VA_ARGS__)
#define COMM_ABI_MAP_4(M, T, ...) M(T), COMM_ABI_MAP_3(M, __VA_ARGS__)
#define COMM_ABI_MAP_5(M, T, ...) M(T), COMM_ABI_MAP_4(M, __VA_ARGS__)
#define COMM_ABI_MAP_6(M, T, ...) M(T), COMM_ABI_MAP_5(M, __VA_ARGS__)
#define COMM_ABI_MAP_7(M, T, ...) M(T), COMM_ABI_MAP_6(M, __VA_ARGS__)
#define COMM_ABI_MAP_8(M, T, ...) M(T), COMM_ABI_MAP_7(M, __VA_ARGS__)
#define COMM_ABI_MAP_9(M, T, ...) M(T), COMM_ABI_MAP_8(M, __VA_ARGS__)
#define COMM_ABI_MAP_10(M, T, ...) M(T), COMM_ABI_MAP_9(M, __VA_ARGS__)
#define COMM_ABI_MAP_11(M, T, ...) M(T), COMM_ABI_MAP_10(M, __VA_ARGS__)
#define COMM_ABI_MAP_12(M, T, ...) M(T), COMM_ABI_MAP_11(M, __VA_ARGS__)
#define COMM_ABI_MAP_13(M, T, ...) M(T), COMM_ABI_MAP_12(M, __VA_ARGS__)
#define COMM_ABI_MAP_14(M, T, ...) M(T), COMM_ABI_MAP_13(M, __VA_ARGS__)
#define COMM_ABI_MAP_15(M, T, ...) M(T), COMM_ABI_MAP_14(M, __VA_ARGS__)
#define COMM_ABI_MAP_16(M, T, ...) M(T), COMM_ABI_MAP_15(M, __VA_ARGS__)
#define COMM_ABI_MAP_17(M, T, ...) M(T), COMM_ABI_MAP_16(M, __VA_ARGS__)
#define COMM_ABI_MAP_18(M, T, ...) M(T), COMM_ABI_MAP_17(M, __VA_ARGS__)
#define COMM_ABI_MAP_19(M, T, ...) M(T), COMM_ABI_MAP_18(M, __VA_ARGS__)
#define COMM_ABI_MAP_20(M, T, ...) M(T), COMM_ABI_MAP_19(M, __VA_ARGS__)

#define COMM_RUNTIME_FUNCTION(Name, Result, ...)                               \
  COMM_ABI_TYPE(Result) Name(COMM_ABI_MAP(COMM_ABI_TYPE, __VA_ARGS__));
#include "comm/Runtime/RuntimeFunctions.def"

#ifdef __cplusplus
}
#endif

#endif // COMM_RUNTIME_COMMRUNTIME_H
