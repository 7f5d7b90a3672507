//===- Collectives.cpp - Calls of NCCL
//--------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../RuntimeCalls.h"
#include "FunctionEmitter.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::cudacpp;

//===----------------------------------------------------------------------===//
// What moves
//===----------------------------------------------------------------------===//

/// The operands that calls of NCCL have in common.
struct FunctionEmitter::Transfer {
  Value input, output;
  std::string send, recv;
  /// Elements that a rank contributes to, or takes from, one other rank.
  std::string count;
  /// How NCCL calls the type; empty where it can only move it, as bytes.
  std::string type;
  Type element;
  /// The communicator, and what all calls end with.
  std::string communicator, end;

  /// `count, type` of elements that are only moved.
  std::string getMoved() const {
    if (!type.empty())
      return count + ", " + type;
    unsigned bytes = element.isInteger(1) ? 1 : 2;
    return (bytes == 1 ? count : count + " * 2") + ", ncclUint8";
  }
};

static std::string getNcclType(Type element) {
  if (element.isF16())
    return "ncclHalf";
  if (element.isBF16())
    return "ncclBfloat16";
  if (element.isF32())
    return "ncclFloat";
  if (element.isF64())
    return "ncclDouble";
  for (unsigned width : {8, 32, 64})
    if (element.isInteger(width))
      return "ncclInt" + std::to_string(width);
  return "";
}

static ReductionKind getReduction(Operation *op) {
  return op->getAttrOfType<ReductionKindAttr>("reduction").getValue();
}

static int64_t getNumber(Operation *op, StringRef name) {
  return op->getAttrOfType<IntegerAttr>(name).getInt();
}

/// How NCCL calls the reduction; empty where it has none.
static std::string getNcclReduction(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    return "ncclSum";
  case ReductionKind::Avg:
    return "ncclAvg";
  case ReductionKind::Prod:
    return "ncclProd";
  case ReductionKind::Max:
    return "ncclMax";
  case ReductionKind::Min:
    return "ncclMin";
  default:
    return "";
  }
}

/// The operator of the text's own that reduces.
static std::string getOwnReduction(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Max:
    return "Maximum";
  case ReductionKind::Min:
    return "Minimum";
  case ReductionKind::Prod:
    return "Product";
  case ReductionKind::And:
    return "And";
  case ReductionKind::Or:
    return "Or";
  case ReductionKind::Xor:
    return "Xor";
  default:
    return "Sum";
  }
}

std::string FunctionEmitter::getCommunicator(AxesAttr axes) {
  std::string &name = program.communicators[axes];
  if (name.empty()) {
    std::string joined;
    for (StringAttr axis : axes.getAxes())
      joined += (joined.empty() ? "" : "_") + axis.str();
    // A name of its own: members are looked up in the struct alone, but are
    // called like the program's functions nowhere.
    name = program.names.make(joined);
  }
  return "communicators." + name;
}

FunctionEmitter::Transfer
FunctionEmitter::getTransfer(CollectiveOpInterface op) {
  Transfer transfer;
  transfer.input = op.getInputValue();
  transfer.output = op.getDestValue() ? op.getDestValue() : transfer.input;
  if (isa<MemRefType>(transfer.input.getType()))
    transfer.send = getPointer(transfer.input);
  if (isa<MemRefType>(transfer.output.getType()))
    transfer.recv = getPointer(transfer.output);
  // What each rank contributes is counted on the smaller side.
  bool isChunkOut = isa<ReduceScatterOp, ScatterOp, RecvOp>(op);
  Value counted = isChunkOut ? transfer.output : transfer.input;
  transfer.count = getCount(counted);
  if (isa<AllToAllOp>(op)) {
    int64_t ranks = comm::getGroupSize(op, op.getGroup());
    auto type = cast<MemRefType>(counted.getType());
    transfer.count = type.hasStaticShape()
                         ? std::to_string(type.getNumElements() / ranks)
                         : transfer.count + " / " + std::to_string(ranks);
  }
  transfer.element = cast<MemRefType>(counted.getType()).getElementType();
  transfer.type = getNcclType(transfer.element);
  transfer.communicator = getCommunicator(op.getGroup());
  transfer.end = ", " + transfer.communicator + ", device.communication)";
  return transfer;
}

bool cudacpp::isEmpty(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 0;
}

/// An op's name and axes, and what it does.
static std::string getText(CollectiveOpInterface op) {
  std::string text = op->getName().getStringRef().str();
  if (auto reduction = op->getAttrOfType<ReductionKindAttr>("reduction"))
    text += " " + stringifyReductionKind(reduction.getValue()).str();
  llvm::raw_string_ostream stream(text);
  Operation *described = op;
  if (auto recv = dyn_cast<RecvOp>(described))
    described = recv.getSend();
  for (StringRef name : {"from", "to", "root"})
    if (auto number = described->getAttrOfType<IntegerAttr>(name))
      stream << " " << name << " " << number.getInt();
  stream << " over [";
  llvm::interleaveComma(op.getGroup().getAxes(), stream);
  stream << "]";
  return text;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Reductions that NCCL has not: gathered, and reduced by a kernel.
bool FunctionEmitter::emitOwnReduction(CollectiveOpInterface op,
                                       const Transfer &transfer) {
  if (!op->hasAttr("reduction"))
    return false;
  ReductionKind kind = getReduction(op);
  if (!transfer.type.empty() && !getNcclReduction(kind).empty())
    return false;
  program.helpers.insert("reduceByGather");
  std::string total = getCount(transfer.input), first = "0";
  if (isa<ReduceScatterOp>(op)) {
    program.helpers.insert("rankIn");
    first = "rankIn(" + transfer.communicator + ") * int64_t(" +
            transfer.count + ")";
  }
  check("", "reduceByGather(" + transfer.send + ", " + transfer.recv + ", " +
                total + ", " + first + ", " + transfer.count + ", " +
                getOwnReduction(kind) + "()" + transfer.end);
  return true;
}

void FunctionEmitter::emitCollective(CollectiveOpInterface op) {
  Transfer transfer = getTransfer(op);
  const auto &[input, output, send, recv, count, type, element, communicator,
               end] = transfer;
  std::string both = send + ", " + recv + ", ", moved = transfer.getMoved();
  comment(op, getText(op));
  if (isEmpty(output))
    return;
  communicate({input, output});
  if (isa<AllToAllOp, GatherOp, ScatterOp>(op))
    program.helpers.insert("oldNccl");
  auto call = [&](StringRef function, const std::string &operands) {
    check("NCCL", function + "(" + both + operands + end);
  };
  // What other ranks than the root get.
  auto zeroElsewhere = [&] {
    program.helpers.insert("rankIn");
    line("if (rankIn(" + communicator +
         ") != " + std::to_string(getNumber(op, "root")) + ")");
    ++indent;
    check("CUDA", "cudaMemsetAsync(" + recv + ", 0, " + getBytes(output) +
                      ", device.communication)");
    --indent;
  };
  auto root = [&] { return ", " + std::to_string(getNumber(op, "root")); };

  bool isOwn = emitOwnReduction(op, transfer);
  if (isa<AllReduceOp>(op)) {
    if (!isOwn)
      call("ncclAllReduce",
           count + ", " + type + ", " + getNcclReduction(getReduction(op)));
  } else if (isa<ReduceScatterOp>(op)) {
    if (!isOwn)
      call("ncclReduceScatter",
           count + ", " + type + ", " + getNcclReduction(getReduction(op)));
  } else if (isa<ReduceOp>(op)) {
    if (!isOwn)
      call("ncclReduce", count + ", " + type + ", " +
                             getNcclReduction(getReduction(op)) + root());
    zeroElsewhere();
  } else if (isa<AllGatherOp>(op)) {
    call("ncclAllGather", moved);
  } else if (isa<BroadcastOp>(op)) {
    call("ncclBroadcast", moved + root());
  } else if (isa<GatherOp>(op)) {
    call("ncclGather", moved + root());
    zeroElsewhere();
  } else if (isa<ScatterOp>(op)) {
    call("ncclScatter", moved + root());
  } else if (isa<AllToAllOp>(op)) {
    // NCCL's is not in place.
    if (send != recv)
      return call("ncclAlltoAll", moved);
    program.helpers.insert("allToAllInPlace");
    check("", "allToAllInPlace(" + recv + ", " + getBytes(output) + ", " +
                  moved + end);
  } else if (auto permute = dyn_cast<PermuteOp>(op.getOperation())) {
    program.helpers.insert("permute");
    std::string pairs;
    for (auto [position, number] : llvm::enumerate(permute.getPairs()))
      pairs += position % 2 ? ", " + std::to_string(number) + "}"
                            : (position ? ", {" : "{") + std::to_string(number);
    check("", "permute(" + both + getBytes(output) + ", " + moved + ", {" +
                  pairs + "}" + end);
  } else {
    fail(op);
  }
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void FunctionEmitter::emitMessage(CollectiveOpInterface op) {
  Transfer transfer = getTransfer(op);
  bool isSend = isa<SendOp>(op);
  Operation *channel = op;
  if (auto recv = dyn_cast<RecvOp>(channel))
    channel = recv.getSend();
  std::string from = std::to_string(getNumber(channel, "from"));
  std::string to = std::to_string(getNumber(channel, "to"));
  communicate(isSend ? transfer.input : transfer.output);
  if (op->hasAttr(kGroupStartAttrName))
    check("NCCL", "ncclGroupStart()");
  comment(op, getText(op));
  if (!isEmpty(isSend ? transfer.input : transfer.output)) {
    program.helpers.insert("rankIn");
    line("if (rankIn(" + transfer.communicator +
         ") == " + (isSend ? from : to) + ")");
    ++indent;
    check("NCCL",
          (isSend ? "ncclSend(" + transfer.send : "ncclRecv(" + transfer.recv) +
              ", " + transfer.getMoved() + ", " + (isSend ? to : from) +
              transfer.end);
    --indent;
    if (!isSend) {
      line("else");
      ++indent;
      check("CUDA", "cudaMemsetAsync(" + transfer.recv + ", 0, " +
                        getBytes(transfer.output) + ", device.communication)");
      --indent;
    }
  }
  if (op->hasAttr(kGroupEndAttrName))
    check("NCCL", "ncclGroupEnd()");
}
