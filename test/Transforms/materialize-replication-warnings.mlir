// RUN: comm-opt %s --comm-materialize-replication -verify-diagnostics -split-input-file

comm.mesh @mesh [dp = 2, tp = 4, one = 1]

// V26: the sum of a sum.
func.func @sum_of_sum(%x: tensor<4xf32>) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  // expected-warning @+1 {{'comm.all_reduce' op reduces a value that is already replicated over axes ["tp"]: a sum counts it 4 times}}
  %z = comm.all_reduce sum %y over @mesh["tp"] : tensor<4xf32>
  return %z : tensor<4xf32>
}

// Said with comm.vary, it is meant.
func.func @meant(%x: tensor<4xf32>) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %v = comm.vary %y over @mesh["tp"] : tensor<4xf32>
  %z = comm.all_reduce sum %v over @mesh["tp"] : tensor<4xf32>
  return %z : tensor<4xf32>
}

// Axes of size 1 count nothing.
func.func @one(%x: tensor<4xf32>) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["one"]>}) {
  %y = comm.all_reduce sum %x over @mesh["one"] : tensor<4xf32>
  %z = comm.all_reduce sum %y over @mesh["one"] : tensor<4xf32>
  return %z : tensor<4xf32>
}

// V03: the objective is the sum over ranks.
func.func @unmarked(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %z = comm.all_reduce sum %y over @mesh["dp"] : tensor<4xf32>
  // expected-warning @+2 {{result 0 of '@unmarked' is proved replicated over axes ["tp"], but unmarked: its objective is counted 4 times: mark it, or write comm.vary to say that this is meant}}
  // expected-warning @+1 {{result 1 of '@unmarked' is proved replicated over axes ["dp", "tp"], but unmarked: its objective is counted 8 times}}
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// No objective: an integer, a constant.
func.func @no_objective(%x: tensor<4xi32>, %f: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>) {
  %y = comm.all_reduce sum %x over @mesh["tp", "dp"] : tensor<4xi32>
  %c = arith.constant dense<1.0> : tensor<4xf32>
  return %y, %c : tensor<4xi32>, tensor<4xf32>
}
