//===- Derivatives.h - A function and its derivatives -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_CHECKGRADIENT_DERIVATIVES_H
#define COMM_TOOLS_COMMRUN_CHECKGRADIENT_DERIVATIVES_H

#include "../Differentiate.h"
#include "Code.h"

namespace mlir::comm::runner {

/// The derivatives that are compiled with a function.
enum class Modes { Reverse, Both };

/// A function with its derivatives, compiled in one precision.
struct Derivatives {
  /// With the derivatives that the compiler generates with respect to the
  /// arguments of `vjp`; the module is lowered in place. A hand-written one by
  /// reverse mode (may be null), of the signature that `vjp` describes, takes
  /// the place of the generated.
  static Result<Derivatives> compile(Program &program, const Vjp &vjp,
                                     Program *handWritten, Modes modes,
                                     const CodeOptions &options);

  /// The results.
  Result<RankValues> run(const RankValues &inputs) const {
    return function.run(inputs);
  }
  /// The results, then the gradients.
  Result<RankValues> runVjp(const RankValues &inputs,
                            const RankValues &seeds) const {
    return backward.run(joinValues(inputs, seeds));
  }
  /// J x': the tangents of the float results, in order. `tangents` has one for
  /// each differentiated argument. Only with both modes.
  Result<RankValues> runJvp(const RankValues &inputs,
                            const RankValues &tangents) const;

  const FunctionSignature &getSignature() const {
    return function.getSignature();
  }
  /// The differentiated argument number `number`.
  const ValueInfo &getArgument(unsigned number) const {
    return getSignature().arguments[vjp.wrt[number]];
  }
  /// The position of its gradient in what runVjp gives.
  unsigned getGradientPosition(unsigned number) const {
    return getSignature().results.size() + number;
  }

  Vjp vjp;
  Code function, backward;
  std::optional<Code> tangent;
};

/// Random numbers in [-1, 1) of the shape that differentiated argument `number`
/// has in `inputs`, one value for each replica class: [rank][0].
RankValues makeDirection(const Derivatives &code, const RankValues &inputs,
                         unsigned number, uint64_t seed);

/// Tangents of all differentiated arguments: zeros but for `direction`, which
/// is that of argument `number`.
RankValues makeTangents(const Derivatives &code, const RankValues &inputs,
                        unsigned number, const RankValues &direction);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_CHECKGRADIENT_DERIVATIVES_H
