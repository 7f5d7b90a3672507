// RUN: comm-opt %s --comm-annotate-replication -verify-diagnostics -split-input-file

// expected-error @+1 {{unstructured control flow is not supported: expected one block in a region of 'func.func', got 2; write scf, or run --lift-cf-to-scf}}
func.func @f(%x: f32) -> f32 {
  cf.br ^bb1
^bb1:
  return %x : f32
}

// -----

func.func @g(%x: f32) -> f32 {
  // expected-error @+1 {{unstructured control flow is not supported: expected one block in a region of 'scf.execute_region', got 2}}
  %y = scf.execute_region -> f32 {
    cf.br ^bb1
  ^bb1:
    scf.yield %x : f32
  }
  return %y : f32
}
