//===- ValueSpec.h - The grammar of the value flags -------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   --input=NAME[@RANK]=[SHAPExTYPE=]VALUE      also --expect, --seed
//   --output=NAME[@RANK]=@FILE
//
//   NAME        x, %x, grad.x or a position
//   RANK        a world rank; without it the flag is for every rank
//   SHAPExTYPE  4x2xf32, f32
//   VALUE       literals: 1,2,3  [[1,2],[3,4]]  true  nan  -inf  0x7fc0; a
//               single one fills the tensor
//               rand iota ones zeros rank
//               @FILE, a .npy file, where {rank} stands for the world rank
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_VALUESPEC_H
#define COMM_RUNNER_VALUESPEC_H

#include "comm/Runner/Signature.h"

namespace mlir::comm::runner {

/// A type given in a flag.
struct TypeSpec {
  CommDataType type;
  Shape shape;
};

/// One value flag, split into its parts.
struct ValueSpec {
  /// As typed, such as "--input=x@1=ones"; every message starts with it.
  std::string flag;
  std::string name;
  std::optional<int64_t> rank;
  std::optional<TypeSpec> type;
  std::string value;
};

/// One output flag, split into its parts.
struct OutputSpec {
  std::string flag;
  std::string name;
  std::optional<int64_t> rank;
  /// May hold {rank}.
  std::string path;
};

/// "4x2xf32"; nothing where `text` is not such a type or has a size "?".
std::optional<TypeSpec> parseTypeSpec(std::string_view text);
/// `text` is what stands after `flag` ("--input") and its equals sign.
Result<ValueSpec> parseValueSpec(const std::string &flag,
                                 const std::string &text);
Result<OutputSpec> parseOutputSpec(const std::string &flag,
                                   const std::string &text);

/// `path` with every {rank} replaced.
std::string expandRank(const std::string &path, int64_t rank);

/// What a value flag needs to know to become a tensor.
struct ValueContext {
  /// The value that the flag is for.
  const ValueInfo &info;
  /// Such as "argument 'x'", for messages.
  std::string description;
  int64_t rank;
  /// The stream of `rand`: equal streams give equal values.
  uint64_t randomStream;
};

/// The tensor that the flag gives to one rank. Its shape is one that the value
/// accepts, with every size known. Failures start with the flag.
Result<HostTensor> evaluateValueSpec(const ValueSpec &spec,
                                     const ValueContext &context);

/// Fills `tensor`: floats uniform in [-1, 1), integers in -8..7, i1 at random.
/// Element i depends on the stream and i alone.
void fillRandom(HostTensor &tensor, uint64_t stream);
/// The stream of value number `position` on replica class `replicaClass`.
uint64_t getRandomStream(uint64_t seed, unsigned position,
                         int64_t replicaClass);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_VALUESPEC_H
