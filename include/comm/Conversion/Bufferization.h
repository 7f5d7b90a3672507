//===- Bufferization.h - Collectives on memrefs -----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CONVERSION_BUFFERIZATION_H
#define COMM_CONVERSION_BUFFERIZATION_H

namespace mlir {
class DialectRegistry;

namespace comm {

/// Lets one-shot-bufferize know the collectives. The ops that
/// `comm-lower-local` lowers (`vary`, `all_slice`, `root_mask`) are not among
/// them. Buffers of memref forms are contiguous.
void registerBufferizationModels(DialectRegistry &registry);

} // namespace comm
} // namespace mlir

#endif // COMM_CONVERSION_BUFFERIZATION_H
