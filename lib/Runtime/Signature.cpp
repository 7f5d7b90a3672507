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

/// Mostly it is the same text.
static bool isEqual(const char *a, const char *b) {
  return a == b || std::strcmp(a, b) == 0;
}

bool mlir::comm::runtime::agree(const Call &a, const Call &b) {
  return isEqual(a.op, b.op) && a.count == b.count && a.type == b.type &&
         a.reduction == b.reduction && a.root == b.root &&
         a.numPairs == b.numPairs &&
         std::equal(a.pairs, a.pairs + 2 * a.numPairs.value_or(0), b.pairs) &&
         (a.site == b.site || isEqual(getDetail(a), getDetail(b)));
}

bool mlir::comm::runtime::agreeOnMessage(const Call &send, const Call &recv) {
  return send.count == recv.count && send.type == recv.type;
}

std::string Call::describeInFull() const {
  std::string result = op;
  if (reduction)
    result += std::string(" ") + getName(getReduction());
  if (numPairs) {
    result += " [";
    for (int64_t i = 0; i < *numPairs; ++i)
      result += (i ? ", (" : "(") + std::to_string(pairs[2 * i]) + ", " +
                std::to_string(pairs[2 * i + 1]) + ")";
    result += "]";
  }
  if (std::strcmp(op, "comm.barrier") != 0)
    result += " of " + std::to_string(count) + " x " + getName(getType());
  if (root)
    result += " root " + std::to_string(*root);
  if (from)
    result += " from " + std::to_string(*from) + " to " + std::to_string(*to);
  result += runtime::describe("", site);
  if (*getDetail(*this))
    result += std::string(", ") + getDetail(*this);
  return result;
}
