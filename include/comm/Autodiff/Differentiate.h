//===- Differentiate.h - Derivative functions -------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_AUTODIFF_DIFFERENTIATE_H
#define COMM_AUTODIFF_DIFFERENTIATE_H

#include "comm/Interfaces/RegionAdjointOpInterface.h"
#include "comm/Interfaces/RegionTangentOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::comm {

struct CustomVjp;

/// What to differentiate of a function.
struct DerivativeOptions {
  /// The numbers of the float arguments to differentiate, ascending; default
  /// all.
  std::optional<SmallVector<int64_t>> wrt;
  /// The numbers of the float results that have a cotangent, or in forward mode
  /// a tangent, ascending; default all.
  std::optional<SmallVector<int64_t>> of;
};

/// What surrounds the calculus. The differentiator knows nothing about
/// communication; `Transforms/DifferentiatePass` brings these.
struct DifferentiateHooks {
  /// Rewrites what a user's function asks of the differentiator (comm.vjp)
  /// before the function is cloned.
  std::function<LogicalResult(func::FuncOp function)> resolve;
  /// Proves the marks of a user's function that is called as it stands.
  std::function<LogicalResult(func::FuncOp function)> check;
  /// Makes every change of replication state explicit in a clone of a user's
  /// function, and proves its marks. Warnings only where `warn`.
  std::function<LogicalResult(func::FuncOp clone, bool warn)> materialize;
  /// The marks for values of a materialized function, null where there is none.
  std::function<FailureOr<SmallVector<Attribute>>(func::FuncOp function,
                                                  ValueRange values)>
      getMarks;
  /// Simplifies a generated function in place. Where it is put together of two
  /// that have been simplified, `seam` holds the ops of the second that read
  /// results of the first: nothing is new elsewhere. Else it is null.
  std::function<LogicalResult(func::FuncOp generated,
                              const llvm::DenseSet<Operation *> *seam)>
      simplify;
};

/// Generates the derivative functions of the functions of a module, each once.
///
/// For a function f, arguments a and results r, with cotangents da and dr of
/// those that are floats:
///
///     f_fwd(a...) -> (r..., residuals...)
///     f_bwd(residuals..., dr...) -> (da...)
///     f_vjp(a..., dr...) -> (r..., da...)
///
/// and in forward mode, with tangents ta and tr of those that are floats:
///
///     f_jvp(a..., ta...) -> (r..., tr...)
///
/// The halves are private, f_vjp and f_jvp have f's visibility. Options other
/// than the default append `_wrt_0_2` and `_of_0` to the names, and f_vjp and
/// f_jvp are private. The marks of f hold for what corresponds to its arguments
/// and results; residuals carry the marks that were proved. A function that
/// carries its own adjoint (`comm.custom_vjp`) is called as it stands, and so
/// is its rule, which forward mode transposes in the cotangents.
class Differentiator : public AdjointDriver, public TangentFunctions {
public:
  /// `symbols` are the module's; functions are added to them.
  Differentiator(SymbolTable &symbols, DifferentiateHooks hooks)
      : symbols(symbols), hooks(std::move(hooks)) {}

  /// @f_vjp, with its halves. Failure after errors have been emitted, all that
  /// stand in the way at once.
  FailureOr<func::FuncOp> getVjp(func::FuncOp function,
                                 const DerivativeOptions &options = {});

  /// @f_jvp. Failure as above.
  FailureOr<func::FuncOp> getJvp(func::FuncOp function,
                                 const DerivativeOptions &options = {});

  FailureOr<AdjointFunctions>
  getAdjointFunctions(FunctionOpInterface callee) override;
  FailureOr<FunctionOpInterface>
  getTangentFunction(FunctionOpInterface callee) override;
  FunctionOpInterface lookupFunction(SymbolRefAttr name) override;

  /// Whether a derivative of the function has been asked for.
  bool isDifferentiated(func::FuncOp function) const {
    return materialized.contains(function);
  }

private:
  struct Request;
  struct Halves {
    func::FuncOp forward, backward;
  };
  struct Generation;
  struct TangentGeneration;

  FailureOr<Request> makeRequest(func::FuncOp function,
                                 const DerivativeOptions &options);
  LogicalResult verifyIsNotRecursive(func::FuncOp function);
  FailureOr<func::FuncOp> cloneMaterialized(func::FuncOp function);
  func::FuncOp lookupCalledFunction(Operation *op);
  FailureOr<Halves> getHalves(const Request &request);
  LogicalResult begin(Generation &generation);
  std::optional<Request> getNextCallee(Generation &generation);
  FailureOr<Halves> finish(Generation &generation);
  FailureOr<func::FuncOp> emitBackward(Generation &generation,
                                       SmallVectorImpl<Value> &kept,
                                       SmallVectorImpl<Attribute> &marks);
  LogicalResult prepareCalled(func::FuncOp function);
  FailureOr<Halves> getCustomHalves(const Request &request);
  FailureOr<Halves> emitCustomHalves(const Request &request,
                                     const CustomVjp &rule);
  FailureOr<func::FuncOp> emitCustomJvp(const Request &request);
  func::FuncOp generateVjp(const Request &request, Halves halves,
                           llvm::DenseSet<Operation *> &seam);

  FailureOr<func::FuncOp> getJvp(const Request &request);
  LogicalResult begin(TangentGeneration &generation);
  std::optional<Request> getNextCallee(TangentGeneration &generation);
  FailureOr<func::FuncOp> finish(TangentGeneration &generation);

  SymbolTable &symbols;
  DifferentiateHooks hooks;
  llvm::StringMap<FailureOr<Halves>> halvesByName;
  llvm::StringMap<func::FuncOp> vjpByName;
  llvm::StringMap<FailureOr<func::FuncOp>> jvpByName;
  llvm::DenseSet<Operation *> inProgress, materialized;
};

/// Reports what is wrong with the adjoint that a function carries, if it does,
/// by errors at the function.
LogicalResult verifyCustomVjp(func::FuncOp function, SymbolTable &symbols);

} // namespace mlir::comm

#endif // COMM_AUTODIFF_DIFFERENTIATE_H
