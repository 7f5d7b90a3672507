//===- CudaToolkit.h - Where CUDA's compilers are ---------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_CUDATOOLKIT_H
#define COMM_LIB_CONVERSION_CUDATOOLKIT_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::comm {

/// The folder of the CUDA toolkit: `given`, or what CUDA_ROOT, CUDA_HOME or
/// CUDA_PATH say, or the one that the ptxas in PATH is of; else "".
std::string findCudaToolkit(llvm::StringRef given);

} // namespace mlir::comm

#endif // COMM_LIB_CONVERSION_CUDATOOLKIT_H
