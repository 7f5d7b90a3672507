//===- Reference.cpp - A serial twin to compare with ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "../WidenFloats.h"
#include "InnerProduct.h"
#include "MatchSignature.h"
#include "comm/IR/Comm.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

/// How far the two may be apart in f64, relative to the largest element: they
/// add in different orders.
static constexpr double referenceTolerance = 1e-9;

/// An argument that ranks have parts of cannot be given to one rank.
static MaybeFailure checkArguments(const FunctionSignature &checked,
                                   const std::string &flag) {
  for (unsigned i = 0; i < checked.arguments.size(); ++i)
    for (size_t axis = 0; axis < checked.mesh.size(); ++axis)
      if (checked.mesh[axis].size > 1 &&
          !llvm::is_contained(checked.arguments[i].replicatedAxes,
                              int64_t(axis)))
        return usageFailure(
            flag + ": " + describeValue(checked, ValueKind::Argument, i) +
            " of '@" + checked.name + "' varies over '" +
            checked.mesh[axis].name +
            "', and a function of one rank has whole values: check a function "
            "of replicated arguments that slices them (comm.all_slice) and "
            "calls '@" +
            checked.name + "'");
  return std::nullopt;
}

/// Reports every op of the twin that needs to know of other ranks.
static LogicalResult refuseCollectives(ModuleOp module) {
  bool ok = true;
  module.walk([&](Operation *op) {
    bool isState = isa<VaryOp>(op);
    bool isOfRanks = isa<CollectiveOpInterface, AxisIndexOp, BarrierOp>(op);
    if (!isOfRanks || isState)
      return;
    op->emitError() << "'" << op->getName()
                    << "' in a reference, which is a function of one rank";
    ok = false;
  });
  return success(ok);
}

/// On one rank every mark holds, and every change of state is nothing.
static void makeOneRank(Program &program) {
  for (auto mesh : (*program.module).getOps<MeshOp>())
    mesh.setAxisSizes(SmallVector<int64_t>(mesh.getAxisSizes().size(), 1));
  for (runtime::MeshAxis &axis : program.signature.mesh)
    axis.size = 1;
}

Result<Reference> Reference::create(Program program,
                                    const FunctionSignature &expected,
                                    const std::vector<std::string> &wrt,
                                    const std::string &flag,
                                    const CodeOptions &options) {
  const Failure refused{ExitCode::Compile, ""};
  if (MaybeFailure failure = matchSignature(flag, program.signature, expected,
                                            "'@" + expected.name + "'"))
    return *failure;
  if (MaybeFailure failure = checkArguments(expected, flag))
    return *failure;
  if (failed(refuseCollectives(*program.module)))
    return refused;
  makeOneRank(program);
  // The checked function's names are those that --wrt has.
  FunctionSignature signature = expected;
  signature.name = program.signature.name;
  signature.mesh = program.signature.mesh;
  program.signature = widenFloats(signature);
  if (failed(resolveProgram(program)) || failed(widenFloats(*program.module)))
    return refused;
  Result<Vjp> vjp = describeVjp(program.signature, wrt);
  if (!vjp)
    return vjp.getFailure();
  if (failed(addVjp(program, *vjp)))
    return refused;
  Result<std::vector<Code>> codes =
      Code::compile(*program.module, {vjp->signature}, options);
  if (!codes)
    return codes.getFailure();
  return Reference(*vjp, codes->front());
}

MaybeFailure Reference::run(const FunctionSignature &checked,
                            const RankValues &inputs, const RankValues &seeds) {
  std::vector<HostTensor> values = inputs[0];
  for (unsigned i = 0; i < vjp.seeded.size(); ++i) {
    HostTensor sum(COMM_F64, seeds[0][i].getShape());
    for (int64_t rank :
         getReplicaClasses(checked.mesh, checked.results[vjp.seeded[i]]))
      for (int64_t j = 0; j < sum.getElementCount(); ++j)
        sum.setDouble(j, sum.getDouble(j) + seeds[rank][i].getDouble(j));
    values.push_back(std::move(sum));
  }
  Result<RankValues> got = code.run({values});
  if (!got)
    return got.getFailure();
  results = std::move(*got);
  return std::nullopt;
}

void Reference::compare(const RankValues &checked, unsigned position,
                        ValueReport &report) const {
  // The twin's value is that of every rank.
  RankValues expected(checked.size(), {results[0][position]});
  report.get(CheckKind::Reference) =
      runner::compare({checked, position}, {expected, 0}, referenceTolerance);
}
