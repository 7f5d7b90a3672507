//===- Processor.cpp - What code asks of a processor ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Processor.h"

#include <algorithm>

using namespace mlir::comm::runner;

namespace {

struct Feature {
  std::string name;
  bool isSupported;
};

} // namespace

static const std::vector<Feature> &getFeatures() {
  static const std::vector<Feature> features = {
#ifdef __x86_64__
  // The compiler wants a literal.
#define FEATURE(Name) {Name, bool(__builtin_cpu_supports(Name))}
      FEATURE("popcnt"),
      FEATURE("sse3"),
      FEATURE("ssse3"),
      FEATURE("sse4.1"),
      FEATURE("sse4.2"),
      FEATURE("sse4a"),
      FEATURE("avx"),
      FEATURE("avx2"),
      FEATURE("fma"),
      FEATURE("fma4"),
      FEATURE("f16c"),
      FEATURE("xop"),
      FEATURE("tbm"),
      FEATURE("lwp"),
      FEATURE("lzcnt"),
      FEATURE("movbe"),
      FEATURE("adx"),
      FEATURE("sha"),
      FEATURE("bmi"),
      FEATURE("bmi2"),
      FEATURE("aes"),
      FEATURE("vaes"),
      FEATURE("pclmul"),
      FEATURE("vpclmulqdq"),
      FEATURE("gfni"),
      FEATURE("avxvnni"),
      FEATURE("avx512f"),
      FEATURE("avx512vl"),
      FEATURE("avx512bw"),
      FEATURE("avx512dq"),
      FEATURE("avx512cd"),
      FEATURE("avx512ifma"),
      FEATURE("avx512vbmi"),
      FEATURE("avx512vbmi2"),
      FEATURE("avx512vnni"),
      FEATURE("avx512bitalg"),
      FEATURE("avx512vpopcntdq"),
      FEATURE("avx512vp2intersect"),
      FEATURE("avx512bf16"),
      FEATURE("avx512fp16"),
      FEATURE("amx-tile"),
      FEATURE("amx-int8"),
      FEATURE("amx-bf16"),
#undef FEATURE
#endif
  };
  return features;
}

const std::vector<std::string> &mlir::comm::runner::getKnownFeatures() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> names;
    for (const Feature &feature : getFeatures())
      names.push_back(feature.name);
    return names;
  }();
  return names;
}

std::vector<std::string> mlir::comm::runner::getMissingFeatures(
    const std::vector<std::string> &features) {
  std::vector<std::string> missing;
  for (const std::string &name : features) {
    bool isSupported = std::any_of(
        getFeatures().begin(), getFeatures().end(), [&](const Feature &known) {
          return known.name == name && known.isSupported;
        });
    if (!isSupported)
      missing.push_back(name);
  }
  return missing;
}
