//===- ExternalModels.h - Adjoints of upstream ops --------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_AUTODIFF_EXTERNALMODELS_H
#define COMM_AUTODIFF_EXTERNALMODELS_H

namespace mlir {
class DialectRegistry;
}

namespace mlir::comm {

/// Each attaches the rules of one upstream dialect's ops (external models of
/// AdjointOpInterface, RegionAdjointOpInterface or RegionTangentOpInterface)
/// when that dialect is loaded, and loads the dialects in which the rules are
/// written.
void registerArithAdjointModels(DialectRegistry &registry);
void registerFuncAdjointModels(DialectRegistry &registry);
void registerFuncTangentModels(DialectRegistry &registry);
void registerScfTangentModels(DialectRegistry &registry);
void registerLinalgAdjointModels(DialectRegistry &registry);
void registerMathAdjointModels(DialectRegistry &registry);
void registerScfAdjointModels(DialectRegistry &registry);
void registerTensorAdjointModels(DialectRegistry &registry);

} // namespace mlir::comm

#endif // COMM_AUTODIFF_EXTERNALMODELS_H
