//===- PtxTesting.h - What tests of PTX kernels share -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTXTESTING_H
#define COMM_TEST_CUDADOUBLE_PTXTESTING_H

#include "Ptx.h"
#include "PtxFormats.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>

namespace ptx::testing {

/// The vectors of a test, and nothing else.
class HostMemory : public Memory {
public:
  template <class T>
  void add(std::vector<T> &data) {
    ranges[reinterpret_cast<uint64_t>(data.data())] = data.size() * sizeof(T);
  }
  void read(uint64_t address, uint64_t bytes, void *to) override {
    check(address, bytes);
    std::memcpy(to, reinterpret_cast<const void *>(address), bytes);
  }
  void write(uint64_t address, uint64_t bytes, const void *from) override {
    check(address, bytes);
    std::memcpy(reinterpret_cast<void *>(address), from, bytes);
  }

private:
  void check(uint64_t address, uint64_t bytes) const {
    auto it = ranges.upper_bound(address);
    if (it == ranges.begin() ||
        address - std::prev(it)->first + bytes > std::prev(it)->second)
      throw std::runtime_error("no allocation is at the address");
  }

  std::map<uint64_t, uint64_t> ranges;
};

inline std::string readFile(const std::string &path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Parses; a failure of the test where the text is not PTX.
inline std::unique_ptr<Module> parse(std::string_view text) {
  std::string error;
  std::unique_ptr<Module> module = Module::parse(text, error);
  EXPECT_TRUE(module) << error;
  return module;
}

/// A module and what its kernels work on.
class Runner {
public:
  explicit Runner(std::string_view text) : module(parse(text)) {}

  /// The error; empty where there is none. Vectors are passed as pointers.
  template <class... Arguments>
  std::string tryRun(const std::string &name, uint64_t blocks, uint64_t threads,
                     Arguments &&...arguments) {
    const Kernel *kernel = module ? module->getKernel(name) : nullptr;
    if (!kernel)
      return "no kernel '" + name + "'";
    HostMemory memory;
    std::vector<uint64_t> values = {pass(memory, arguments)...};
    std::vector<void *> pointers;
    for (uint64_t &value : values)
      pointers.push_back(&value);
    if (pointers.size() != kernel->parameters.size())
      return "another number of parameters";
    std::string error;
    return ptx::run(*kernel, blocks, threads, pointers.data(), memory, error)
               ? ""
               : error;
  }

  template <class... Arguments>
  void run(const std::string &name, uint64_t blocks, uint64_t threads,
           Arguments &&...arguments) {
    EXPECT_EQ(tryRun(name, blocks, threads, arguments...), "") << name;
  }

  const Module &getModule() const { return *module; }

private:
  template <class T>
  static uint64_t pass(HostMemory &memory, std::vector<T> &data) {
    memory.add(data);
    return reinterpret_cast<uint64_t>(data.data());
  }
  template <class T>
  static uint64_t pass(HostMemory &, const T &scalar) {
    uint64_t value = 0;
    std::memcpy(&value, &scalar, sizeof(scalar));
    return value;
  }

  std::unique_ptr<Module> module;
};

/// The module around a kernel 'k' with the body: %p, %rs, %r, %rd registers,
/// parameters p0, p1, p2 of 64 bits.
inline std::string makeKernel(const std::string &body,
                              const std::string &before = "") {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + before +
         "\n.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 "
         "p2)\n{\n"
         ".reg .pred %p<10>;\n.reg .b16 %rs<20>;\n.reg .b32 %r<20>;\n"
         ".reg .b64 %rd<20>;\n" +
         body + "\nret;\n}\n";
}

/// Element `index` of a column of a format, given by its bytes.
inline double getElement(const Format &format, const std::vector<uint8_t> &data,
                         size_t index) {
  uint64_t bits = 0;
  std::memcpy(&bits, &data[index * format.bits / 8], format.bits / 8);
  return widen(format, bits);
}

inline void setElement(const Format &format, std::vector<uint8_t> &data,
                       size_t index, uint64_t bits) {
  std::memcpy(&data[index * format.bits / 8], &bits, format.bits / 8);
}

} // namespace ptx::testing

#endif // COMM_TEST_CUDADOUBLE_PTXTESTING_H
