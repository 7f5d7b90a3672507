//===- VectorMath.cpp - Functions of vectors of numbers -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorMath.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace {

struct MathFunction {
  /// Of f64; that of f32 has an `f` at its end.
  const char *name;
  unsigned arity;
  /// What the lowering leaves to LLVM, as `llvm.exp.f64`.
  bool hasIntrinsic;
};

/// A vector's width, and the letter that names it in the x86-64 vector ABI.
struct Width {
  const char *feature;
  char letter;
  unsigned bytes;
};

} // namespace

static constexpr MathFunction functions[] = {
    {"acos", 1, false},  {"acosh", 1, false}, {"asin", 1, false},
    {"asinh", 1, false}, {"atan", 1, false},  {"atan2", 2, false},
    {"atanh", 1, false}, {"cbrt", 1, false},  {"cos", 1, true},
    {"cosh", 1, false},  {"erf", 1, false},   {"erfc", 1, false},
    {"exp", 1, true},    {"exp2", 1, true},   {"expm1", 1, false},
    {"log", 1, true},    {"log10", 1, true},  {"log1p", 1, false},
    {"log2", 1, true},   {"pow", 2, true},    {"sin", 1, true},
    {"sinh", 1, false},  {"tan", 1, false},   {"tanh", 1, false},
};

static constexpr Width widths[] = {
    {"+sse2", 'b', 16}, {"+avx2", 'd', 32}, {"+avx512f", 'e', 64}};

/// The functions that libmvec has, as LLVM asks for them.
static std::vector<VecDesc> findFunctions(const MCSubtargetInfo &processor) {
  std::vector<VecDesc> found;
  // Not there, then its functions are not found either.
  sys::DynamicLibrary::LoadLibraryPermanently("libmvec.so.1");
  // Names are kept as references.
  static BumpPtrAllocator memory;
  static StringSaver saver(memory);
  for (const Width &width : widths) {
    if (!processor.checkFeatures(width.feature))
      continue;
    for (const MathFunction &function : functions)
      for (unsigned bytes : {4, 8}) {
        unsigned count = width.bytes / bytes;
        std::string scalar = function.name + std::string(bytes == 4 ? "f" : "");
        std::string shape =
            std::to_string(count) + std::string(function.arity, 'v');
        StringRef vector = saver.save("_ZGV" + std::string(1, width.letter) +
                                      "N" + shape + "_" + scalar);
        if (!sys::DynamicLibrary::SearchForAddressOfSymbol(vector.str()))
          continue;
        auto add = [&](const std::string &name) {
          found.emplace_back(saver.save(name), vector,
                             ElementCount::getFixed(count), /*Masked=*/false,
                             saver.save("_ZGV_LLVM_N" + shape), std::nullopt);
        };
        add(scalar);
        if (function.hasIntrinsic)
          add("llvm." + std::string(function.name) +
              (bytes == 4 ? ".f32" : ".f64"));
      }
  }
  return found;
}

std::vector<VecDesc>
mlir::comm::runner::getVectorFunctions(const TargetMachine &machine) {
  if (machine.getTargetTriple().getArch() != Triple::x86_64)
    return {};
  // There is one processor: the code is made for this process.
  static const std::vector<VecDesc> found =
      findFunctions(*machine.getMCSubtargetInfo());
  return found;
}
