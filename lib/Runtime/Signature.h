//===- Signature.h - What the ranks of a group must agree on ----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_SIGNATURE_H
#define COMM_LIB_RUNTIME_SIGNATURE_H

#include "comm/Runtime/Communicator.h"

namespace mlir::comm::runtime {

/// Whether two members of a group make the same call: the op with all its
/// arguments but the buffers, and the text in the site that names dimensions.
bool agree(const Call &a, const Call &b);

/// Whether a send and a recv of one channel are about the same message.
bool agreeOnMessage(const Call &send, const Call &recv);

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_SIGNATURE_H
