//===- DerivativeOps.td - Requests for derivatives ---------*- tablegen -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_DERIVATIVEOPS
#define COMM_IR_DERIVATIVEOPS

include "comm/IR/CommBase.td"

class Comm_DerivativeOp<string mnemonic> : Comm_Op<mnemonic, [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<CallBoundaryOpInterface>]>;

def Comm_VjpOp : Comm_DerivativeOp<"vjp"> {
  let summary = "A function and the vector-Jacobian product of it";
  let description = [{
    Calls a function and pulls cotangents of its float results back to its
    arguments. `comm-differentiate` replaces it by a call of the generated
    function.

    Semantics: yields the results of the function, then the cotangents of the
    arguments numbered in `wrt` (default: of all float arguments), in order.

    Constraints:
    - vjp_c1: the symbol is a function with a body;
    - vjp_c2: the operands are its arguments, then one cotangent per float
      result, of the result's type;
    - vjp_c3: `wrt` names float arguments, each once, in ascending order;
    - vjp_c4: the results are the function's results, then one cotangent per
      argument in `wrt`, of the argument's type.

    **Adjoint.** None of its own: it is replaced before an enclosing function
    is differentiated.

    **Replication.** As a call: the marks of the function hold, a cotangent has
    the mark of its primal.

    Example:
    ```mlir
    %y, %dx = comm.vjp @f(%x, %w) cotangents(%dy) wrt [0]
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       I64Attr:$num_arguments,
                       OptionalAttr<DenseI64ArrayAttr>:$wrt);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = [{
    $callee `` custom<VjpOperands>($operands, $num_arguments) (`wrt` $wrt^)?
    attr-dict `:` functional-type($operands, $outputs)
  }];
}

def Comm_ValueAndGradOp : Comm_DerivativeOp<"value_and_grad"> {
  let summary = "A loss and its gradient";
  let description = [{
    Calls a function whose first result is a loss and yields its results and the
    gradient of the loss. `comm-differentiate` replaces it by a call of the
    generated function.

    Semantics: the loss is seeded with 1 on each rank (once where it is marked
    replicated); further results are auxiliary and get no cotangent. Yields the
    results of the function, then the gradients of the arguments numbered in
    `wrt` (default: of all float arguments), in order.

    Constraints:
    - value_and_grad_c1: the symbol is a function with a body;
    - value_and_grad_c2: result 0 is a float scalar or a rank-0 float tensor;
    - value_and_grad_c3: the operands are the function's arguments;
    - value_and_grad_c4: `wrt` names float arguments, each once, in ascending
      order;
    - value_and_grad_c5: the results are the function's results, then one
      gradient per argument in `wrt`, of the argument's type.

    **Adjoint.** None of its own: it is replaced before an enclosing function
    is differentiated.

    **Replication.** As a call: the marks of the function hold, a gradient has
    the mark of its argument.

    Example:
    ```mlir
    %loss, %aux, %dw = comm.value_and_grad @step(%x, %w) wrt [1]
        : (tensor<4xf32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       OptionalAttr<DenseI64ArrayAttr>:$wrt);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = [{
    $callee `` `(` $operands `)` (`wrt` $wrt^)? attr-dict `:`
    functional-type($operands, $outputs)
  }];
}

#endif // COMM_IR_DERIVATIVEOPS
