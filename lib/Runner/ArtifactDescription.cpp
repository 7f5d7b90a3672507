//===- ArtifactDescription.cpp - What an artifact says of itself ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Artifact.h"

#include <charconv>
#include <sstream>

using namespace mlir::comm;
using namespace mlir::comm::runner;

/// Raised whenever the text's form changes.
static constexpr int64_t formatVersion = 1;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string quote(const std::string &text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    if (c == '\n')
      quoted += "\\n";
    else
      quoted += c;
  }
  return quoted + "\"";
}

static std::string formatValue(const char *kind, const ValueInfo &value) {
  std::string line = std::string(kind) + " " + quote(value.name) + " " +
                     runtime::getName(value.type);
  if (!value.isScalar) {
    line += " [";
    for (int64_t size : value.shape)
      line += " " + (size == kDynamic ? "?" : std::to_string(size));
    line += " ]";
  }
  if (!value.replicatedAxes.empty()) {
    line += " over";
    for (int64_t axis : value.replicatedAxes)
      line += " " + std::to_string(axis);
  }
  if (value.gradientOf)
    line += " gradient " + std::to_string(*value.gradientOf);
  return line + "\n";
}

std::string
mlir::comm::runner::formatDescription(const ArtifactDescription &description) {
  std::string text = "comm-artifact " + std::to_string(formatVersion) + "\n";
  text += "abi " + std::to_string(description.abiVersion) + "\n";
  text += std::string("target ") + getName(description.target) + "\n";
  text += "compiler " + quote(description.compiler) + "\n";
  text += "processor " + quote(description.processor);
  for (const std::string &feature : description.features)
    text += " " + feature;
  text += "\n";
  for (const runtime::MeshAxis &axis : description.mesh)
    text += "axis " + quote(axis.name) + " " + std::to_string(axis.size) + "\n";
  for (const ArtifactFunction &function : description.functions) {
    text += "function " + quote(function.signature.name);
    if (!function.vjpOf.empty())
      text += " of " + quote(function.vjpOf);
    text += "\n";
    for (const ValueInfo &value : function.signature.arguments)
      text += formatValue("argument", value);
    for (const ValueInfo &value : function.signature.results)
      text += formatValue("result", value);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Words and quoted texts of one line. After the first word that is not what
/// was expected, `ok` is false.
class LineReader {
public:
  explicit LineReader(const std::string &line) : line(line) {}

  bool atEnd() {
    while (at < line.size() && line[at] == ' ')
      ++at;
    return at == line.size();
  }

  std::string word() {
    if (atEnd())
      return fail();
    size_t begin = at;
    at = std::min(line.find(' ', at), line.size());
    return line.substr(begin, at - begin);
  }

  /// Whether the next word is `expected`; takes it then.
  bool take(const std::string &expected) {
    size_t begin = at;
    if (!atEnd() && word() == expected)
      return true;
    at = begin;
    return false;
  }

  std::string text() {
    if (atEnd() || line[at] != '"')
      return fail();
    std::string result;
    for (++at; at < line.size() && line[at] != '"'; ++at) {
      bool escaped = line[at] == '\\' && at + 1 < line.size();
      at += escaped;
      result += escaped && line[at] == 'n' ? '\n' : line[at];
    }
    if (at == line.size())
      return fail();
    ++at;
    return result;
  }

  /// Within the limits, both included.
  int64_t number(int64_t least, int64_t most) {
    std::string digits = word();
    const char *end = digits.data() + digits.size();
    int64_t value = 0;
    auto result = std::from_chars(digits.data(), end, value);
    ok &= result.ec == std::errc() && result.ptr == end && value >= least &&
          value <= most;
    return value;
  }

  /// Whether the next word begins with a digit.
  bool hasNumber() { return !atEnd() && line[at] >= '0' && line[at] <= '9'; }

  std::string fail() {
    ok = false;
    return "";
  }

  bool ok = true;

private:
  const std::string &line;
  size_t at = 0;
};

class DescriptionReader {
public:
  Result<ArtifactDescription> read(const std::string &text);

private:
  void readLine(LineReader &line);
  void readFunction(LineReader &line);
  ValueInfo readValue(LineReader &line);

  ArtifactDescription description;
};

} // namespace

/// More than any program has.
static constexpr int64_t largest = int64_t(1) << 60;

ValueInfo DescriptionReader::readValue(LineReader &line) {
  ValueInfo value;
  value.name = line.text();
  std::optional<CommDataType> type = getTypeByName(line.word());
  line.ok &= type.has_value();
  value.type = type.value_or(COMM_F32);
  value.isScalar = !line.take("[");
  while (!value.isScalar && line.ok && !line.take("]"))
    value.shape.push_back(line.take("?") ? kDynamic : line.number(0, largest));
  if (line.take("over"))
    do
      value.replicatedAxes.push_back(
          line.number(0, int64_t(description.mesh.size()) - 1));
    while (line.hasNumber());
  if (line.take("gradient"))
    value.gradientOf = line.number(
        0, description.functions.back().signature.arguments.size() - 1);
  return value;
}

void DescriptionReader::readFunction(LineReader &line) {
  ArtifactFunction function;
  function.signature.name = line.text();
  function.signature.mesh = description.mesh;
  if (line.take("of"))
    function.vjpOf = line.text();
  description.functions.push_back(std::move(function));
}

void DescriptionReader::readLine(LineReader &line) {
  std::string kind = line.word();
  bool inFunction = !description.functions.empty();
  if (kind == "abi") {
    description.abiVersion = line.number(0, INT32_MAX);
  } else if (kind == "target") {
    std::optional<Target> target = getTargetByName(line.word());
    line.ok &= target.has_value();
    description.target = target.value_or(Target::Host);
  } else if (kind == "compiler") {
    description.compiler = line.text();
  } else if (kind == "processor") {
    description.processor = line.text();
    while (!line.atEnd())
      description.features.push_back(line.word());
  } else if (kind == "axis" && !inFunction) {
    std::string name = line.text();
    description.mesh.push_back({name, line.number(1, largest)});
  } else if (kind == "function") {
    readFunction(line);
  } else if (kind == "argument" && inFunction) {
    description.functions.back().signature.arguments.push_back(readValue(line));
  } else if (kind == "result" && inFunction) {
    description.functions.back().signature.results.push_back(readValue(line));
  } else {
    line.fail();
  }
}

Result<ArtifactDescription> DescriptionReader::read(const std::string &text) {
  std::istringstream lines(text);
  std::string content;
  for (unsigned number = 1; std::getline(lines, content); ++number) {
    LineReader line(content);
    if (number == 1) {
      line.ok &= line.take("comm-artifact");
      int64_t version = line.number(0, largest);
      if (line.ok && version != formatVersion)
        return usageFailure("its description has version " +
                            std::to_string(version) + ", expected " +
                            std::to_string(formatVersion) +
                            ": compile it again");
    } else {
      readLine(line);
    }
    if (!line.ok || !line.atEnd())
      return usageFailure("line " + std::to_string(number) +
                          " of its description is damaged: '" + content + "'");
  }
  if (description.functions.empty())
    return usageFailure("its description has no function");
  return std::move(description);
}

Result<ArtifactDescription>
mlir::comm::runner::parseDescription(const std::string &text) {
  return DescriptionReader().read(text);
}

//===----------------------------------------------------------------------===//
// For people
//===----------------------------------------------------------------------===//

static std::string formatValues(const FunctionSignature &signature,
                                ValueKind kind) {
  std::string text = "(";
  for (unsigned i = 0; i < getValues(signature, kind).size(); ++i) {
    const ValueInfo &value = getValues(signature, kind)[i];
    text += (i ? ", " : "") + getFlagName(signature, kind, i) + ": " +
            value.formatType();
    for (size_t axis = 0; axis < value.replicatedAxes.size(); ++axis)
      text += (axis ? ", " : " replicated over ") +
              signature.mesh[value.replicatedAxes[axis]].name;
  }
  return text + ")";
}

std::string
mlir::comm::runner::formatFunction(const FunctionSignature &signature) {
  return "@" + signature.name + formatValues(signature, ValueKind::Argument) +
         " -> " + formatValues(signature, ValueKind::Result);
}

std::string
mlir::comm::runner::describe(const ArtifactDescription &description) {
  std::string text = std::string("target ") + getName(description.target) +
                     ", processor " + description.processor + ", runtime ABI " +
                     std::to_string(description.abiVersion) + ", made by " +
                     description.compiler + "\nmesh [";
  for (size_t i = 0; i < description.mesh.size(); ++i)
    text += (i ? ", " : "") + description.mesh[i].name + " = " +
            std::to_string(description.mesh[i].size);
  text += "]\n";
  for (const ArtifactFunction &function : description.functions) {
    text += formatFunction(function.signature);
    if (!function.vjpOf.empty())
      text += ", for --grad of @" + function.vjpOf;
    text += "\n";
  }
  return text;
}
