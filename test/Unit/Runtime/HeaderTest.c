//===- HeaderTest.c - CommRuntime.h is valid C ----------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runtime/CommRuntime.h"

// A row of the table as a C function type, to compare with the prototype.
static int32_t (*const barrier)(CommContext *, CommCommunicator *,
                                const CommSite *) = commBarrier;

int32_t commHeaderIsValidC(void) { return barrier == commBarrier; }
