//===- ExpandCopies.cpp - Copies of strided memory become loops -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"

namespace mlir::comm {
#define GEN_PASS_DEF_EXPANDCOPIES
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

namespace {
struct ExpandCopies : comm::impl::ExpandCopiesBase<ExpandCopies> {
  void runOnOperation() override {
    getOperation().walk([&](memref::CopyOp op) {
      auto source = cast<MemRefType>(op.getSource().getType());
      auto target = cast<MemRefType>(op.getTarget().getType());
      if (source.getLayout().isIdentity() && target.getLayout().isIdentity())
        return;
      OpBuilder builder(op);
      linalg::makeMemRefCopyOp(builder, op.getLoc(), op.getSource(),
                               op.getTarget());
      op->erase();
    });
  }
};
} // namespace
