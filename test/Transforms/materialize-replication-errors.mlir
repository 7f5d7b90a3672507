// RUN: comm-opt %s --comm-materialize-replication -verify-diagnostics -split-input-file

// V28: the claim is refused and the chain is shown.
comm.mesh @mesh [dp = 2, tp = 3]
// expected-note @+1 {{argument 1 of '@claim' varies over axes ["tp"]: it is not marked replicated over them}}
func.func @claim(%w: f32 {comm.replicated = #comm.axes<@mesh["tp"]>}, %d: f32) -> (f32 {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  // expected-note @+1 {{'arith.mulf' uses a value that varies over axes ["tp"]}}
  %y = arith.mulf %w, %d : f32
  // expected-note @+1 {{'math.exp' uses a value that varies over axes ["tp"]}}
  %z = math.exp %y : f32
  // expected-error @+1 {{result 0 of '@claim' is marked replicated over axes ["tp"], but varies over ["tp"]}}
  return %z : f32
}

// -----

// All errors of a function are reported. The chain begins where the value
// begins to vary.
comm.mesh @mesh [dp = 2, tp = 3]
// expected-note @+1 {{argument 0 of '@several' varies over axes ["dp"]}}
func.func @several(%x: tensor<6xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> (tensor<6xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}, tensor<2xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  // expected-note @+1 {{'comm.all_slice' makes a value that varies over axes ["tp"]}}
  %s = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<6xf32> -> tensor<2xf32>
  // expected-error @+2 {{result 0 of '@several' is marked replicated over axes ["dp", "tp"], but varies over ["dp"]}}
  // expected-error @+1 {{result 1 of '@several' is marked replicated over axes ["tp"], but varies over ["tp"]}}
  return %x, %s : tensor<6xf32>, tensor<2xf32>
}

// -----

// V50: all_slice, root_mask and vary refuse what varies over any axis of the
// group. The labels: all_slice_c4, root_mask_c3, vary_c2.
comm.mesh @mesh [dp = 2, tp = 3]
// expected-note @+1 {{argument 0 of '@spread' varies over axes ["tp"]}}
func.func @spread(%x: tensor<6xf32> {comm.replicated = #comm.axes<@mesh["dp"]>}) {
  // expected-error @+2 {{'comm.all_slice' op expects an operand that is replicated over axes ["dp", "tp"], got one that varies over ["tp"]}}
  // expected-note @+1 {{tensor.extract_slice}}
  %s = comm.all_slice %x dim 0 over @mesh["dp", "tp"] : tensor<6xf32> -> tensor<1xf32>
  // expected-error @+2 {{'comm.root_mask' op expects an operand that is replicated over axes ["tp"], got one that varies over ["tp"]}}
  // expected-note @+1 {{permute}}
  %m = comm.root_mask %x root 1 over @mesh["tp"] : tensor<6xf32>
  // expected-error @+2 {{'comm.vary' op expects an operand that is replicated over axes ["tp"], got one that varies over ["tp"]}}
  // expected-note @+1 {{it is each rank's own already}}
  %v = comm.vary %x over @mesh["tp"] : tensor<6xf32>
  return
}

// -----

// A size is the same on all ranks.
comm.mesh @mesh [tp = 3]
// expected-note @+1 {{argument 1 of '@sizes' varies over axes ["tp"]}}
func.func @sizes(%x: tensor<?xf32>, %n: index, %ok: index {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %a = tensor.empty(%d) : tensor<?xf32>
  %b = tensor.empty(%ok) : tensor<?xf32>
  // An offset may vary.
  %c = tensor.extract_slice %x[%n] [%ok] [1] : tensor<?xf32> to tensor<?xf32>
  // expected-error @+1 {{'tensor.empty' op expects a size that is the same on all ranks, got one that varies over axes ["tp"]}}
  %e = tensor.empty(%n) : tensor<?xf32>
  // expected-error @+1 {{'tensor.extract_slice' op expects a size that is the same on all ranks, got one that varies over axes ["tp"]}}
  %f = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  // expected-note @+1 {{'comm.axis_index' makes a value that varies over axes ["tp"]}}
  %i = comm.axis_index over @mesh["tp"] : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{'tensor.splat' op expects a size}}
  %g = tensor.splat %z[%i] : tensor<?xf32>
  // expected-error @+1 {{'tensor.pad' op expects a size}}
  %h = tensor.pad %x low[%i] high[0] {
  ^bb0(%p: index):
    tensor.yield %z : f32
  } : tensor<?xf32> to tensor<?xf32>
  // expected-error @+1 {{'tensor.generate' op expects a size}}
  %j = tensor.generate %i {
  ^bb0(%p: index):
    tensor.yield %z : f32
  } : tensor<?xf32>
  // expected-note @+1 {{'tensor.from_elements' uses a value that varies}}
  %shape = tensor.from_elements %i : tensor<1xindex>
  // expected-error @+1 {{'tensor.reshape' op expects a size}}
  %k = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<1xindex>) -> tensor<?xf32>
  return
}

// -----

// A collective stands in a function or in scf's control flow.
comm.mesh @mesh [tp = 3]
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = comm.permute %x [(0, 1)] over @mesh["tp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @inside(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{the region is here}}
  %g = tensor.generate {
  ^bb0(%p: index):
    // expected-error @+1 {{'comm.all_reduce' op runs inside a region of 'tensor.generate': a collective stands in a function or in a region of scf's control flow}}
    %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
    // expected-error @+1 {{'func.call' op calls '@helper', which runs 'comm.permute' inside a region of 'tensor.generate'}}
    %t = func.call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %f = tensor.extract %s[%c0] : tensor<4xf32>
    tensor.yield %f : f32
  } : tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// A marked argument takes a proved replicated value only.
comm.mesh @mesh [tp = 3]
// expected-note @+1 {{the function is here}}
func.func private @callee(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  return %x : tensor<4xf32>
}
// expected-note @+1 {{argument 0 of '@caller' varies over axes ["tp"]}}
func.func @caller(%x: tensor<4xf32>) {
  // expected-error @+1 {{'func.call' op operand 0 varies over axes ["tp"], but argument 0 of '@callee' is marked replicated over them}}
  %y = call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+2 {{'comm.vjp' op operand 0 varies over axes ["tp"], but argument 0 of '@callee' is marked}}
  // expected-error @+1 {{'comm.vjp' op operand 1 varies over axes ["tp"], but is the seed of a value of '@callee' that is marked}}
  %z:2 = comm.vjp @callee(%x) cotangents(%x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // expected-error @+2 {{'comm.jvp' op operand 0 varies over axes ["tp"], but argument 0 of '@callee' is marked}}
  // expected-error @+1 {{'comm.jvp' op operand 1 varies over axes ["tp"], but is the seed of a value of '@callee' that is marked}}
  %t:2 = comm.jvp @callee(%x) tangents(%x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// A helper whose arguments are unmarked breaks its caller's claim.
comm.mesh @mesh [tp = 3]
// expected-note @+2 {{argument 0 of '@gelu' is unmarked: mark it, or inline the call}}
// expected-note @+1 {{result 0 of '@gelu' is unmarked: mark it, or inline the call}}
func.func private @gelu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.tanh %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @layer(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  // expected-note @+1 {{'func.call' makes a value that varies over axes ["tp"]}}
  %y = call @gelu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{result 0 of '@layer' is marked replicated over axes ["tp"], but varies over ["tp"]}}
  return %y : tensor<4xf32>
}
