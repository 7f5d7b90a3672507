//===- ScfReplication.h - What controls the regions of scf ------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_EXTERNALMODELS_SCFREPLICATION_H
#define COMM_ANALYSIS_EXTERNALMODELS_SCFREPLICATION_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::comm {

/// Registers ControllingOpInterface for the structured ops of scf.
void registerScfReplicationModels(DialectRegistry &registry);

} // namespace mlir::comm

#endif // COMM_ANALYSIS_EXTERNALMODELS_SCFREPLICATION_H
