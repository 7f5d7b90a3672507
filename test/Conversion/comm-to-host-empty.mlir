// RUN: comm-opt %s --split-input-file --comm-differentiate --comm-to-host | FileCheck %s
// RUN: comm-opt %s --split-input-file --comm-to-host | FileCheck %s

// Where there is nothing to lower: dialects are loaded in another order.

// CHECK: module
module {
}

// -----

// CHECK: module
comm.mesh @mesh [tp = 4]
