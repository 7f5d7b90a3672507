//===- PtxModule.cpp - Parses, decodes and links a PTX module -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ptx.h"
#include "PtxDecoder.h"
#include "PtxParser.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace ptx;

Module::Module() : program(std::make_unique<Program>()) {}
Module::~Module() = default;

/// Gives the variables of the module their addresses, and what they start with.
static void placeVariables(ModuleSyntax &syntax, Program &program) {
  // They are in host memory, aligned for any access.
  constexpr uint64_t alignment = 256;
  uint64_t bytes = 0;
  auto forEach = [&](auto &&f) {
    for (Variable &variable : syntax.variables)
      if (variable.space == Space::Global || variable.space == Space::Const)
        f(variable);
  };
  forEach([&](Variable &variable) {
    uint64_t unit = std::max(variable.alignment, uint64_t(16));
    variable.address = (bytes + unit - 1) / unit * unit;
    bytes = variable.address + variable.size;
  });
  program.data.assign((bytes + alignment) / sizeof(uint64_t) + 1, 0);
  uint64_t base = reinterpret_cast<uint64_t>(program.data.data());
  base = (base + alignment - 1) / alignment * alignment;
  forEach([&](Variable &variable) {
    variable.address += base;
    program.extents[variable.address] = {variable.size,
                                         variable.space == Space::Const};
    std::copy(variable.initial.begin(), variable.initial.end(),
              reinterpret_cast<uint8_t *>(variable.address));
  });
}

static void storeAddresses(const ModuleSyntax &syntax) {
  for (const Variable &variable : syntax.variables)
    for (const AddressOf &each : variable.addresses) {
      auto it = syntax.globals.find(each.variable);
      if (it == syntax.globals.end())
        throw SyntaxError(variable.line,
                          "'" + variable.name + "' holds the address of '" +
                              each.variable + "', which is not known");
      uint64_t address = it->second->address + each.addend;
      std::memcpy(reinterpret_cast<void *>(variable.address + each.offset),
                  &address, each.bytes);
    }
}

/// What the function calls becomes part of what it needs.
static void collect(const Function &function, Function &total,
                    std::set<const Function *> &seen) {
  if (!seen.insert(&function).second)
    return;
  if (&function != &total) {
    total.problems.insert(total.problems.end(), function.problems.begin(),
                          function.problems.end());
    total.shared.insert(function.shared.begin(), function.shared.end());
    total.waits |= function.waits;
  }
  for (const Function *callee : function.callees)
    collect(*callee, total, seen);
}

static Kernel makeKernel(const FunctionSyntax &syntax, Function &function,
                         const Program &program) {
  std::set<const Function *> seen;
  collect(function, function, seen);
  Kernel kernel;
  kernel.name = syntax.name;
  for (const Variable *each : syntax.parameters)
    kernel.parameters.push_back({each->name, each->size, each->alignment});
  for (auto [offset, size] : function.shared)
    kernel.sharedBytes += size;
  kernel.maximumThreads = syntax.maximumThreads;
  kernel.requiredThreads = syntax.requiredThreads;
  kernel.problems = function.problems;
  kernel.function = &function;
  kernel.program = &program;
  return kernel;
}

std::unique_ptr<Module> Module::parse(std::string_view text,
                                      std::string &error) {
  std::unique_ptr<Module> module(new Module());
  Program &program = *module->program;
  ModuleSyntax syntax;
  try {
    Parser(text, syntax).parseModule();
    placeVariables(syntax, program);
    storeAddresses(syntax);
  } catch (const SyntaxError &failure) {
    error = failure.what();
    return nullptr;
  }
  for (const Variable &variable : syntax.variables)
    if (variable.space == Space::Global || variable.space == Space::Const)
      module->variables[variable.name] = {
          reinterpret_cast<const char *>(variable.address), variable.size};
  for (const auto &[name, function] : syntax.functions) {
    program.functions[name] = std::make_unique<Function>();
    program.functions[name]->name = name;
  }
  for (const auto &[name, each] : syntax.functions) {
    Function &function = *program.functions[name];
    if (each.hasBody)
      Decoder(syntax, each, program, function).decodeBody();
    else
      function.problems = {"line " + std::to_string(each.line) +
                           ": function '" + name + "' is declared only"};
    if (each.hasBody)
      module->problems.insert(module->problems.end(), function.problems.begin(),
                              function.problems.end());
  }
  for (const auto &[name, each] : syntax.functions)
    if (each.isEntry && each.hasBody)
      module->kernels[name] =
          makeKernel(each, *program.functions[name], program);
  return module;
}

const Kernel *Module::getKernel(const std::string &name) const {
  auto it = kernels.find(name);
  return it == kernels.end() ? nullptr : &it->second;
}

std::string_view Module::getVariable(const std::string &name) const {
  auto it = variables.find(name);
  return it == variables.end() ? std::string_view() : it->second;
}

Memory::~Memory() = default;
