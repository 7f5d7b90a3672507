//===- MessageOps.td - Messages between two ranks ----------*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_MESSAGEOPS
#define COMM_IR_MESSAGEOPS

include "comm/IR/CommBase.td"

def Comm_SendOp : Comm_GroupOp<"send", Comm_Exchanged,
    [DeclareOpInterfaceMethods<ReplicationOpInterface>]> {
  let summary = "Rank a sends to rank b";
  let description = [{
    Sends the operand of rank `from` of the group to rank `to`. The line stands
    on every rank; the others do nothing.

    Constraints:
    - send_c1: 0 <= from < group size and 0 <= to < group size;
    - send_c2: from and to differ;
    - send_c3: the message carries a tensor of the operand's shape and element
      type;
    - send_c4: the message has exactly one use, a `comm.recv` in the same block.

    **Adjoint.** x̄ = recv m̄.

    **Replication.** var -> var.

    **Laws.** None.

    Example:
    ```mlir
    %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
    %y = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Comm_TensorOrMemRef:$input, I64Attr:$from, I64Attr:$to,
                       Comm_AxesAttr:$axes);
  let results = (outs Comm_MessageType:$message);
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "int64_t":$from,
                                 "int64_t":$to, "::mlir::comm::AxesAttr":$axes)>];
  let assemblyFormat = [{
    $input `from` $from `to` $to `over` custom<Axes>($axes) attr-dict `:`
    type($input) `->` qualified(type($message))
  }];
  let extraClassDefinition = groupDefinition # axesDefinition # [{
    ::mlir::Value $cppClass::getDestValue() { return {}; }
    ::mlir::ShapedType $cppClass::getOutputType() {
      return getMessage().getType().getPayload();
    }
  }];
}

def Comm_RecvOp : Comm_GroupOp<"recv", Comm_Exchanged,
    [DeclareOpInterfaceMethods<ReplicationOpInterface>]> {
  let summary = "Rank b takes what rank a sent";
  let description = [{
    Takes the message on rank `to` of its send; every other rank gets zeros. The
    channel is read off the send.

    Semantics: y_to = x_from, y_i = 0 elsewhere.

    Constraints:
    - recv_c1: the operand is the result of a `comm.send` in the same block;
    - recv_c2: the result has the type that the message carries;
    - recv_c3: receives of one channel stand in the order of their sends
      (checked with the deadlock check of `comm-materialize-replication`);
    - recv_c4: either a result or, in the memref form, a destination.

    **Adjoint.** m̄ = send ȳ from `to` to `from`.

    **Replication.** var -> var.

    **Laws.** None.

    Example:
    ```mlir
    %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
    %y = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Comm_MessageType:$message, Optional<Comm_MemRef>:$dest);
  let results = (outs Optional<Comm_Tensor>:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$message)>];
  let assemblyFormat = [{
    $message (`into` $dest^)? attr-dict `:` qualified(type($message)) `->`
    custom<ResultOrDestType>(ref($dest), type($dest), type($result))
  }];
  let extraClassDeclaration = [{
    /// The send of the message; null in IR that does not verify.
    ::mlir::comm::SendOp getSend();
  }];
  let extraClassDefinition = groupDefinition # [{
    ::mlir::comm::AxesAttr $cppClass::getGroup() {
      ::mlir::comm::SendOp send = getSend();
      return send ? send.getAxes() : ::mlir::comm::AxesAttr();
    }
    ::mlir::Value $cppClass::getInputValue() { return getMessage(); }
    ::mlir::Value $cppClass::getDestValue() { return getDest(); }
    ::mlir::ShapedType $cppClass::getOutputType() {
      return ::llvm::cast<::mlir::ShapedType>(
          (getResult() ? getResult() : ::mlir::Value(getDest())).getType());
    }
  }];
}

#endif // COMM_IR_MESSAGEOPS
