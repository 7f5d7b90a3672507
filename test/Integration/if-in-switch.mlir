// Control flow within a region of a switch.

// RUN: comm-run %s --input=x=1,2 --input=s=0 --input=p=false --expect=0=3,6
// RUN: comm-run %s --input=x=1,2 --input=s=1 --input=p=false --expect=0=2,4

func.func @if_in_switch(%x: tensor<2xf32>, %s: index, %p: i1) -> tensor<2xf32> {
  %q:2 = scf.index_switch %s -> tensor<2xf32>, tensor<2xf32>
  case 0 {
    %k = scf.if %p -> tensor<2xf32> {
      scf.yield %x : tensor<2xf32>
    } else {
      %y = arith.addf %x, %x : tensor<2xf32>
      scf.yield %y : tensor<2xf32>
    }
    scf.yield %x, %k : tensor<2xf32>, tensor<2xf32>
  }
  default {
    scf.yield %x, %x : tensor<2xf32>, tensor<2xf32>
  }
  %z = arith.addf %q#0, %q#1 : tensor<2xf32>
  return %z : tensor<2xf32>
}
