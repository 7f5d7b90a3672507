//===- Ptx.h - Runs PTX kernels on the host ---------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An interpreter of PTX for tests: the kernels that are shipped run where no
// GPU is. Threads of a block run one after the other, each until it waits for
// others; blocks run in order. What the interpreter does not know, and what is
// undefined in PTX where that can be seen (a barrier that some threads of a
// block never reach, an access outside shared memory, a race on shared memory,
// a misaligned address), is an error that names the line, never a value.
//
// The instructions follow "Parallel Thread Execution ISA", version 9.0. The
// approximate functions (ex2.approx, ...) are computed as exactly as the host
// can, so results may differ from a GPU's by the error that the ISA allows.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTX_H
#define COMM_TEST_CUDADOUBLE_PTX_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptx {

struct Function;
struct Program;

/// What a kernel takes; sizes in bytes.
struct Parameter {
  std::string name;
  uint64_t size = 0;
  uint64_t alignment = 1;
};

/// An `.entry`. It lives as long as its module.
struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  /// Bytes of static shared memory that it and what it calls name.
  uint64_t sharedBytes = 0;
  /// Threads of a block at most (.maxntid) or exactly (.reqntid); 0: not said.
  uint64_t maximumThreads = 0;
  uint64_t requiredThreads = 0;
  /// "line 12: unknown instruction 'foo.b32'": why it cannot run, with what it
  /// calls. Empty where everything is known.
  std::vector<std::string> problems;

  const Function *function = nullptr;
  const Program *program = nullptr;
};

/// A parsed and decoded PTX text.
class Module {
public:
  /// Null and `error` ("line 3: expected ';', got '}'") where the text is not
  /// PTX. Instructions that are not known do not fail here: see
  /// Kernel::problems. The text may end with a zero byte.
  static std::unique_ptr<Module> parse(std::string_view text,
                                       std::string &error);
  ~Module();

  /// Null where there is no such `.entry`.
  const Kernel *getKernel(const std::string &name) const;
  const std::map<std::string, Kernel> &getKernels() const { return kernels; }
  /// The bytes of a `.global` or `.const` variable, which live as long as the
  /// module; none where there is no such variable.
  std::string_view getVariable(const std::string &name) const;

  /// Of all functions, also of those that no kernel calls.
  const std::vector<std::string> &getProblems() const { return problems; }

private:
  Module();

  std::unique_ptr<Program> program;
  std::map<std::string, Kernel> kernels;
  std::map<std::string, std::string_view> variables;
  std::vector<std::string> problems;
};

/// Global memory: every access to an address that is not in the module's own
/// `.global` and `.const` variables. An implementation refuses an access by
/// throwing a std::exception: what it says ends up in the error of `run`.
struct Memory {
  virtual ~Memory();
  virtual void read(uint64_t address, uint64_t bytes, void *to) = 0;
  virtual void write(uint64_t address, uint64_t bytes, const void *from) = 0;
};

/// Runs `blocks` blocks of `threads` threads (1-D); `arguments[i]` is the
/// address of the value of parameter i. False, with "kernel 'k', block 0,
/// thread 5, line 12: ..." in `error`, where something is wrong; what was
/// written before stays written. Several threads of the host may run kernels of
/// a module at a time.
bool run(const Kernel &kernel, uint64_t blocks, uint64_t threads,
         void **arguments, Memory &memory, std::string &error);

} // namespace ptx

#endif // COMM_TEST_CUDADOUBLE_PTX_H
