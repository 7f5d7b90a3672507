//===- DerivativeRequest.h - What is differentiated -------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_AUTODIFF_DERIVATIVEREQUEST_H
#define COMM_LIB_AUTODIFF_DERIVATIVEREQUEST_H

#include "comm/Autodiff/Differentiate.h"
#include "comm/Interfaces/ReplicationOpInterface.h"

namespace mlir::comm {

/// A function and what to differentiate of it, with the defaults filled in.
struct Differentiator::Request {
  func::FuncOp function;
  SmallVector<int64_t> wrt, of;
  /// Appended to the names of the generated functions.
  std::string suffix;

  std::string getName(StringRef kind) const {
    return (func::FuncOp(function).getName() + "_" + kind + suffix).str();
  }
  Attribute getArgMark(int64_t number) const {
    return func::FuncOp(function).getArgAttr(number, kReplicatedAttrName);
  }
  Attribute getResultMark(int64_t number) const {
    return func::FuncOp(function).getResultAttr(number, kReplicatedAttrName);
  }
};

/// Makes what is derived of callees before what is derived of their callers,
/// and not by recursion: calls nest as deep as the user likes. `begin` yields a
/// std::unique_ptr to what is being made for a request, null where nothing is
/// left to do; `getNextCallee` a request that comes before it, if there is one;
/// `finish` makes the rest.
template <typename Request, typename Begin, typename Next, typename Finish>
void visitCalleesFirst(const Request &first, Begin begin, Next getNextCallee,
                       Finish finish) {
  std::vector<decltype(begin(first))> open;
  auto visit = [&](const Request &request) {
    if (auto generation = begin(request))
      open.push_back(std::move(generation));
  };
  visit(first);
  while (!open.empty()) {
    auto &generation = *open.back();
    if (auto callee = getNextCallee(generation)) {
      visit(*callee);
      continue;
    }
    finish(generation);
    open.pop_back();
  }
}

/// Reports that a function to be generated exists already.
LogicalResult verifyNameIsFree(SymbolTable &symbols, func::FuncOp function,
                               StringRef name);

/// Marks all arguments or results of a function, null where one gets no mark:
/// at once, as one at a time takes time quadratic in their number.
void setArgumentMarks(func::FuncOp function, ArrayRef<Attribute> marks);
void setResultMarks(func::FuncOp function, ArrayRef<Attribute> marks);

} // namespace mlir::comm

#endif // COMM_LIB_AUTODIFF_DERIVATIVEREQUEST_H
