//===- CommSyntax.cpp - Custom directives of the assembly formats ---------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommSyntax.h"

using namespace mlir;
using namespace mlir::comm;

// @mesh["dp", "tp"]
ParseResult comm::parseMeshAndAxes(AsmParser &parser, FlatSymbolRefAttr &mesh,
                                   SmallVector<StringAttr> &axes) {
  StringAttr name;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalSymbolName(name)))
    return parser.emitError(loc, "expected the mesh and then its axes, such as "
                                 "@mesh[\"tp\"]");
  mesh = FlatSymbolRefAttr::get(name);
  auto parseAxis = [&]() -> ParseResult {
    std::string axis;
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalString(&axis)))
      return parser.emitError(loc, "expected the name of an axis in quotes, "
                                   "such as \"tp\"");
    axes.push_back(StringAttr::get(parser.getContext(), axis));
    return success();
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        parseAxis);
}

void comm::printMeshAndAxes(AsmPrinter &printer, FlatSymbolRefAttr mesh,
                            ArrayRef<StringAttr> axes) {
  printer.printAttributeWithoutType(mesh);
  printer << "[";
  llvm::interleaveComma(axes, printer);
  printer << "]";
}

ParseResult comm::parseAxes(OpAsmParser &parser, AxesAttr &axes) {
  FlatSymbolRefAttr mesh;
  SmallVector<StringAttr> names;
  SMLoc loc = parser.getCurrentLocation();
  if (parseMeshAndAxes(parser, mesh, names))
    return failure();
  axes = AxesAttr::getChecked([&] { return parser.emitError(loc); },
                              parser.getContext(), mesh,
                              ArrayRef<StringAttr>(names));
  return success(axes != nullptr);
}

void comm::printAxes(OpAsmPrinter &printer, Operation *, AxesAttr axes) {
  printMeshAndAxes(printer, axes.getMesh(), axes.getAxes());
}

static ParseResult parseNumber(OpAsmParser &parser, int64_t &number) {
  // To parseInteger, 'true' is the number -1.
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(&word)))
    return parser.emitError(loc)
           << "expected integer value, got '" << word << "'";
  return parser.parseInteger(number);
}

// [dp = 2, tp = 4]
ParseResult comm::parseMeshAxes(OpAsmParser &parser, ArrayAttr &names,
                                DenseI64ArrayAttr &sizes) {
  Builder builder(parser.getContext());
  SmallVector<Attribute> parsedNames;
  SmallVector<int64_t> parsedSizes;
  auto parseAxis = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
        parseNumber(parser, parsedSizes.emplace_back()))
      return failure();
    parsedNames.push_back(builder.getStringAttr(name));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis))
    return failure();
  names = builder.getArrayAttr(parsedNames);
  sizes = builder.getDenseI64ArrayAttr(parsedSizes);
  return success();
}

void comm::printMeshAxes(OpAsmPrinter &printer, Operation *, ArrayAttr names,
                         DenseI64ArrayAttr sizes) {
  printer << "[";
  llvm::interleaveComma(
      llvm::zip(names.getAsValueRange<StringAttr>(), sizes.asArrayRef()),
      printer, [&](auto axis) {
        printer.printKeywordOrString(std::get<0>(axis));
        printer << " = " << std::get<1>(axis);
      });
  printer << "]";
}

// sum
ParseResult comm::parseReduction(OpAsmParser &parser,
                                 ReductionKindAttr &reduction) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  bool isKeyword = succeeded(parser.parseOptionalKeyword(&keyword));
  std::optional<ReductionKind> kind = symbolizeReductionKind(keyword);
  if (!kind) {
    InFlightDiagnostic error = parser.emitError(loc)
                               << "expected a reduction (sum, avg, prod, max, "
                                  "min, and, or, xor)";
    if (isKeyword)
      error << ", got '" << keyword << "'";
    return error;
  }
  reduction = ReductionKindAttr::get(parser.getContext(), *kind);
  return success();
}

void comm::printReduction(OpAsmPrinter &printer, Operation *,
                          ReductionKindAttr reduction) {
  printer << stringifyReductionKind(reduction.getValue());
}

// [(0, 1), (1, 2)]
ParseResult comm::parsePairs(OpAsmParser &parser, DenseI64ArrayAttr &pairs) {
  SmallVector<int64_t> numbers;
  auto parsePair = [&]() -> ParseResult {
    return failure(
        parser.parseLParen() || parseNumber(parser, numbers.emplace_back()) ||
        parser.parseComma() || parseNumber(parser, numbers.emplace_back()) ||
        parser.parseRParen());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  pairs = DenseI64ArrayAttr::get(parser.getContext(), numbers);
  return success();
}

void comm::printPairs(OpAsmPrinter &printer, Operation *,
                      DenseI64ArrayAttr pairs) {
  ArrayRef<int64_t> numbers = pairs;
  printer << "[";
  for (size_t i = 0; i + 1 < numbers.size(); i += 2)
    printer << (i ? ", (" : "(") << numbers[i] << ", " << numbers[i + 1] << ")";
  printer << "]";
}

// tensor<4xf32>, or tensor<4xf32> -> tensor<16xf32> where the types differ
ParseResult comm::parseTensorTypes(OpAsmParser &parser, Type &input,
                                   Type &result) {
  if (parser.parseType(input))
    return failure();
  result = input;
  if (succeeded(parser.parseOptionalArrow()))
    return parser.parseType(result);
  return success();
}

void comm::printTensorTypes(OpAsmPrinter &printer, Operation *, Type input,
                            Type result) {
  printer << input;
  if (result != input)
    printer << " -> " << result;
}

ParseResult comm::parseCollectiveTypes(
    OpAsmParser &parser,
    const std::optional<OpAsmParser::UnresolvedOperand> &dest, Type &input,
    Type &destType, Type &result) {
  Type output;
  if (parseTensorTypes(parser, input, output))
    return failure();
  // A memref op without a destination works in place and yields nothing.
  if (dest)
    destType = output;
  else if (!isa<BaseMemRefType>(input))
    result = output;
  return success();
}

void comm::printCollectiveTypes(OpAsmPrinter &printer, Operation *op,
                                Value dest, Type input, Type destType,
                                Type result) {
  printTensorTypes(printer, op, input,
                   dest     ? destType
                   : result ? result
                            : input);
}

ParseResult comm::parseResultOrDestType(
    OpAsmParser &parser,
    const std::optional<OpAsmParser::UnresolvedOperand> &dest, Type &destType,
    Type &result) {
  return parser.parseType(dest ? destType : result);
}

void comm::printResultOrDestType(OpAsmPrinter &printer, Operation *, Value dest,
                                 Type destType, Type result) {
  printer << (dest ? destType : result);
}

// (%x, %w) cotangents(%dy)
static ParseResult
parseSeededOperands(OpAsmParser &parser, StringRef keyword,
                    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                    IntegerAttr &numArguments) {
  if (parser.parseOperandList(operands, AsmParser::Delimiter::Paren))
    return failure();
  numArguments =
      Builder(parser.getContext()).getI64IntegerAttr(operands.size());
  return failure(
      parser.parseKeyword(keyword) ||
      parser.parseOperandList(operands, AsmParser::Delimiter::Paren));
}

static void printSeededOperands(OpAsmPrinter &printer, StringRef keyword,
                                OperandRange operands,
                                IntegerAttr numArguments) {
  size_t count = std::min<uint64_t>(numArguments.getInt(), operands.size());
  printer << "(" << operands.take_front(count) << ") " << keyword << "("
          << operands.drop_front(count) << ")";
}

ParseResult comm::parseVjpOperands(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
    IntegerAttr &numArguments) {
  return parseSeededOperands(parser, "cotangents", operands, numArguments);
}

void comm::printVjpOperands(OpAsmPrinter &printer, Operation *,
                            OperandRange operands, IntegerAttr numArguments) {
  printSeededOperands(printer, "cotangents", operands, numArguments);
}

ParseResult comm::parseJvpOperands(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
    IntegerAttr &numArguments) {
  return parseSeededOperands(parser, "tangents", operands, numArguments);
}

void comm::printJvpOperands(OpAsmPrinter &printer, Operation *,
                            OperandRange operands, IntegerAttr numArguments) {
  printSeededOperands(printer, "tangents", operands, numArguments);
}
