//===- CommSyntax.h - Custom assembly directives ----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_COMMSYNTAX_H
#define COMM_IR_COMMSYNTAX_H

#include "comm/IR/Comm.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::comm {

ParseResult parseMeshAndAxes(AsmParser &parser, FlatSymbolRefAttr &mesh,
                             SmallVector<StringAttr> &axes);
void printMeshAndAxes(AsmPrinter &printer, FlatSymbolRefAttr mesh,
                      ArrayRef<StringAttr> axes);

ParseResult parseAxes(OpAsmParser &parser, AxesAttr &axes);
void printAxes(OpAsmPrinter &printer, Operation *op, AxesAttr axes);

ParseResult parseMeshAxes(OpAsmParser &parser, ArrayAttr &names,
                          DenseI64ArrayAttr &sizes);
void printMeshAxes(OpAsmPrinter &printer, Operation *op, ArrayAttr names,
                   DenseI64ArrayAttr sizes);

ParseResult parseReduction(OpAsmParser &parser, ReductionKindAttr &reduction);
void printReduction(OpAsmPrinter &printer, Operation *op,
                    ReductionKindAttr reduction);

ParseResult parsePairs(OpAsmParser &parser, DenseI64ArrayAttr &pairs);
void printPairs(OpAsmPrinter &printer, Operation *op, DenseI64ArrayAttr pairs);

ParseResult parseTensorTypes(OpAsmParser &parser, Type &input, Type &result);
void printTensorTypes(OpAsmPrinter &printer, Operation *op, Type input,
                      Type result);

ParseResult
parseCollectiveTypes(OpAsmParser &parser,
                     const std::optional<OpAsmParser::UnresolvedOperand> &dest,
                     Type &input, Type &destType, Type &result);
void printCollectiveTypes(OpAsmPrinter &printer, Operation *op, Value dest,
                          Type input, Type destType, Type result);

ParseResult
parseResultOrDestType(OpAsmParser &parser,
                      const std::optional<OpAsmParser::UnresolvedOperand> &dest,
                      Type &destType, Type &result);
void printResultOrDestType(OpAsmPrinter &printer, Operation *op, Value dest,
                           Type destType, Type result);

ParseResult
parseVjpOperands(OpAsmParser &parser,
                 SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                 IntegerAttr &numArguments);
void printVjpOperands(OpAsmPrinter &printer, Operation *op,
                      OperandRange operands, IntegerAttr numArguments);

ParseResult
parseJvpOperands(OpAsmParser &parser,
                 SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                 IntegerAttr &numArguments);
void printJvpOperands(OpAsmPrinter &printer, Operation *op,
                      OperandRange operands, IntegerAttr numArguments);

} // namespace mlir::comm

#endif // COMM_IR_COMMSYNTAX_H
