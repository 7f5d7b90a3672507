//===- Signature.cpp - What the ranks of a group must agree on ------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signature.h"

#include "comm/Runtime/ElementTypes.h"

#include <algorithm>
#include <cstring>

using namespace mlir::comm::runtime;

static const char *getDetail(const Call &call) {
  return call.site && call.site->detail ? call.site->detail : "";
}

bool mlir::comm::runtime::agree(const Call &a, const Call &b) {
  return std::strcmp(a.op, b.op) == 0 && a.count == b.count &&
         a.type == b.type && a.reduction == b.reduction && a.root == b.root &&
         a.numPairs == b.numPairs &&
         std::equal(a.pairs, a.pairs + 2 * a.numPairs.value_or(0), b.pairs) &&
         std::strcmp(getDetail(a), getDetail(b)) == 0;
}

bool mlir::comm::runtime::agreeOnMessage(const Call &send, const Call &recv) {
  return send.count == recv.count && send.type == recv.type;
}

std::string mlir::comm::runtime::describeSignature(const Call &call) {
  std::string result = call.op;
  if (call.reduction)
    result += std::string(" ") + getName(call.getReduction());
  if (call.numPairs) {
    result += " [";
    for (int64_t i = 0; i < *call.numPairs; ++i)
      result += (i ? ", (" : "(") + std::to_string(call.pairs[2 * i]) + ", " +
                std::to_string(call.pairs[2 * i + 1]) + ")";
    result += "]";
  }
  if (std::strcmp(call.op, "comm.barrier") != 0)
    result +=
        " of " + std::to_string(call.count) + " x " + getName(call.getType());
  if (call.root)
    result += " root " + std::to_string(*call.root);
  if (call.from)
    result += " from " + std::to_string(*call.from) + " to " +
              std::to_string(*call.to);
  result += runtime::describe("", call.site);
  if (*getDetail(call))
    result += std::string(", ") + getDetail(call);
  return result;
}
