//===- Header.cpp - Prototypes of compiled functions ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Header.h"

#include <algorithm>
#include <cctype>
#include <set>

using namespace mlir::comm;
using namespace mlir::comm::runner;

/// What C calls an element. Those of f16 and bf16 are their bits.
static const char *getElementType(CommDataType type) {
  switch (type) {
  case COMM_F16:
  case COMM_BF16:
    return "uint16_t";
  case COMM_F32:
    return "float";
  case COMM_F64:
    return "double";
  case COMM_I1:
    return "uint8_t";
  case COMM_I8:
    return "int8_t";
  case COMM_I16:
    return "int16_t";
  case COMM_I32:
    return "int32_t";
  case COMM_I64:
    return "int64_t";
  }
  return "";
}

/// Letters, digits and underscores, not beginning with a digit.
static bool isIdentifier(const std::string &name) {
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '_';
         });
}

static std::string makeIdentifier(std::string name) {
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return isIdentifier(name) ? name : "_" + name;
}

namespace {

/// Names that are all different.
class Names {
public:
  Names()
      : taken({"auto",     "bool",     "break",    "case",      "catch",
               "char",     "class",    "const",    "context",   "continue",
               "default",  "delete",   "do",       "double",    "else",
               "enum",     "explicit", "export",   "extern",    "false",
               "float",    "for",      "friend",   "goto",      "if",
               "inline",   "int",      "long",     "mutable",   "namespace",
               "new",      "operator", "private",  "protected", "public",
               "register", "results",  "return",   "short",     "signed",
               "sizeof",   "static",   "status",   "struct",    "switch",
               "template", "this",     "throw",    "true",      "try",
               "typedef",  "union",    "unsigned", "using",     "virtual",
               "void",     "volatile", "while"}) {}

  std::string add(const std::string &wanted) {
    std::string name = makeIdentifier(wanted);
    for (unsigned number = 2; !taken.insert(name).second; ++number)
      name = makeIdentifier(wanted) + "_" + std::to_string(number);
    return name;
  }

private:
  std::set<std::string> taken;
};

} // namespace

static std::string getTensorSuffix(const ValueInfo &value) {
  return std::string(runtime::getName(value.type)) + "_" +
         std::to_string(value.shape.size());
}

/// The descriptor of a type and a rank, and what makes one.
static std::string formatTensorType(const ValueInfo &value) {
  std::string suffix = getTensorSuffix(value);
  std::string type = "CommTensor_" + suffix;
  std::string element = getElementType(value.type);
  size_t rank = value.shape.size();
  std::string sizes = std::to_string(rank);
  std::string text = "#ifndef COMM_TENSOR_" + suffix +
                     "\n#define COMM_TENSOR_" + suffix + "\ntypedef struct " +
                     type + " {\n  " + element +
                     " *allocated, *aligned;\n  int64_t offset";
  if (rank)
    text += ", sizes[" + sizes + "], strides[" + sizes + "]";
  text += ";\n} " + type + ";\nstatic inline " + type + " comm_tensor_" +
          suffix + "(" + element + " *data";
  for (size_t i = 0; i < rank; ++i)
    text += ", int64_t size" + std::to_string(i);
  text += ") {\n  " + type + " tensor = {data, data, 0";
  std::string list, strides;
  for (size_t i = 0; i < rank; ++i) {
    list += (i ? ", size" : "size") + std::to_string(i);
    std::string stride;
    for (size_t j = i + 1; j < rank; ++j)
      stride += (stride.empty() ? "size" : " * size") + std::to_string(j);
    strides += (i ? ", " : "") + (stride.empty() ? "1" : stride);
  }
  if (rank)
    text += ", {" + list + "}, {" + strides + "}";
  return text + "};\n  return tensor;\n}\n#endif\n";
}

/// Whether C has a type whose values are passed as the function wants them.
static bool canPass(const ValueInfo &argument) {
  return !argument.isScalar ||
         (argument.type != COMM_F16 && argument.type != COMM_BF16);
}

static std::string formatPrototype(const FunctionSignature &signature) {
  const std::string &name = signature.name;
  std::string text = "\n// " + formatFunction(signature) + "\n";
  if (!isIdentifier(name) || !std::all_of(signature.arguments.begin(),
                                          signature.arguments.end(), canPass))
    return text + "// C cannot call this one by its name: see " +
           getPackedName(name) + " in docs/Runtime.md.\n";
  text += "typedef struct " + name + "_results {\n  int32_t status;\n";
  Names fields;
  for (unsigned i = 0; i < signature.results.size(); ++i) {
    const ValueInfo &result = signature.results[i];
    std::string field = getFlagName(signature, ValueKind::Result, i);
    if (result.name.empty() && !result.gradientOf)
      field = "result" + field;
    text += "  " +
            (result.isScalar ? std::string(getElementType(result.type))
                             : "CommTensor_" + getTensorSuffix(result)) +
            " " + fields.add(field) + ";\n";
  }
  text += "} " + name + "_results;\nvoid _mlir_ciface_" + name + "(" + name +
          "_results *results, CommContext *context";
  Names parameters;
  for (unsigned i = 0; i < signature.arguments.size(); ++i) {
    const ValueInfo &argument = signature.arguments[i];
    std::string parameter = getFlagName(signature, ValueKind::Argument, i);
    if (argument.name.empty())
      parameter = "argument" + parameter;
    text += ", " +
            (argument.isScalar
                 ? std::string(getElementType(argument.type)) + " "
                 : "const CommTensor_" + getTensorSuffix(argument) + " *") +
            parameters.add(parameter);
  }
  return text + ");\n";
}

std::string
mlir::comm::runner::formatHeader(const ArtifactDescription &description,
                                 const std::string &name) {
  std::string stem = makeIdentifier(name.substr(0, name.rfind('.')));
  for (char &c : stem)
    c = std::toupper(static_cast<unsigned char>(c));
  std::string text = "// " + name + ": made by comm-compile.\n#ifndef COMM_" +
                     stem + "_H\n#define COMM_" + stem +
                     "_H\n\n#include \"comm/Runtime/CommRuntime.h\"\n\n#if "
                     "COMM_RUNTIME_ABI_VERSION != " +
                     std::to_string(description.abiVersion) +
                     "\n#error \"made for another version of the runtime\"\n"
                     "#endif\n\n// For World::create of "
                     "comm/Runtime/Communicator.h.\n#define " +
                     stem + "_MESH {";
  for (size_t i = 0; i < description.mesh.size(); ++i)
    text += (i ? ", {\"" : "{\"") + description.mesh[i].name + "\", " +
            std::to_string(description.mesh[i].size) + "}";
  text += "}\n#define " + stem + "_BACKEND \"" +
          getBackends(description.target).front() +
          "\"\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";

  std::set<std::string> known;
  for (const ArtifactFunction &function : description.functions)
    for (ValueKind kind : {ValueKind::Argument, ValueKind::Result})
      for (const ValueInfo &value : getValues(function.signature, kind))
        if (!value.isScalar && known.insert(getTensorSuffix(value)).second)
          text += formatTensorType(value);
  for (const ArtifactFunction &function : description.functions)
    text += formatPrototype(function.signature);
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}
