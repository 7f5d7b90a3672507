// RUN: comm-opt %s --split-input-file --verify-diagnostics
// What only the generic form can say is refused, not trusted.

// expected-error @+1 {{'comm.mesh' op expects one size per axis, got 2 names and 1 sizes}}
"comm.mesh"() <{axis_names = ["dp", "tp"], axis_sizes = array<i64: 2>, sym_name = "mesh"}> : () -> ()

// -----

// mesh_c1 in a module whose collectives look at the mesh

// expected-error @+1 {{'comm.mesh' op expects one size per axis, got 2 names and 1 sizes}}
"comm.mesh"() <{axis_names = ["dp", "tp"], axis_sizes = array<i64: 2>, sym_name = "mesh"}> : () -> ()
func.func @use(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

// The mesh stands after its uses and has no ranks

func.func @use(%x: tensor<4xf32>) {
  %0 = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<4xf32>
  return
}
// expected-error @+1 {{'comm.mesh' op axis 'tp' has size 0, expected at least 1}}
comm.mesh @mesh [tp = 0]

// -----

// expected-error @+1 {{'comm.mesh' op attribute 'axis_names' failed to satisfy constraint: string array attribute}}
"comm.mesh"() <{axis_names = [1], axis_sizes = array<i64: 2>, sym_name = "mesh"}> : () -> ()

// -----

// expected-error @+1 {{'comm.mesh' op requires attribute 'axis_names'}}
"comm.mesh"() <{axis_sizes = array<i64: 2>, sym_name = "mesh"}> : () -> ()

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @no_axes(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op requires attribute 'axes'}}
  %0 = "comm.all_reduce"(%x) <{reduction = #comm<reduction sum>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @no_reduction(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op requires attribute 'reduction'}}
  %0 = "comm.all_reduce"(%x) <{axes = #comm.axes<@mesh["tp"]>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @no_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op on a tensor has a result}}
  "comm.all_reduce"(%x) <{axes = #comm.axes<@mesh["tp"]>, reduction = #comm<reduction sum>}> : (tensor<4xf32>) -> ()
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @two_results(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op result group starting at #0 requires 0 or 1 element, but found 2}}
  %0:2 = "comm.all_reduce"(%x) <{axes = #comm.axes<@mesh["tp"]>, reduction = #comm<reduction sum>}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @result_of_memref(%x: memref<4xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op on a memref has no result}}
  %0 = "comm.all_reduce"(%x) <{axes = #comm.axes<@mesh["tp"]>, reduction = #comm<reduction sum>}> : (memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @memref_result(%x: memref<4xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op result #0 must be ranked tensor of f16, bf16, f32, f64, i1, i8, i16, i32 or i64 values, but got 'memref<4xf32>'}}
  %0 = "comm.all_reduce"(%x) <{axes = #comm.axes<@mesh["tp"]>, reduction = #comm<reduction sum>}> : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @three_operands(%x: memref<4xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op operand group starting at #1 requires 0 or 1 element, but found 2}}
  "comm.all_reduce"(%x, %x, %x) <{axes = #comm.axes<@mesh["tp"]>, reduction = #comm<reduction sum>}> : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @no_operand(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op expected 1 or more operands, but found 0}}
  %0 = "comm.all_reduce"() <{axes = #comm.axes<@mesh["tp"]>, reduction = #comm<reduction sum>}> : () -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @tensor_destination(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.all_reduce' op operand #1 must be memref of f16, bf16, f32, f64, i1, i8, i16, i32 or i64 values, but got 'tensor<4xf32>'}}
  %0 = "comm.all_reduce"(%x, %x) <{axes = #comm.axes<@mesh["tp"]>, reduction = #comm<reduction sum>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @dim_of_32_bits(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.all_gather' op attribute 'dim' failed to satisfy constraint: 64-bit signless integer attribute}}
  %0 = "comm.all_gather"(%x) <{axes = #comm.axes<@mesh["tp"]>, dim = 0 : i32}> : (tensor<4xf32>) -> tensor<16xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @dim_of_another_kind(%x: tensor<4xf32>) {
  // expected-error @+1 {{invalid properties {axes = #comm.axes<@mesh["tp"]>, dim = "0"} for op comm.all_gather: Invalid attribute `dim` in property conversion: "0"}}
  %0 = "comm.all_gather"(%x) <{axes = #comm.axes<@mesh["tp"]>, dim = "0"}> : (tensor<4xf32>) -> tensor<16xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @axes_of_another_kind(%x: tensor<4xf32>) {
  // expected-error @+1 {{invalid properties {axes = "tp"} for op comm.vary: Invalid attribute `axes` in property conversion: "tp"}}
  %0 = "comm.vary"(%x) <{axes = "tp"}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @permute_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.permute' op expects pairs of source and target, got 3 numbers}}
  %0 = "comm.permute"(%x) <{axes = #comm.axes<@mesh["tp"]>, pairs = array<i64: 0, 1, 2>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @memref_vary(%x: memref<4xf32>) {
  // expected-error @+1 {{'comm.vary' op operand #0 must be ranked tensor of f16, bf16, f32, f64, i1, i8, i16, i32 or i64 values, but got 'memref<4xf32>'}}
  %0 = "comm.vary"(%x) <{axes = #comm.axes<@mesh["tp"]>}> : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @region(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.vary' op requires zero regions}}
  %0 = "comm.vary"(%x) <{axes = #comm.axes<@mesh["tp"]>}> ({
    ^bb0:
    }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_c4_neither(%x: tensor<4xf32>) {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-error @+1 {{'comm.recv' op expects either a result or a destination}}
  "comm.recv"(%m) : (!comm.message<tensor<4xf32>>) -> ()
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_c4_both(%x: tensor<4xf32>) {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %y = memref.alloc() : memref<4xf32>
  // expected-error @+1 {{'comm.recv' op expects either a result or a destination}}
  %r = "comm.recv"(%m, %y) : (!comm.message<tensor<4xf32>>, memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_of_a_cast(%x: tensor<4xf32>) {
  %m = builtin.unrealized_conversion_cast %x : tensor<4xf32> to !comm.message<tensor<4xf32>>
  // expected-error @+1 {{'comm.recv' op expects the message of a 'comm.send'}}
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_before_send(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 does not dominate this use}}
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  // expected-note @+1 {{operand defined here (op in the same block)}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_of_nothing(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.send' op requires attribute 'to'}}
  %m = "comm.send"(%x) <{axes = #comm.axes<@mesh["tp"]>, from = 0 : i64}> : (tensor<4xf32>) -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @index_of_i64(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.axis_index' op result #0 must be index, but got 'i64'}}
  %0 = "comm.axis_index"() <{axes = #comm.axes<@mesh["tp"]>}> : () -> i64
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @barrier_operand(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.barrier' op requires zero operands}}
  "comm.barrier"(%x) <{axes = #comm.axes<@mesh["tp"]>}> : (tensor<4xf32>) -> ()
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @barrier_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.barrier' op requires zero results}}
  %0 = "comm.barrier"() <{axes = #comm.axes<@mesh["tp"]>}> : () -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @permute_of_nothing(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.permute' op requires attribute 'pairs'}}
  %0 = "comm.permute"(%x) <{axes = #comm.axes<@mesh["tp"]>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @reduction_of_another_kind(%x: tensor<4xf32>) {
  // expected-error @+1 {{invalid properties {axes = #comm.axes<@mesh["tp"]>, reduction = 7 : i64} for op comm.all_reduce: Invalid attribute `reduction` in property conversion: 7 : i64}}
  %0 = "comm.all_reduce"(%x) <{axes = #comm.axes<@mesh["tp"]>, reduction = 7 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @no_concat(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{'comm.all_to_all' op requires attribute 'concat_dim'}}
  %0 = "comm.all_to_all"(%x) <{axes = #comm.axes<@mesh["tp"]>, split_dim = 0 : i64}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_of_nothing(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.recv' op expected 1 or more operands, but found 0}}
  %0 = "comm.recv"() : () -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_of_a_tensor(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.recv' op operand #0 must be tensor in flight from one rank to another, but got 'tensor<4xf32>'}}
  %0 = "comm.recv"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @index_without_axes() {
  // expected-error @+1 {{'comm.axis_index' op requires attribute 'axes'}}
  %0 = "comm.axis_index"() : () -> index
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @unknown_op(%x: tensor<4xf32>) {
  // expected-error @+1 {{unregistered operation 'comm.nothing' found in dialect ('comm') that does not allow unknown operations}}
  %0 = "comm.nothing"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @successor(%x: tensor<4xf32>) {
  // expected-error @+1 {{successors in non-terminator}}
  %0 = "comm.vary"(%x)[^end] <{axes = #comm.axes<@mesh["tp"]>}> : (tensor<4xf32>) -> tensor<4xf32>
  cf.br ^end
^end:
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @vjp_of_nothing(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.vjp' op requires attribute 'callee'}}
  %0 = "comm.vjp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @vjp_without_number(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.vjp' op requires attribute 'num_arguments'}}
  %0 = "comm.vjp"(%x) <{callee = @vjp_without_number}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @value_and_grad_of_nothing(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.value_and_grad' op requires attribute 'callee'}}
  %0 = "comm.value_and_grad"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{'comm.mesh' op requires attribute 'sym_name'}}
"comm.mesh"() <{axis_names = ["a"], axis_sizes = array<i64: 2>}> : () -> ()

// -----

// expected-error @+1 {{'comm.mesh' op requires zero results}}
%0 = "comm.mesh"() <{axis_names = ["a"], axis_sizes = array<i64: 2>, sym_name = "m"}> : () -> i32

// -----

// expected-error @+1 {{'comm.mesh' op requires zero regions}}
"comm.mesh"() <{axis_names = ["a"], axis_sizes = array<i64: 2>, sym_name = "m"}> ({
^bb0:
}) : () -> ()
