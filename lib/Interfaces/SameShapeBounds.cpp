//===- SameShapeBounds.cpp - Results with the shape of an operand ---------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Interfaces/SameShapeBounds.h"

using namespace mlir;
using namespace mlir::comm;

void comm::attachSameShapeBounds(Dialect *dialect) {
  // Not getRegisteredOperationsByDialect: it misses dialects (MLIR 22.1).
  for (RegisteredOperationName name :
       dialect->getContext()->getRegisteredOperations())
    if (&name.getDialect() == dialect &&
        name.hasTrait<OpTrait::Elementwise>() &&
        !name.hasInterface<ValueBoundsOpInterface>())
      name.attachInterface<SameShapeBounds>();
}
