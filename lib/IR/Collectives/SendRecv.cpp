//===- SendRecv.cpp - comm.send and comm.recv -----------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// comm.send
//===----------------------------------------------------------------------===//

void SendOp::build(OpBuilder &builder, OperationState &state, Value input,
                   int64_t from, int64_t to, AxesAttr axes) {
  auto type = cast<ShapedType>(input.getType());
  auto payload = RankedTensorType::get(type.getShape(), type.getElementType());
  build(builder, state, MessageType::get(builder.getContext(), payload), input,
        builder.getI64IntegerAttr(from), builder.getI64IntegerAttr(to), axes);
}

LogicalResult SendOp::verify() {
  // send_c2
  if (getFrom() == getTo())
    return emitOpError("sends from rank ")
           << (int64_t)getFrom() << " to itself";
  // send_c3
  auto input = cast<ShapedType>(getInput().getType());
  RankedTensorType payload = getMessage().getType().getPayload();
  if (input.getShape() != payload.getShape() ||
      input.getElementType() != payload.getElementType())
    return emitOpError("expects a message of ")
           << RankedTensorType::get(input.getShape(), input.getElementType())
           << ", got " << payload;
  // send_c4
  if (!getMessage().hasOneUse())
    return emitOpError("expects exactly one 'comm.recv' of its message, got ")
           << llvm::range_size(getMessage().getUses());
  Operation *user = *getMessage().user_begin();
  if (!isa<RecvOp>(user))
    return (emitOpError("expects its message to be taken by a 'comm.recv'"))
               .attachNote(user->getLoc())
           << "it is used here";
  return success();
}

LogicalResult SendOp::verifyGroup(int64_t groupSize) {
  if (failed(verifyRankInGroup(*this, getFrom(), groupSize, "from"))) // send_c1
    return failure();
  return verifyRankInGroup(*this, getTo(), groupSize, "to"); // send_c1
}

// m = x of rank a, in flight  =>  x̄_a = what m̄ brings = recv m̄, 0 elsewhere
SmallVector<Value> SendOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                       ValueRange cotangents) {
  return {RecvOp::create(builder, getLoc(), cotangents[0]).getResult()};
}

//===----------------------------------------------------------------------===//
// comm.recv
//===----------------------------------------------------------------------===//

void RecvOp::build(OpBuilder &builder, OperationState &state, Value message) {
  build(builder, state, cast<MessageType>(message.getType()).getPayload(),
        message, /*dest=*/Value());
}

SendOp RecvOp::getSend() { return getMessage().getDefiningOp<SendOp>(); }

LogicalResult RecvOp::verify() {
  // recv_c1
  SendOp send = getSend();
  if (!send)
    return emitOpError("expects the message of a 'comm.send'");
  if (send->getBlock() != (*this)->getBlock())
    return (emitOpError("stands in another block than its 'comm.send'"))
               .attachNote(send.getLoc())
           << "the send is here";
  // recv_c4
  if (!getResult() == !getDest())
    return emitOpError("expects either a result or a destination");
  // recv_c2
  RankedTensorType payload = getMessage().getType().getPayload();
  ShapedType output = getOutputType();
  if (output.getShape() != payload.getShape() ||
      output.getElementType() != payload.getElementType())
    return emitOpError("expects a result of ") << payload << ", got " << output;
  return success();
}

// The channel is verified at the send.
LogicalResult RecvOp::verifyGroup(int64_t) { return success(); }

// y_b = what m brings, 0 elsewhere  =>  m̄ = send ȳ from b to a
SmallVector<Value> RecvOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                       ValueRange cotangents) {
  SendOp send = getSend();
  return {SendOp::create(builder, getLoc(), cotangents[0], send.getTo(),
                         send.getFrom(), send.getAxes())
              .getMessage()};
}
