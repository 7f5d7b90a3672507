// Derivative ops are resolved before the program is run.

// RUN: comm-run %s --input=w=2 --input=d@0=1 --input=d@1=3 --input=d@2=5 --expect=loss=23.3333333 --expect=dw=23.3333333
// RUN: comm-run %s --function=pull --input=w=2 --input=d@0=1 --input=d@1=3 --input=d@2=5 --input=s=3 --expect=dw=70

comm.mesh @mesh [dp = 3]
#dp = #comm.axes<@mesh["dp"]>

func.func private @step(%w: f32 {comm.replicated = #dp}, %d: f32) -> (tensor<f32> {comm.replicated = #dp}) {
  %p = arith.mulf %w, %d : f32
  %sq = arith.mulf %p, %p : f32
  %half = arith.constant 0.5 : f32
  %l = arith.mulf %half, %sq : f32
  %lt = tensor.from_elements %l : tensor<f32>
  %loss = comm.all_reduce avg %lt over @mesh["dp"] : tensor<f32>
  return %loss : tensor<f32>
}

func.func @main(%w: f32 {comm.replicated = #dp}, %d: f32)
    -> (tensor<f32> {comm.replicated = #dp}, f32 {comm.replicated = #dp}) {
  %loss, %dw = comm.value_and_grad @step(%w, %d) wrt [0] : (f32, f32) -> (tensor<f32>, f32)
  return %loss, %dw : tensor<f32>, f32
}

func.func @pull(%w: f32 {comm.replicated = #dp}, %d: f32, %s: tensor<f32> {comm.replicated = #dp})
    -> (f32 {comm.replicated = #dp}) {
  %loss, %dw = comm.vjp @step(%w, %d) cotangents(%s) wrt [0] : (f32, f32, tensor<f32>) -> (tensor<f32>, f32)
  return %dw : f32
}
