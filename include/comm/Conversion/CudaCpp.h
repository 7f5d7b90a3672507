//===- CudaCpp.h - A program as CUDA C++ to be read -*- C++ -*-
//-------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CONVERSION_CUDACPP_H
#define COMM_CONVERSION_CUDACPP_H

#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class SourceMgr;
}

namespace mlir::comm {

/// Remembers the names that arguments and results of ops have in `text`, which
/// the module was parsed from, in their locations: before passes run, so that
/// what is made of an op keeps its name.
void nameValues(ModuleOp module, const llvm::SourceMgr &text);

struct CudaCppOptions {
  /// Check sizes and indices of local ops while it runs.
  bool verifyRuntime = false;
  /// Call NCCL for groups of one rank too.
  bool keepGroupsOfOne = false;
};

/// Prints a module of tensors, already differentiated, as one file of CUDA C++
/// that calls CUDA, cuBLASLt and NCCL and nothing of this project. Lowers the
/// module for this. Fails after reporting each op that has no text.
LogicalResult translateToCudaCpp(ModuleOp module, llvm::raw_ostream &os,
                                 const CudaCppOptions &options = {});

} // namespace mlir::comm

#endif // COMM_CONVERSION_CUDACPP_H
