//===- DifferentiatePass.h - Calculus with explicit states ------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TRANSFORMS_DIFFERENTIATEPASS_H
#define COMM_TRANSFORMS_DIFFERENTIATEPASS_H

#include "comm/Autodiff/Differentiate.h"
#include "llvm/ADT/StringSet.h"
#include <memory>

namespace mlir::comm {

class ModuleFacts;

/// Which derivative function is made of a function.
enum class DerivativeMode {
  /// @f_vjp, with its halves.
  Reverse,
  /// @f_jvp.
  Forward,
  /// @f_fwd and @f_bwd alone, as visible as @f.
  Split,
};

/// Generates derivative functions as `comm-differentiate` does: state changes
/// are made explicit first, `comm.vjp` and its like are resolved on the way,
/// and what is generated is simplified by the laws.
///
/// ```c++
/// CommDifferentiator differentiator(module);
/// FailureOr<func::FuncOp> vjp = differentiator.getVjp(function);
/// FailureOr<func::FuncOp> jvp = differentiator.getJvp(function);
/// ```
class CommDifferentiator : public Differentiator {
public:
  explicit CommDifferentiator(ModuleOp module);
  ~CommDifferentiator() override;

  /// Replaces every `comm.vjp`, `comm.jvp` and `comm.value_and_grad` of a
  /// function by a call of the generated function.
  LogicalResult resolve(func::FuncOp function);

  /// Ops with these names are computed again in the backward, as those marked
  /// `comm.recompute`.
  void setRecomputed(ArrayRef<std::string> names);
  void markRecomputed(func::FuncOp function) const;

  /// @f_fwd and @f_bwd, as visible as @f, for those who run them apart.
  LogicalResult split(func::FuncOp function);

  /// Reports what the replication states of a function forbid.
  LogicalResult check(func::FuncOp function);

private:
  CommDifferentiator(ModuleOp module, std::unique_ptr<ModuleFacts> facts);

  std::unique_ptr<ModuleFacts> facts;
  /// The functions in which ops are being replaced.
  llvm::DenseSet<Operation *> resolving;
  llvm::StringSet<> recomputed;
};

/// Generates @f_vjp and its halves for one function of a module, as
/// `comm-differentiate` does. For several functions keep a CommDifferentiator:
/// it makes each derivative once.
FailureOr<func::FuncOp> differentiate(func::FuncOp function,
                                      const DerivativeOptions &options = {});

} // namespace mlir::comm

#endif // COMM_TRANSFORMS_DIFFERENTIATEPASS_H
