//===- Derivatives.cpp - A function and its derivatives -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Derivatives.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

Result<Derivatives> Derivatives::compile(Program &program, const Vjp &vjp,
                                         Program *handWritten, Modes modes,
                                         const CodeOptions &options) {
  const Failure refused{ExitCode::Compile, ""};
  std::vector<FunctionSignature> signatures = {program.signature};
  if (!handWritten) {
    Vjp generated = vjp;
    if (failed(addVjp(program, generated)))
      return refused;
    signatures.push_back(generated.signature);
  }
  if (modes == Modes::Both) {
    FailureOr<FunctionSignature> jvp = addJvp(program, vjp);
    if (failed(jvp))
      return refused;
    signatures.push_back(*jvp);
  }
  Result<std::vector<Code>> codes =
      Code::compile(*program.module, signatures, options);
  if (!codes)
    return codes.getFailure();
  if (handWritten) {
    // Called by its own name, described as what would be generated.
    FunctionSignature signature = vjp.signature;
    signature.name = handWritten->signature.name;
    Result<std::vector<Code>> backward =
        Code::compile(*handWritten->module, {signature}, options);
    if (!backward)
      return backward.getFailure();
    codes->insert(codes->begin() + 1, backward->front());
  }
  Derivatives derivatives{vjp, (*codes)[0], (*codes)[1], std::nullopt};
  if (modes == Modes::Both)
    derivatives.tangent = (*codes)[2];
  return derivatives;
}

Result<RankValues> Derivatives::runJvp(const RankValues &inputs,
                                       const RankValues &tangents) const {
  Result<RankValues> results = tangent->run(joinValues(inputs, tangents));
  if (!results)
    return results;
  for (std::vector<HostTensor> &ofRank : *results)
    ofRank.erase(ofRank.begin(),
                 ofRank.begin() + getSignature().results.size());
  return results;
}

RankValues comm::runner::makeDirection(const Derivatives &code,
                                       const RankValues &inputs,
                                       unsigned number, uint64_t seed) {
  unsigned position = code.vjp.wrt[number];
  const ValueInfo &info = code.getArgument(number);
  RankValues direction(inputs.size());
  for (size_t rank = 0; rank < inputs.size(); ++rank) {
    HostTensor tensor(info.type, inputs[rank][position].getShape());
    int64_t replicaClass =
        getReplicaClass(code.getSignature().mesh, info.replicatedAxes, rank);
    fillRandom(tensor, getRandomStream(seed, position, replicaClass));
    direction[rank].push_back(std::move(tensor));
  }
  return direction;
}

RankValues comm::runner::makeTangents(const Derivatives &code,
                                      const RankValues &inputs, unsigned number,
                                      const RankValues &direction) {
  RankValues tangents(inputs.size());
  for (size_t rank = 0; rank < inputs.size(); ++rank)
    for (unsigned i = 0; i < code.vjp.wrt.size(); ++i)
      tangents[rank].push_back(
          i == number ? direction[rank][0]
                      : HostTensor(code.getArgument(i).type,
                                   inputs[rank][code.vjp.wrt[i]].getShape()));
  return tangents;
}
