//===- CommDialect.cpp - Registration, attributes and types ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommSyntax.h"
#include "comm/IR/Comm.h"
#include "comm/IR/KernelAttr.h"
#include "comm/Interfaces/RegionAdjointOpInterface.h"
#include "comm/Interfaces/SameShapeBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::comm;

#include "comm/IR/CommDialect.cpp.inc"

#include "comm/IR/CommEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "comm/IR/CommAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "comm/IR/CommTypes.cpp.inc"

#include "comm/IR/CollectiveOpInterface.cpp.inc"

#define GET_OP_CLASSES
#include "comm/IR/CommOps.cpp.inc"

namespace {
/// A collective may stand wherever the function that held it may.
struct CommInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void CommDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "comm/IR/CommAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "comm/IR/CommTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "comm/IR/CommOps.cpp.inc"
      >();
  addInterfaces<CommInlinerInterface>();
  // Sizes that a loop does not change are found through these.
  for (StringRef name :
       {AllReduceOp::getOperationName(), BroadcastOp::getOperationName(),
        PermuteOp::getOperationName(), ReduceOp::getOperationName(),
        RootMaskOp::getOperationName(), VaryOp::getOperationName()})
    RegisteredOperationName::lookup(name, getContext())
        ->attachInterface<SameShapeBounds>();
}

LogicalResult AxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               FlatSymbolRefAttr mesh,
                               ArrayRef<StringAttr> axes) {
  // axes_c1
  if (axes.empty())
    return emitError() << "expected at least one axis of '" << mesh << "'";
  // axes_c2
  llvm::SmallPtrSet<StringAttr, 4> seen;
  for (StringAttr axis : axes)
    if (!seen.insert(axis).second)
      return emitError() << "axis '" << axis.getValue() << "' is named twice";
  return success();
}

bool MessageType::isDifferentiable() const {
  return comm::isDifferentiable(getPayload());
}

/// Verifies a mark `comm.replicated` (axes_c3).
static LogicalResult verifyMark(Operation *op, NamedAttribute attribute,
                                const Twine &where) {
  if (llvm::is_contained({kStateAttrName, kActiveAttrName},
                         attribute.getName().getValue()))
    return success();
  if (attribute.getName() != kReplicatedAttrName)
    return op->emitError() << "'" << attribute.getName().getValue()
                           << "' is not an attribute of " << where.str();
  auto axes = dyn_cast<AxesAttr>(attribute.getValue());
  if (!axes)
    return op->emitError() << "'" << kReplicatedAttrName << "' of "
                           << where.str()
                           << " expects axes such as #comm.axes<@mesh[\"tp\"]>"
                              ", got "
                           << attribute.getValue();
  return verifyAxes(op, axes, where.str() + " is marked replicated");
}

LogicalResult CommDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  return verifyMark(op, attribute, "argument " + Twine(argument));
}

LogicalResult CommDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (function && function.isDeclaration() &&
      attribute.getName() == kReplicatedAttrName)
    return op->emitError() << "result " << result
                           << " of a declaration is marked replicated, which "
                              "cannot be proved: give the function a body or "
                              "drop the mark";
  return verifyMark(op, attribute, "result " + Twine(result));
}

/// Verifies the form of `comm.custom_vjp`; what it names is verified where it
/// is used, as other functions may be changing.
static LogicalResult verifyCustomVjpAttr(Operation *op, Attribute attribute) {
  if (!isa<FunctionOpInterface>(op))
    return op->emitError() << "'" << kCustomVjpAttrName
                           << "' is an attribute of functions only";
  auto pair = dyn_cast<ArrayAttr>(attribute);
  if (isa<FlatSymbolRefAttr>(attribute) ||
      (pair && pair.size() == 2 &&
       llvm::all_of(pair, llvm::IsaPred<FlatSymbolRefAttr>)))
    return success();
  return op->emitError() << "'" << kCustomVjpAttrName
                         << "' expects a function such as @g, or two such as "
                            "[@forward, @backward], got "
                         << attribute;
}

/// An op that is computed again has to give the same result twice.
static LogicalResult verifyRecompute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (!isa<UnitAttr>(attribute.getValue()))
    return op->emitError() << "'" << name << "' expects no value, got "
                           << attribute.getValue();
  bool carriesMessage =
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MessageType>) ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<MessageType>);
  if (carriesMessage)
    return op->emitError() << "'" << op->getName() << "' cannot be marked '"
                           << name
                           << "': expected an op whose results can be "
                              "computed again";
  return success();
}

LogicalResult CommDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (llvm::is_contained({kRecomputeAttrName, kRecomputedAttrName},
                         attribute.getName().getValue()))
    return verifyRecompute(op, attribute);
  if (llvm::is_contained({kStateAttrName, kArgumentStatesAttrName,
                          kActiveAttrName, kKernelAttrName, kTapeAttrName},
                         attribute.getName().getValue()))
    return success();
  if (attribute.getName() == kCustomVjpAttrName)
    return verifyCustomVjpAttr(op, attribute.getValue());
  return op->emitError() << "'" << attribute.getName().getValue()
                         << "' is not an attribute of operations; mark an "
                            "argument or a result";
}
