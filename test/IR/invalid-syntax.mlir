// RUN: comm-opt %s --split-input-file --verify-diagnostics
// Errors of the parser.

comm.mesh @mesh [dp = 2, tp = 4]
func.func @axes_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'comm.vary' expected at least one axis of '@mesh'}}
  %0 = comm.vary %x over @mesh[] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @axes_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'comm.vary' axis 'tp' is named twice}}
  %0 = comm.vary %x over @mesh["tp", "tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @axis_without_quotes(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the name of an axis in quotes, such as "tp"}}
  %0 = comm.vary %x over @mesh[tp] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @axis_number(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the name of an axis in quotes, such as "tp"}}
  %0 = comm.vary %x over @mesh[1] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @mesh_without_at(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the mesh and then its axes, such as @mesh["tp"]}}
  %0 = comm.vary %x over mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @axes_without_mesh(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected the mesh and then its axes, such as @mesh["tp"]}}
  %0 = comm.vary %x over "tp" : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
// expected-error @+1 {{expected the mesh and then its axes, such as @mesh["tp"]}}
func.func @mark_without_mesh(%x: tensor<4xf32> {comm.replicated = #comm.axes<"tp">}) {
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @nested_mesh(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected '['}}
  %0 = comm.vary %x over @a::@mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @no_over(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'comm.vary' expected 'over'}}
  %0 = comm.vary %x @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @no_reduction(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'comm.all_reduce' expected a reduction (sum, avg, prod, max, min, and, or, xor)}}
  %0 = comm.all_reduce %x over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @unknown_reduction(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'comm.all_reduce' expected a reduction (sum, avg, prod, max, min, and, or, xor), got 'mean'}}
  %0 = comm.all_reduce mean %x over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @no_dim(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'comm.all_gather' expected 'dim'}}
  %0 = comm.all_gather %x over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @dim_of_another_kind(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'comm.all_gather' invalid kind of attribute specified}}
  %0 = comm.all_gather %x dim "0" over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @dim_too_large(%x: tensor<4xf32>) {
  // expected-error @+1 {{integer constant out of range for attribute}}
  %0 = comm.all_gather %x dim 99999999999999999999 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @pair_of_one(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected ','}}
  %0 = comm.permute %x [(0)] over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @pairs_without_brackets(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected '['}}
  %0 = comm.permute %x (0, 1) over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @no_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected ':'}}
  %0 = comm.vary %x over @mesh["tp"]
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @result_of_memref(%x: memref<4xf32>) {
  // expected-error @+1 {{cannot name an operation with no results}}
  %0 = comm.all_reduce sum %x over @mesh["tp"] : memref<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @message_of_memref(%x: tensor<4xf32>) {
  // expected-error @+2 {{invalid kind of type specified: expected builtin.tensor, but found 'memref<4xf32>'}}
  // expected-error @+1 {{failed to parse Comm_MessageType parameter 'payload' which is to be a `::mlir::RankedTensorType`}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<memref<4xf32>>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @message_of_what(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected '<'}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @no_tangents(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'comm.jvp' expected 'tangents'}}
  %y, %ty = comm.jvp @no_tangents(%x) cotangents(%x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @no_cotangents(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'comm.vjp' expected 'cotangents'}}
  %y, %dx = comm.vjp @no_cotangents(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}

// -----

// expected-error @+1 {{expected '='}}
comm.mesh @mesh [dp]

// -----

// expected-error @+1 {{custom op 'comm.mesh' expected integer value, got 'two'}}
comm.mesh @mesh [dp = two]

// -----

// expected-error @+1 {{custom op 'comm.mesh' expected integer value, got 'true'}}
comm.mesh @mesh [dp = true]

// -----

// expected-error @+1 {{custom op 'comm.mesh' expected integer value}}
comm.mesh @mesh [dp = "two"]

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @pair_of_words(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'comm.permute' expected integer value, got 'true'}}
  %0 = comm.permute %x [(0, true)] over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @dim_of_a_word(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'dim' failed to satisfy constraint: 64-bit signless integer attribute}}
  %0 = comm.all_gather %x dim true over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  return
}

// -----

// expected-error @+1 {{expected '['}}
comm.mesh @mesh

// -----

// expected-error @+1 {{custom op 'comm.mesh' expected valid '@'-identifier for symbol name}}
comm.mesh [dp = 2]

// -----

// expected-error @+1 {{custom op 'comm.mesh' integer value too large}}
comm.mesh @mesh [dp = 99999999999999999999]

// -----

comm.mesh @mesh [dp = 2, tp = 4]
// expected-error @+1 {{unbalanced '[' character in pretty dialect name}}
func.func @attribute(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"}) {
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
// expected-error @+1 {{axis 'tp' is named twice}}
func.func @axes_c2_attribute(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp", "tp"]>}) {
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
// expected-error @+1 {{expected at least one axis of '@mesh'}}
func.func @attribute_empty(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh[]>}) {
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @three_in_a_pair(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected ')'}}
  %0 = comm.permute %x [(0, 1, 2)] over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @pair_too_large(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'comm.permute' integer value too large}}
  %0 = comm.permute %x [(0, 99999999999999999999)] over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @no_root(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'comm.broadcast' expected 'root'}}
  %0 = comm.broadcast %x over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @root_too_large(%x: tensor<4xf32>) {
  // expected-error @+1 {{integer constant out of range for attribute}}
  %0 = comm.broadcast %x root 18446744073709551616 over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @no_to(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'comm.send' expected 'to'}}
  %0 = comm.send %x from 0 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @two_operands(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'comm.all_reduce' expected 'over'}}
  %0 = comm.all_reduce sum %x, %x over @mesh["tp"] : tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @axes_not_closed(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected ']'}}
  %0 = comm.vary %x over @mesh["tp" : tensor<4xf32>
  return
}

// -----

// expected-error @+2 {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
// expected-error @+1 {{failed to parse Comm_MessageType parameter 'payload'}}
func.func @message_of_a_scalar(%x: !comm.message<f32>) {
  return
}

// -----

// expected-error @+1 {{unknown attribute `nothing` in dialect `comm`}}
func.func @unknown_attribute(%x: tensor<4xf32> {comm.replicated = #comm.nothing}) {
  return
}

// -----

// expected-error @+1 {{custom op 'comm.mesh' expected valid keyword or string}}
comm.mesh @mesh [1 = 1]

// -----

// expected-error @+1 {{expected '['}}
comm.mesh @mesh
