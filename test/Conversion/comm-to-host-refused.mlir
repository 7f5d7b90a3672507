// RUN: comm-opt %s --comm-to-host -split-input-file -verify-diagnostics

// A program that is only lowered is proved as well.
comm.mesh @mesh [tp = 4]
// expected-note @+1 {{argument 0 of}}
func.func @forgotten(%x: tensor<4xf32>) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  // expected-note @+1 {{'arith.addf' uses a value that varies}}
  %y = arith.addf %x, %x : tensor<4xf32>
  // expected-error @+1 {{result 0 of '@forgotten' is marked replicated over axes ["tp"], but varies over ["tp"]}}
  return %y : tensor<4xf32>
}
