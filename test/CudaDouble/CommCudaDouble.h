//===- CommCudaDouble.h - What tests ask of the CUDA double -----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The double is three libraries with the sonames of CUDA's runtime, cuBLASLt
// and NCCL, which work on host memory: put their folder (lib, in this folder's
// build) before the real ones in LD_LIBRARY_PATH. A test that is linked to
// libCommCudaDouble.so calls these functions; others find them by dlsym.
//
// Environment, read once:
//   COMM_DOUBLE_DEVICES=n   how many devices there are (4)
//   COMM_DOUBLE_MEMORY=n    bytes of each device (8 GiB)
//   COMM_DOUBLE_STRICT=1    the first report aborts
//   COMM_DOUBLE_REPORT=1    at exit: a table of the calls, and what leaked
//   COMM_DOUBLE_UNWRITTEN=1 reports device memory that is read before anybody
//   has
//                           written it
//   COMM_DOUBLE_DELAY=us    each operation of a stream starts up to so much
//   late COMM_DOUBLE_POLLS=n     how often ncclCommGetAsyncError says "in
//   progress"
//                           for each call of a non-blocking communicator (2)
//   COMM_DOUBLE_ALONE=1     communicators do not wait for ranks, which may be
//   of
//                           other processes: their collectives never end
//   COMM_DOUBLE_FAIL=plan   failures: see comm_double_fail
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_COMMCUDADOUBLE_H
#define COMM_CUDADOUBLE_COMMCUDADOUBLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How often an entry point has been called, such as "ncclAllReduce". A few
/// count what a call did: "copy HostToDevice", "copy DeviceToHost",
/// "copy DeviceToDevice", and "host waits" for each call in which the host had
/// to wait for a device.
uint64_t comm_double_count(const char *name);
void comm_double_reset_counts(void);

/// How many mistakes of one kind have been reported; null for all kinds.
///   race        two operations that nothing orders, one writes what the other
///               uses
///   lifetime    memory used before its allocation or after its release
///   unwritten   device memory read before it is written, where that is asked
///   for pointer     host memory where a device's was expected, out of bounds,
///   the
///               wrong direction or the wrong device
///   order       ranks that disagree, unbalanced groups, communicators used
///               while they are in progress
///   handle      streams, events and others that are not, or no longer, alive
///   leak        what was not given back
///   kernel      a kernel that cannot be run or that failed
uint64_t comm_double_reports(const char *kind);
/// The text of a report, from 0, or null. Alive until they are cleared.
const char *comm_double_report_text(uint64_t number);
void comm_double_clear_reports(void);

/// Looks for what is alive still: reports streams, events, communicators,
/// memory and unfinished groups as "leak". Returns how many there were.
uint64_t comm_double_check_leaks(void);

/// Adds failures: "ENTRY:N[@rankR|@deviceD]=WHAT", separated by commas. The Nth
/// call of ENTRY (from 1, `*` for all) after this fails; WHAT is
///   the name of an error, such as cudaErrorMemoryAllocation, ncclSystemError,
///     CUBLAS_STATUS_NOT_SUPPORTED: the call returns it and does nothing; with
///     cudaSuccess it is as if the program had forgotten the call;
///   async:NAME: the call succeeds, and what it starts fails: a communicator's
///     asynchronous error, a device's error for all later calls;
///   never: the call succeeds, and what it starts never comes to its end
///     (until ncclCommAbort).
/// R is the rank of the communicator that NCCL was initialized with; for calls
/// of CUDA the rank that the calling thread has there. Returns 0, or -1 if it
/// cannot be read.
int comm_double_fail(const char *plan);
void comm_double_clear_failures(void);

#ifdef __cplusplus
}
#endif

#endif // COMM_CUDADOUBLE_COMMCUDADOUBLE_H
