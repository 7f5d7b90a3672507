//===- Failures.cpp - Calls that are told to fail -------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommCudaDouble.h"
#include "Engine/Report.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

using namespace mlir::comm::cudadouble;

namespace {

struct Planned {
  std::string entry;
  /// 0: every call.
  uint64_t number = 0;
  int rank = -1, device = -1;
  Injection injection;
  /// How many calls have matched.
  uint64_t seen = 0;
};

struct Plan {
  std::mutex mutex;
  std::vector<Planned> failures;
};

} // namespace

static bool parseInt(const std::string &text, int &number) {
  char *end = nullptr;
  number = static_cast<int>(std::strtol(text.c_str(), &end, 10));
  return !text.empty() && !*end && number >= 0;
}

/// ENTRY:N[@rankR|@deviceD]=WHAT
static bool parse(const std::string &text, Planned &planned) {
  size_t equal = text.find('='), colon = text.find(':');
  if (equal == std::string::npos || colon == std::string::npos || colon > equal)
    return false;
  planned.entry = text.substr(0, colon);
  std::string number = text.substr(colon + 1, equal - colon - 1);
  std::string what = text.substr(equal + 1);
  size_t at = number.find('@');
  if (at != std::string::npos) {
    std::string where = number.substr(at + 1);
    number.resize(at);
    if (where.rfind("rank", 0) == 0) {
      if (!parseInt(where.substr(4), planned.rank))
        return false;
    } else if (where.rfind("device", 0) == 0) {
      if (!parseInt(where.substr(6), planned.device))
        return false;
    } else {
      return false;
    }
  }
  int nth = 0;
  if (number != "*" && (!parseInt(number, nth) || nth == 0))
    return false;
  planned.number = nth;
  if (what == "never")
    planned.injection = {Injection::How::Never, ""};
  else if (what.rfind("async:", 0) == 0)
    planned.injection = {Injection::How::Async, what.substr(6)};
  else
    planned.injection = {Injection::How::Return, what};
  return !planned.entry.empty() && !what.empty();
}

static int add(Plan &plan, const std::string &text) {
  std::vector<Planned> failures;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) {
      failures.emplace_back();
      if (!parse(text.substr(begin, end - begin), failures.back()))
        return -1;
    }
    begin = end + 1;
  }
  std::lock_guard<std::mutex> lock(plan.mutex);
  plan.failures.insert(plan.failures.end(), failures.begin(), failures.end());
  return 0;
}

static Plan &getPlan() {
  static Plan *plan = [] {
    auto *created = new Plan();
    const char *text = std::getenv("COMM_DOUBLE_FAIL");
    if (text && add(*created, text)) {
      std::fprintf(stderr, "cuda double: cannot read COMM_DOUBLE_FAIL='%s'\n",
                   text);
      std::abort();
    }
    return created;
  }();
  return *plan;
}

std::optional<Injection>
mlir::comm::cudadouble::findInjection(const char *entry, int rank, int device) {
  Plan &plan = getPlan();
  std::lock_guard<std::mutex> lock(plan.mutex);
  std::optional<Injection> found;
  for (Planned &planned : plan.failures) {
    if (planned.entry != entry || (planned.rank >= 0 && planned.rank != rank) ||
        (planned.device >= 0 && planned.device != device))
      continue;
    ++planned.seen;
    if (!found && (planned.number == 0 || planned.number == planned.seen))
      found = planned.injection;
  }
  return found;
}

int comm_double_fail(const char *plan) { return add(getPlan(), plan); }

void comm_double_clear_failures() {
  Plan &plan = getPlan();
  std::lock_guard<std::mutex> lock(plan.mutex);
  plan.failures.clear();
}
