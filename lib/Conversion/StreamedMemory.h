//===- StreamedMemory.h - What is written past the caches -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_STREAMEDMEMORY_H
#define COMM_LIB_CONVERSION_STREAMEDMEMORY_H

#include "mlir/IR/Value.h"

namespace mlir::comm {

/// Whether this argument of a kernel is memory that the kernel only writes to,
/// every element once and in the order of the addresses, and that is larger
/// than caches are. Such memory is best written past the caches: an ordinary
/// store reads what it is about to overwrite. What the kernel overwrites or
/// adds to is not, as it has been read anyway, nor what is of a size that only
/// the run knows. Looks at loops: ops of linalg are none yet.
bool isStreamed(BlockArgument memory);

} // namespace mlir::comm

#endif // COMM_LIB_CONVERSION_STREAMEDMEMORY_H
