// What the examples do not have: two axes in both orders and one of a single rank,
// dimensions other than the first, roots and pairs of a larger group, numbers,
// sizes that only the run knows, tensors without elements, constants.
comm.mesh @mesh [dp = 2, one = 1, tp = 2]

#all = #comm.axes<@mesh["dp", "one", "tp"]>

func.func @groups(%x: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<4x32xf32>, tensor<16x2xf32>, tensor<16x8xf32>, tensor<4x2xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %to = comm.all_to_all %x split 1 concat 0 over @mesh["tp"] : tensor<4x8xf32> -> tensor<8x4xf32>
  %all = comm.all_gather %x dim 1 over @mesh["tp", "dp"] : tensor<4x8xf32> -> tensor<4x32xf32>
  %own = comm.vary %all over @mesh["dp", "tp"] : tensor<4x32xf32>
  %both = comm.all_to_all %x split 1 concat 0 over @mesh["tp", "dp"] : tensor<4x8xf32> -> tensor<16x2xf32>
  %gathered = comm.gather %x dim 0 root 3 over @mesh["tp", "one", "dp"] : tensor<4x8xf32> -> tensor<16x8xf32>
  %part = comm.scatter %x dim 1 root 2 over @mesh["dp", "tp"] : tensor<4x8xf32> -> tensor<4x2xf32>
  %next = comm.permute %x [(0, 3), (3, 1), (2, 2)] over @mesh["tp", "dp"] : tensor<4x8xf32>
  %average = comm.reduce avg %x root 2 over @mesh["tp", "dp"] : tensor<4x8xf32>
  %alone = comm.all_reduce avg %x over @mesh["one"] : tensor<4x8xf32>
  %product = comm.all_reduce prod %alone over @mesh["dp"] : tensor<4x8xf32>
  %own_product = comm.vary %product over @mesh["dp"] : tensor<4x8xf32>
  %largest = comm.all_reduce max %x over @mesh["one", "tp"] : tensor<4x8xf32>
  %own_largest = comm.vary %largest over @mesh["tp"] : tensor<4x8xf32>
  return %to, %own, %both, %gathered, %part, %next, %average, %own_product, %own_largest : tensor<8x4xf32>, tensor<4x32xf32>, tensor<16x2xf32>, tensor<16x8xf32>, tensor<4x2xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// A ring both ways, and a chain.
func.func @messages(%x: tensor<3xf64>) -> tensor<3xf64> {
  %a = comm.send %x from 0 to 1 over @mesh["dp", "tp"] : tensor<3xf64> -> !comm.message<tensor<3xf64>>
  %b = comm.send %x from 3 to 2 over @mesh["dp", "tp"] : tensor<3xf64> -> !comm.message<tensor<3xf64>>
  %from_a = comm.recv %a : !comm.message<tensor<3xf64>> -> tensor<3xf64>
  %from_b = comm.recv %b : !comm.message<tensor<3xf64>> -> tensor<3xf64>
  %sum = arith.addf %from_a, %from_b : tensor<3xf64>
  %product = arith.mulf %sum, %x : tensor<3xf64>
  %c = comm.send %product from 1 to 3 over @mesh["dp", "tp"] : tensor<3xf64> -> !comm.message<tensor<3xf64>>
  %from_c = comm.recv %c : !comm.message<tensor<3xf64>> -> tensor<3xf64>
  %y = arith.addf %from_c, %product : tensor<3xf64>
  return %y : tensor<3xf64>
}

// Numbers of all types, in and out.
func.func @numbers(%a: f32, %b: f64, %c: f16, %d: bf16, %i: i32, %j: i64, %k: i8, %p: i1, %t: tensor<f32>)
    -> (f32, f64, f16, bf16, i32, i64, i8, i1, tensor<f32>) {
  %rank = comm.axis_index over @mesh["tp", "dp"] : index
  %number = arith.index_cast %rank : index to i32
  %f = arith.sitofp %number : i32 to f32
  %a2 = arith.mulf %a, %f : f32
  %b2 = arith.addf %b, %b : f64
  %c2 = arith.mulf %c, %c : f16
  %d2 = arith.subf %d, %d : bf16
  %i2 = arith.muli %i, %number : i32
  %j2 = arith.subi %j, %j : i64
  %k2 = arith.addi %k, %k : i8
  %true = arith.constant true
  %p2 = arith.xori %p, %true : i1
  %t2 = arith.mulf %t, %t : tensor<f32>
  return %a2, %b2, %c2, %d2, %i2, %j2, %k2, %p2, %t2 : f32, f64, f16, bf16, i32, i64, i8, i1, tensor<f32>
}

// Sizes that only the run knows, of collectives, kernels and products.
func.func @sizes(%x: tensor<?x4xf32>, %w: tensor<4x?xf32>) -> (tensor<?x?xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x4xf32>
  %columns = tensor.dim %w, %c1 : tensor<4x?xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x?xf32>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = math.tanh %y : tensor<?x?xf32>
  %all = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<?x4xf32> -> tensor<?x4xf32>
  %own = comm.vary %all over @mesh["tp"] : tensor<?x4xf32>
  %to = comm.reduce_scatter avg %x dim 0 over @mesh["dp", "tp"] : tensor<?x4xf32> -> tensor<?x4xf32>
  %line_empty = tensor.empty(%columns) : tensor<?xf32>
  %line_zeros = linalg.fill ins(%zero : f32) outs(%line_empty : tensor<?xf32>) -> tensor<?xf32>
  %line = linalg.reduce { arith.addf } ins(%w : tensor<4x?xf32>) outs(%line_zeros : tensor<?xf32>) dimensions = [0]
  return %t, %own, %to, %line : tensor<?x?xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?xf32>
}

// The last message of a group has no elements.
func.func @empty_message(%x: tensor<3xf64>, %e: tensor<0xf64>) -> (tensor<3xf64>, tensor<0xf64>) {
  %a = comm.send %x from 0 to 1 over @mesh["dp", "tp"] : tensor<3xf64> -> !comm.message<tensor<3xf64>>
  %b = comm.send %e from 0 to 2 over @mesh["dp", "tp"] : tensor<0xf64> -> !comm.message<tensor<0xf64>>
  %from_a = comm.recv %a : !comm.message<tensor<3xf64>> -> tensor<3xf64>
  %from_b = comm.recv %b : !comm.message<tensor<0xf64>> -> tensor<0xf64>
  return %from_a, %from_b : tensor<3xf64>, tensor<0xf64>
}

func.func @nothing(%x: tensor<0x4xf32>, %y: tensor<4x0xf32>) -> (tensor<0x4xf32>, tensor<0x8xf32>, tensor<4x4xf32>) {
  %sum = comm.all_reduce sum %x over @mesh["tp"] : tensor<0x4xf32>
  %own = comm.vary %sum over @mesh["tp"] : tensor<0x4xf32>
  %all = comm.all_gather %x dim 1 over @mesh["dp"] : tensor<0x4xf32> -> tensor<0x8xf32>
  %own_all = comm.vary %all over @mesh["dp"] : tensor<0x8xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %product = linalg.matmul ins(%y, %x : tensor<4x0xf32>, tensor<0x4xf32>) outs(%zeros : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %own, %own_all, %product : tensor<0x4xf32>, tensor<0x8xf32>, tensor<4x4xf32>
}

func.func @constants(%x: tensor<4xf32>, %h: tensor<3xf16>, %b: tensor<3xbf16>, %i: tensor<3xi8>, %p: tensor<3xi1>)
    -> (tensor<4xf32>, tensor<3xf16>, tensor<3xbf16>, tensor<3xi8>, tensor<3xi1>, tensor<4xf32>) {
  %c = arith.constant dense<[1.5, -2.25, 1.0e-3, 3.0e38]> : tensor<4xf32>
  %x2 = arith.mulf %x, %c : tensor<4xf32>
  %sent = comm.all_reduce sum %c over @mesh["dp", "one", "tp"] : tensor<4xf32>
  %ch = arith.constant dense<[1.5, -2.25, 1.0e-3]> : tensor<3xf16>
  %h2 = arith.mulf %h, %ch : tensor<3xf16>
  %cb = arith.constant dense<[1.5, -2.25, 1.0e-3]> : tensor<3xbf16>
  %b2 = arith.addf %b, %cb : tensor<3xbf16>
  %ci = arith.constant dense<[127, -128, 5]> : tensor<3xi8>
  %i2 = arith.addi %i, %ci : tensor<3xi8>
  %cp = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %p2 = arith.xori %p, %cp : tensor<3xi1>
  %own = comm.vary %sent over @mesh["dp", "one", "tp"] : tensor<4xf32>
  return %x2, %h2, %b2, %i2, %p2, %own : tensor<4xf32>, tensor<3xf16>, tensor<3xbf16>, tensor<3xi8>, tensor<3xi1>, tensor<4xf32>
}

// Products of each type, transposed on either side, and many at once.
func.func @products(%a: tensor<3x4x5xf64>, %b: tensor<3x5x2xf64>, %h: tensor<4x3xf16>, %g: tensor<4x5xf16>, %u: tensor<2x6xbf16>, %v: tensor<3x6xbf16>)
    -> (tensor<3x4x2xf64>, tensor<3x5xf16>, tensor<2x3xbf16>) {
  %zero = arith.constant 0.0 : f64
  %e1 = tensor.empty() : tensor<3x4x2xf64>
  %z1 = linalg.fill ins(%zero : f64) outs(%e1 : tensor<3x4x2xf64>) -> tensor<3x4x2xf64>
  %y1 = linalg.batch_matmul ins(%a, %b : tensor<3x4x5xf64>, tensor<3x5x2xf64>) outs(%z1 : tensor<3x4x2xf64>) -> tensor<3x4x2xf64>
  %zh = arith.constant 0.0 : f16
  %e2 = tensor.empty() : tensor<3x5xf16>
  %z2 = linalg.fill ins(%zh : f16) outs(%e2 : tensor<3x5xf16>) -> tensor<3x5xf16>
  %te = tensor.empty() : tensor<3x4xf16>
  %t = linalg.transpose ins(%h : tensor<4x3xf16>) outs(%te : tensor<3x4xf16>) permutation = [1, 0]
  %y2 = linalg.matmul ins(%t, %g : tensor<3x4xf16>, tensor<4x5xf16>) outs(%z2 : tensor<3x5xf16>) -> tensor<3x5xf16>
  %zb = arith.constant 0.0 : bf16
  %e3 = tensor.empty() : tensor<2x3xbf16>
  %z3 = linalg.fill ins(%zb : bf16) outs(%e3 : tensor<2x3xbf16>) -> tensor<2x3xbf16>
  %se = tensor.empty() : tensor<6x3xbf16>
  %s = linalg.transpose ins(%v : tensor<3x6xbf16>) outs(%se : tensor<6x3xbf16>) permutation = [1, 0]
  %y3 = linalg.matmul ins(%u, %s : tensor<2x6xbf16>, tensor<6x3xbf16>) outs(%z3 : tensor<2x3xbf16>) -> tensor<2x3xbf16>
  return %y1, %y2, %y3 : tensor<3x4x2xf64>, tensor<3x5xf16>, tensor<2x3xbf16>
}

// Unsigned numbers that are used as signed ones, and small ones as large ones.
func.func @signs(%a: tensor<8xi8>, %b: tensor<8xi8>, %c: tensor<8xi32>, %d: tensor<8xi64>)
    -> (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<8xi64>, tensor<8xi64>, tensor<8xbf16>) {
  %one = arith.constant dense<1> : tensor<8xi8>
  %odd = arith.ori %b, %one : tensor<8xi8>
  %q = arith.divui %a, %odd : tensor<8xi8>
  %is = arith.cmpi eq, %q, %a : tensor<8xi8>
  %m = arith.maxui %a, %b : tensor<8xi8>
  %from_max = arith.sitofp %m : tensor<8xi8> to tensor<8xf32>
  %up = arith.ceildivui %b, %odd : tensor<8xi8>
  %from_up = arith.sitofp %up : tensor<8xi8> to tensor<8xf32>
  %negative = math.absi %a : tensor<8xi8>
  %from_negative = arith.sitofp %negative : tensor<8xi8> to tensor<8xf32>
  %chosen = arith.select %is, %q, %a : tensor<8xi1>, tensor<8xi8>
  %from_chosen = arith.sitofp %chosen : tensor<8xi8> to tensor<8xf32>
  // A step of a generator of random numbers.
  %seventeen = arith.constant dense<17> : tensor<8xi32>
  %shifted = arith.shrui %c, %seventeen : tensor<8xi32>
  %mixed = arith.xori %c, %shifted : tensor<8xi32>
  %three = arith.constant dense<3> : tensor<8xi32>
  %third = arith.divsi %mixed, %three : tensor<8xi32>
  // By more bits than an int has.
  %bits = arith.constant dense<63> : tensor<8xi64>
  %count = arith.andi %d, %bits : tensor<8xi64>
  %unit = arith.constant dense<1> : tensor<8xi64>
  %power = arith.shli %unit, %count : tensor<8xi64>
  %minus = arith.constant dense<-5> : tensor<8xi64>
  %down = arith.shrsi %minus, %count : tensor<8xi64>
  %half_bits = arith.constant dense<16256> : tensor<8xi16>
  %small = arith.extui %a : tensor<8xi8> to tensor<8xi16>
  %these = arith.ori %half_bits, %small : tensor<8xi16>
  %by = arith.constant dense<1> : tensor<8xi16>
  %low = arith.shrui %these, %by : tensor<8xi16>
  %half = arith.bitcast %low : tensor<8xi16> to tensor<8xbf16>
  return %is, %from_max, %from_up, %from_negative, %from_chosen, %third, %power, %down, %half : tensor<8xi1>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<8xi64>, tensor<8xi64>, tensor<8xbf16>
}

// A collective in one branch of several.
func.func @branches(%x: tensor<4xf32>, %n: index {comm.replicated = #all}) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %which = arith.andi %n, %c1 : index
  %y = scf.index_switch %which -> tensor<4xf32>
  case 0 {
    %sum = comm.all_reduce sum %x over @mesh["dp", "tp"] : tensor<4xf32>
    %own = comm.vary %sum over @mesh["dp", "tp"] : tensor<4xf32>
    scf.yield %own : tensor<4xf32>
  }
  default {
    %next = comm.permute %x [(0, 1), (1, 0)] over @mesh["tp"] : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  %z = arith.mulf %y, %y : tensor<4xf32>
  return %z : tensor<4xf32>
}
