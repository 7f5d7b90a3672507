//===- ScfReplication.cpp - What controls the regions of scf --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Analysis/ExternalModels/ScfReplication.h"
#include "comm/Interfaces/ReplicationOpInterface.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::comm;

namespace {
struct IfModel : ControllingOpInterface::ExternalModel<IfModel, scf::IfOp> {
  SmallVector<Value> getControllingValues(Operation *op) const {
    return {cast<scf::IfOp>(op).getCondition()};
  }
};

struct IndexSwitchModel
    : ControllingOpInterface::ExternalModel<IndexSwitchModel,
                                            scf::IndexSwitchOp> {
  SmallVector<Value> getControllingValues(Operation *op) const {
    return {cast<scf::IndexSwitchOp>(op).getArg()};
  }
};

struct ForModel : ControllingOpInterface::ExternalModel<ForModel, scf::ForOp> {
  SmallVector<Value> getControllingValues(Operation *op) const {
    auto loop = cast<scf::ForOp>(op);
    return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  }
};

struct WhileModel
    : ControllingOpInterface::ExternalModel<WhileModel, scf::WhileOp> {
  SmallVector<Value> getControllingValues(Operation *op) const {
    return {cast<scf::WhileOp>(op).getConditionOp().getCondition()};
  }
};

struct ExecuteRegionModel
    : ControllingOpInterface::ExternalModel<ExecuteRegionModel,
                                            scf::ExecuteRegionOp> {
  SmallVector<Value> getControllingValues(Operation *) const { return {}; }
};
} // namespace

void comm::registerScfReplicationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    scf::IfOp::attachInterface<IfModel>(*context);
    scf::IndexSwitchOp::attachInterface<IndexSwitchModel>(*context);
    scf::ForOp::attachInterface<ForModel>(*context);
    scf::WhileOp::attachInterface<WhileModel>(*context);
    scf::ExecuteRegionOp::attachInterface<ExecuteRegionModel>(*context);
  });
}
