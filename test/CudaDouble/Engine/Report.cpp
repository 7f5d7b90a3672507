//===- Report.cpp - Counts and reports ------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Report.h"
#include "CommCudaDouble.h"
#include "Engine/Clock.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

using namespace mlir::comm::cudadouble;

namespace {

struct Reports {
  std::mutex mutex;
  std::map<std::string, uint64_t> counts;
  std::map<std::string, uint64_t> kinds;
  /// A deque: the texts do not move.
  std::deque<std::string> texts;
  std::vector<uint64_t (*)()> leakChecks;
};

} // namespace

static void printTable();

/// Never destroyed: streams may be at work when the process ends.
static Reports &getReports() {
  static Reports *reports = [] {
    if (getNumber("COMM_DOUBLE_REPORT", 0))
      std::atexit(printTable);
    return new Reports();
  }();
  return *reports;
}

static void printTable() {
  comm_double_check_leaks();
  Reports &reports = getReports();
  std::lock_guard<std::mutex> lock(reports.mutex);
  std::fprintf(stderr, "cuda double: calls\n");
  for (const auto &[name, number] : reports.counts)
    std::fprintf(stderr, "  %-32s %llu\n", name.c_str(),
                 static_cast<unsigned long long>(number));
  std::fprintf(stderr, "cuda double: %zu reports\n", reports.texts.size());
}

uint64_t mlir::comm::cudadouble::getNumber(const char *variable,
                                           uint64_t otherwise) {
  const char *text = std::getenv(variable);
  return text && *text ? std::strtoull(text, nullptr, 0) : otherwise;
}

void mlir::comm::cudadouble::count(const std::string &name) {
  Reports &reports = getReports();
  std::lock_guard<std::mutex> lock(reports.mutex);
  ++reports.counts[name];
}

void mlir::comm::cudadouble::report(const char *kind, const std::string &text) {
  Reports &reports = getReports();
  std::lock_guard<std::mutex> lock(reports.mutex);
  ++reports.kinds[kind];
  std::string full = std::string(kind) + ": " + text;
  for (const std::string &known : reports.texts)
    if (known == full)
      return;
  // One mistake in a loop would fill the terminal.
  constexpr size_t mostPrinted = 50;
  if (reports.texts.size() < mostPrinted)
    std::fprintf(stderr, "cuda double: %s\n", full.c_str());
  reports.texts.push_back(std::move(full));
  static const bool strict = getNumber("COMM_DOUBLE_STRICT", 0);
  if (strict)
    std::abort();
}

void mlir::comm::cudadouble::addLeakCheck(uint64_t (*check)()) {
  Reports &reports = getReports();
  std::lock_guard<std::mutex> lock(reports.mutex);
  reports.leakChecks.push_back(check);
}

Caller &mlir::comm::cudadouble::getCaller() {
  static std::atomic<unsigned> numbers{0};
  thread_local Caller caller{numbers++};
  return caller;
}

std::string Origin::describe() const {
  std::string text = std::string(entry) + " #" + std::to_string(number) +
                     " on stream " + std::to_string(stream) + " (device " +
                     std::to_string(device) + ", thread " +
                     std::to_string(thread);
  if (rank >= 0)
    text += ", rank " + std::to_string(rank);
  return text + ")";
}

uint64_t comm_double_count(const char *name) {
  Reports &reports = getReports();
  std::lock_guard<std::mutex> lock(reports.mutex);
  auto it = reports.counts.find(name);
  return it == reports.counts.end() ? 0 : it->second;
}

void comm_double_reset_counts() {
  Reports &reports = getReports();
  std::lock_guard<std::mutex> lock(reports.mutex);
  reports.counts.clear();
}

uint64_t comm_double_reports(const char *kind) {
  Reports &reports = getReports();
  std::lock_guard<std::mutex> lock(reports.mutex);
  uint64_t sum = 0;
  for (const auto &[name, number] : reports.kinds)
    if (!kind || name == kind)
      sum += number;
  return sum;
}

const char *comm_double_report_text(uint64_t number) {
  Reports &reports = getReports();
  std::lock_guard<std::mutex> lock(reports.mutex);
  return number < reports.texts.size() ? reports.texts[number].c_str()
                                       : nullptr;
}

void comm_double_clear_reports() {
  Reports &reports = getReports();
  std::lock_guard<std::mutex> lock(reports.mutex);
  reports.kinds.clear();
  reports.texts.clear();
}

uint64_t comm_double_check_leaks() {
  std::vector<uint64_t (*)()> checks;
  {
    Reports &reports = getReports();
    std::lock_guard<std::mutex> lock(reports.mutex);
    checks = reports.leakChecks;
  }
  uint64_t sum = 0;
  for (auto *check : checks)
    sum += check();
  return sum;
}
