//===- Artifact.h - A program compiled to a shared object -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared object that comm-compile has made says what it is by its symbol
// `comm_artifact`, a text that ends with a null byte:
//
//   comm-artifact 1
//   abi 4
//   target host
//   compiler "comm 0.1.0, LLVM 22.1.8"
//   processor "znver3" avx avx2 fma
//   axis "tp" 4
//   function "layer"
//   argument "x" f32 [ 4 ? ] over 0
//   argument "scale" f32
//   result "y" f32 [ 4 ? ] over 0
//   function "layer_vjp" of "layer"
//   ...
//   result "x" f32 [ 4 ? ] over 0 gradient 0
//
// `over` is followed by positions of axes, `gradient` by the position of the
// argument whose gradient a result is. A value without brackets is a scalar.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_ARTIFACT_H
#define COMM_RUNNER_ARTIFACT_H

#include "comm/Runner/ChooseFunction.h"
#include "comm/Runner/Invoke.h"
#include "comm/Runner/Target.h"

namespace mlir::comm::runner {

/// One function of an artifact.
struct ArtifactFunction {
  FunctionSignature signature;
  /// The function whose vector-Jacobian product this is; empty for others.
  std::string vjpOf;
};

/// What an artifact says of itself.
struct ArtifactDescription {
  int32_t abiVersion = COMM_RUNTIME_ABI_VERSION;
  Target target = Target::Host;
  /// Which compiler made it.
  std::string compiler;
  /// The processor that it was made for, and the instruction sets that it may
  /// use (see getKnownFeatures).
  std::string processor;
  std::vector<std::string> features;
  Mesh mesh;
  /// Their meshes are this one.
  std::vector<ArtifactFunction> functions;
};

/// The text of `comm_artifact`.
std::string formatDescription(const ArtifactDescription &description);
/// Reads it back. The failure says what is wrong where.
Result<ArtifactDescription> parseDescription(const std::string &text);

/// For a person to read, such as
/// "@layer(x: 4x?xf32 replicated over tp, w: f32) -> (y: 4x?xf32)".
std::string formatFunction(const FunctionSignature &signature);
/// All of the description, likewise, in lines.
std::string describe(const ArtifactDescription &description);

/// Names of symbols of an artifact.
inline constexpr const char *kArtifactSymbol = "comm_artifact";
/// The form of a function that takes a pointer to each parameter.
std::string getPackedName(std::string_view function);

/// An artifact in this process, until that ends: the runtime keeps pointers to
/// its constants.
class Artifact {
public:
  /// Loads the file. Whatever is not an artifact that this runtime and this
  /// processor can run is a failure.
  static Result<Artifact> load(const std::string &path);

  const ArtifactDescription &getDescription() const { return description; }
  std::vector<NamedFunction> getFunctions() const;
  /// Null where there is none.
  const ArtifactFunction *find(const std::string &name) const;
  /// The vector-Jacobian product of `function` with respect to exactly these
  /// arguments; null where there is none.
  const ArtifactFunction *findVjp(const std::string &function,
                                  const std::vector<unsigned> &wrt) const;
  /// Fails unless `backend` runs programs of the artifact's target.
  MaybeFailure checkBackend(const std::string &backend) const;

  /// The code of a function that the description has.
  Result<PackedFunction> lookup(const std::string &name) const;

private:
  Artifact() = default;

  std::string path;
  void *handle = nullptr;
  ArtifactDescription description;
};

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_ARTIFACT_H
