//===- Library.h - Kernels that have been loaded ----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_CUDART_LIBRARY_H
#define COMM_CUDADOUBLE_CUDART_LIBRARY_H

#include "Cudart/Call.h"
#include "Ptx.h"

namespace mlir::comm::cudadouble {

/// What a cudaKernel_t is. It keeps its module alive.
struct Kernel {
  std::shared_ptr<ptx::Module> module;
  const ptx::Kernel *definition;
};

/// What a cudaLibrary_t is: kernels that can be started. With the engine's
/// mutex locked.
class Library {
public:
  explicit Library(std::shared_ptr<ptx::Module> module)
      : module(std::move(module)) {}
  ~Library();

  /// Null where there is none of this name.
  Kernel *getKernel(const std::string &name);

  const std::shared_ptr<ptx::Module> module;

private:
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

/// Starts a kernel that one of the libraries has.
cudaError_t launch(Call &call, const cudaLaunchConfig_t &config,
                   const void *function, void **arguments);

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_CUDART_LIBRARY_H
