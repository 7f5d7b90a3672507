// What one pass has warned about, the next does not.

// RUN: comm-opt %s -comm-differentiate -comm-materialize-replication -o %t 2>&1 | FileCheck %s
// RUN: comm-opt %s -comm-differentiate --comm-to-host -o %t 2>&1 | FileCheck %s
// RUN: comm-opt %s -comm-materialize-replication -comm-materialize-replication -o %t 2>&1 | FileCheck %s
// RUN: comm-opt %s --comm-to-host -o %t 2>&1 | FileCheck %s
// CHECK:     warning: result 0 of '@f' is proved replicated
// CHECK-NOT: warning

comm.mesh @mesh [tp = 3]
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}
