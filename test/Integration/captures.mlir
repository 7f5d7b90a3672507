// A number that a body reads from outside has a gradient like any operand.

// RUN: comm-run %s --function=map --check-grad
// RUN: comm-run %s --function=reduction --check-grad
// RUN: comm-run %s --function=padding --check-grad
// RUN: comm-run %s --function=map --grad --input=x=1,2,3 --input=s=2 --input=n=3 \
// RUN:   --seed=0=1,10,100 --expect=grad.x=6,60,600 --expect=grad.s=963

// y = x·s·n  =>  s̄ = n·sum x·ȳ = 3·(1 + 20 + 300)
func.func @map(%x: tensor<3xf32>, %s: f32, %n: i32) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %y = linalg.map ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) (%p: f32, %o: f32) {
    %0 = arith.mulf %p, %s : f32
    %1 = arith.sitofp %n : i32 to f32
    %2 = arith.mulf %0, %1 : f32
    linalg.yield %2 : f32
  }
  return %y : tensor<3xf32>
}

func.func @reduction(%x: tensor<3x4xf32>, %s: f32) -> tensor<3xf32> {
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %square = arith.mulf %s, %s : f32
  %y = linalg.reduce ins(%x : tensor<3x4xf32>) outs(%zero : tensor<3xf32>) dimensions = [1] (%p: f32, %acc: f32) {
    %0 = arith.mulf %p, %square : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return %y : tensor<3xf32>
}

func.func @padding(%x: tensor<3xf32>, %v: f32) -> tensor<6xf32> {
  %y = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<3xf32> to tensor<6xf32>
  return %y : tensor<6xf32>
}
