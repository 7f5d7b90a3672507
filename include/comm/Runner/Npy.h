//===- Npy.h - NumPy's array files ------------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Format: numpy.lib.format, versions 1 to 3; little endian. NumPy has no bf16:
// such a tensor is written as f4, which holds every bf16 exactly.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_NPY_H
#define COMM_RUNNER_NPY_H

#include "comm/Runner/HostTensor.h"

namespace mlir::comm::runner {

/// Reads an array of f2, f4, f8, i1, i2, i4, i8 or b1, in C or in Fortran
/// order. A file that is missing, truncated, too long or of another kind is a
/// usage failure that names the file.
Result<HostTensor> readNpy(const std::string &path);
/// Whether a file can be written, without doing it.
MaybeFailure checkWritable(const std::string &path);
/// Writes a version 1.0 file in C order.
MaybeFailure writeNpy(const std::string &path, const HostTensor &tensor);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_NPY_H
