//===- ValueSpec.cpp - The grammar of the value flags ---------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/ValueSpec.h"

#include "comm/Runner/Literals.h"
#include "comm/Runner/Npy.h"

#include <algorithm>
#include <charconv>

using namespace mlir::comm::runner;

std::optional<TypeSpec>
mlir::comm::runner::parseTypeSpec(std::string_view text) {
  TypeSpec spec;
  // The name of a type holds no "x" that follows a digit.
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    int64_t size;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || end == text.data() + text.size() || *end != 'x')
      return std::nullopt;
    spec.shape.push_back(size);
    text.remove_prefix(end + 1 - text.data());
  }
  std::optional<CommDataType> type = getTypeByName(text);
  if (!type)
    return std::nullopt;
  spec.type = *type;
  return spec;
}

std::string mlir::comm::runner::expandRank(const std::string &path,
                                           int64_t rank) {
  constexpr std::string_view placeholder = "{rank}";
  std::string expanded = path;
  for (size_t at = 0;
       (at = expanded.find(placeholder, at)) != std::string::npos;) {
    std::string number = std::to_string(rank);
    expanded.replace(at, placeholder.size(), number);
    at += number.size();
  }
  return expanded;
}

/// Splits "NAME[@RANK]=REST", which all value flags begin with, into `spec` and
/// the rest.
template <typename Spec>
static Result<std::string> splitName(Spec &spec, const std::string &flag,
                                     const std::string &text,
                                     const std::string &grammar) {
  spec.flag = flag + "=" + text;
  size_t equals = text.find('=');
  size_t at = text.find('@');
  spec.name = text.substr(0, std::min(equals, at));
  if (equals == std::string::npos || spec.name.empty())
    return usageFailure(spec.flag + ": expected " + flag + "=" + grammar);
  if (at < equals) {
    std::string digits = text.substr(at + 1, equals - at - 1);
    int64_t rank;
    const char *end = digits.data() + digits.size();
    auto result = std::from_chars(digits.data(), end, rank);
    if (result.ec != std::errc() || result.ptr != end || rank < 0)
      return usageFailure(spec.flag + ": expected a rank after '@', got '" +
                          digits + "'");
    spec.rank = rank;
  }
  return text.substr(equals + 1);
}

Result<ValueSpec> mlir::comm::runner::parseValueSpec(const std::string &flag,
                                                     const std::string &text) {
  ValueSpec spec;
  Result<std::string> rest =
      splitName(spec, flag, text, "NAME[@RANK]=[SHAPExTYPE=]VALUE");
  if (!rest)
    return rest.getFailure();
  spec.value = *rest;
  // The name of a file may hold an equals sign.
  size_t equals = rest->find('=');
  if (equals == std::string::npos || rest->front() == '@')
    return spec;
  std::string type = rest->substr(0, equals);
  spec.type = parseTypeSpec(type);
  if (!spec.type)
    return usageFailure(spec.flag +
                        ": expected a type such as 4x2xf32 before "
                        "the second '=', got '" +
                        type + "'");
  spec.value = rest->substr(equals + 1);
  return spec;
}

Result<OutputSpec>
mlir::comm::runner::parseOutputSpec(const std::string &flag,
                                    const std::string &text) {
  OutputSpec spec;
  Result<std::string> rest =
      splitName(spec, flag, text, "NAME[@RANK]=@FILE.npy");
  if (!rest)
    return rest.getFailure();
  if (rest->size() < 2 || rest->front() != '@')
    return usageFailure(spec.flag + ": expected '@' and the name of a file "
                                    "after the '='");
  spec.path = rest->substr(1);
  return spec;
}

/// splitmix64: consecutive counters give independent numbers.
static uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

uint64_t mlir::comm::runner::getRandomStream(uint64_t seed, unsigned position,
                                             int64_t replicaClass) {
  return mix(mix(mix(seed) ^ position) ^ static_cast<uint64_t>(replicaClass));
}

void mlir::comm::runner::fillRandom(HostTensor &tensor, uint64_t stream) {
  for (int64_t i = 0; i < tensor.getElementCount(); ++i) {
    uint64_t bits = mix(stream ^ mix(static_cast<uint64_t>(i)));
    if (isFloat(tensor.getType()))
      tensor.setDouble(i, static_cast<double>(bits >> 11) * 0x1p-52 - 1);
    else
      tensor.setInt64(i, static_cast<int64_t>(bits >> 60) - 8);
  }
}

namespace {

/// Turns one flag into one rank's tensor.
class Evaluator {
public:
  Evaluator(const ValueSpec &spec, const ValueContext &context)
      : spec(spec), context(context), info(context.info) {}

  Result<HostTensor> evaluate() {
    if (spec.type &&
        (spec.type->type != info.type || !info.acceptsShape(spec.type->shape)))
      return wrongType("the flag's type is " +
                       formatType(spec.type->type, spec.type->shape));
    if (!spec.value.empty() && spec.value[0] == '@')
      return readFile();
    for (std::string_view word : words)
      if (spec.value == word)
        return fill();
    return readLiterals();
  }

private:
  static constexpr std::string_view words[] = {"rand", "iota", "ones", "zeros",
                                               "rank"};

  Failure wrongType(const std::string &what) const {
    return usageFailure(what + ", and " + context.description + " is " +
                        info.formatType());
  }

  /// The shape where the value itself does not tell it.
  Result<Shape> getShape() const {
    Shape shape = spec.type ? spec.type->shape : info.shape;
    if (!spec.type && info.isDynamic()) {
      Shape example = shape;
      std::replace(example.begin(), example.end(), kDynamic, int64_t(4));
      return usageFailure(
          context.description + " is " + info.formatType() + " and '" +
          spec.value + "' has no size: write the shape, such as '" +
          formatType(info.type, example) + "=" + spec.value + "'");
    }
    if (!getElementCount(shape))
      return usageFailure("a tensor of type " + formatType(info.type, shape) +
                          " does not fit in memory");
    return shape;
  }

  Result<HostTensor> fill() const {
    Result<Shape> shape = getShape();
    if (!shape)
      return shape.getFailure();
    HostTensor tensor(info.type, *shape);
    if (spec.value == "rand") {
      fillRandom(tensor, context.randomStream);
      return tensor;
    }
    for (int64_t i = 0; i < tensor.getElementCount(); ++i)
      tensor.setInt64(i, spec.value == "iota"   ? i
                         : spec.value == "ones" ? 1
                         : spec.value == "rank" ? context.rank
                                                : 0);
    return tensor;
  }

  Result<HostTensor> readFile() const {
    std::string path = expandRank(spec.value.substr(1), context.rank);
    Result<HostTensor> file = readNpy(path);
    if (!file)
      return file;
    bool widened = info.type == COMM_BF16 && file->getType() == COMM_F32;
    bool wrongShape = !info.acceptsShape(file->getShape()) ||
                      (spec.type && spec.type->shape != file->getShape());
    if ((file->getType() != info.type && !widened) || wrongShape)
      return wrongType("'" + path + "' holds " + file->formatType());
    if (!widened)
      return file;
    HostTensor tensor(COMM_BF16, file->getShape());
    for (int64_t i = 0; i < tensor.getElementCount(); ++i)
      tensor.setDouble(i, file->getDouble(i));
    return tensor;
  }

  /// The sizes that a list of literals gives to a value whose sizes are not all
  /// known.
  Result<Shape> inferShape(const LiteralList &list) const {
    if (list.isNested) {
      if (!info.acceptsShape(list.shape))
        return wrongType("the literals have shape " + formatIndex(list.shape));
      return list.shape;
    }
    Shape shape = info.shape;
    auto unknown = std::find(shape.begin(), shape.end(), kDynamic);
    int64_t given = list.elements.size();
    if (given == 1 ||
        std::find(unknown + 1, shape.end(), kDynamic) != shape.end())
      return getShape();
    *unknown = 1;
    std::optional<int64_t> others = getElementCount(shape);
    if (!others || *others == 0 || given % *others != 0)
      return wrongType(std::to_string(given) + " literals");
    *unknown = given / *others;
    return shape;
  }

  Result<HostTensor> readLiterals() const {
    Result<LiteralList> list = parseLiterals(spec.value);
    if (!list)
      return list.getFailure();
    Result<Shape> shape =
        spec.type || !info.isDynamic() ? getShape() : inferShape(*list);
    if (!shape)
      return shape.getFailure();
    Result<HostTensor> tensor = convertLiterals(*list, info.type, *shape);
    if (tensor || !std::isalpha(static_cast<unsigned char>(spec.value[0])))
      return tensor;
    std::string hint;
    for (std::string_view word : words)
      hint += ", " + std::string(word);
    return usageFailure(tensor.getFailure().message + hint + " or @FILE.npy");
  }

  const ValueSpec &spec;
  const ValueContext &context;
  const ValueInfo &info;
};

} // namespace

Result<HostTensor>
mlir::comm::runner::evaluateValueSpec(const ValueSpec &spec,
                                      const ValueContext &context) {
  Result<HostTensor> tensor = Evaluator(spec, context).evaluate();
  if (!tensor)
    return Failure{tensor.getFailure().code,
                   spec.flag + ": " + tensor.getFailure().message};
  return tensor;
}
