//===- DerivativeOps.td - Where derivatives begin and end --*- tablegen -*-===//
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

def Comm_JvpOp : Comm_DerivativeOp<"jvp"> {
  let summary = "A function and the Jacobian-vector product of it";
  let description = [{
    Calls a function and pushes tangents of its arguments forward to its float
    results. `comm-differentiate` replaces it by a call of the generated
    function.

    Semantics: yields the results of the function, then the tangents of its
    float results, in order. Arguments that are not numbered in `wrt` (default:
    all float arguments) are held fixed.

    Constraints:
    - jvp_c1: the symbol is a function with a body;
    - jvp_c2: the operands are its arguments, then one tangent per argument in
      `wrt`, of the argument's type;
    - jvp_c3: `wrt` names float arguments, each once, in ascending order;
    - jvp_c4: the results are the function's results, then one tangent per float
      result, of the result's type.

    **Adjoint.** None of its own: it is replaced before an enclosing function
    is differentiated.

    **Replication.** As a call: the marks of the function hold, a tangent has
    the mark of its primal.

    Example:
    ```mlir
    %y, %ty = comm.jvp @f(%x, %w) tangents(%tx) wrt [0]
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       I64Attr:$num_arguments,
                       OptionalAttr<DenseI64ArrayAttr>:$wrt);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = [{
    $callee `` custom<JvpOperands>($operands, $num_arguments) (`wrt` $wrt^)?
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

def Comm_Differentiable
    : AnyTypeOf<[AnyFloat, RankedTensorOf<[AnyFloat]>],
                "float or ranked tensor of floats">;

def Comm_StopGradientOp : Comm_Op<"stop_gradient", [
    Pure, SameOperandsAndResultType, Elementwise, Scalarizable, Vectorizable,
    Tensorizable, StopsDerivative]> {
  let summary = "The value, and nothing of its derivative";
  let description = [{
    Yields its operand, through which nothing is differentiated: for what is
    differentiated, the result is a constant. Copies nothing; it is there until
    the program is lowered, so that a derivative of a derivative sees it too.

    Semantics: y = x.

    Constraints:
    - stop_gradient_c1: the result has the type of the operand.

    **Adjoint.** x̄ = 0: no cotangent goes through it, so what only it connects
    to a result is not active. (`comm-run --check-grad` compares with differences
    of values, which go through it.)

    **Replication.** Local: that of the operand.

    **Laws.** stop_gradient of stop_gradient, and of a constant, is its operand.

    Example:
    ```mlir
    %y = comm.stop_gradient %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins Comm_Differentiable:$input);
  let results = (outs Comm_Differentiable:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasFolder = 1;
}

#endif // COMM_IR_DERIVATIVEOPS
