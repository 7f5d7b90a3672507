// Where a function has no derivative the check says so, and does not pass.

// RUN: %exits 1 comm-run %s --function=absolute --check-grad --input=x@0=0 --input=x@1=-1 --input=x@2=2 | FileCheck %s --check-prefix=ABS
// ABS: grad.x {{.*}} UNDECIDED
// ABS-NEXT: grad.x: no derivative at this point: y at rank 0, has slope -[[SLOPE:[0-9.e+-]+]] to one side and [[SLOPE]] to the other, and the tangent is 0; give other inputs or another --random-seed
// ABS-NEXT: gradient check failed: 1 undecided
// RUN: comm-run %s --function=absolute --check-grad --input=x@0=3 --input=x@1=-1 --input=x@2=2

// A tie of two arguments, and one between ranks.
// RUN: %exits 1 comm-run %s --function=larger --check-grad --input=a=rank --input=b@0=1 --input=b@1=1 --input=b@2=5 | FileCheck %s --check-prefix=TIE
// TIE: grad.a: no derivative at this point: y at rank 1, has slope
// TIE: grad.b: no derivative at this point: y at rank 1, has slope
// TIE: gradient check failed: 2 undecided
// RUN: %exits 1 comm-run %s --function=largest --check-grad --input=x@0=1,5 --input=x@1=3,2 --input=x@2=3,4 | FileCheck %s --check-prefix=RANKS
// RANKS: grad.x: no derivative at this point: y at rank 0, [0], has slope

// A jump is no slope.
// RUN: %exits 1 comm-run %s --function=step --check-grad --input=x@0=1 --input=x@1=1.5 --input=x@2=2.5 | FileCheck %s --check-prefix=JUMP
// JUMP: grad.x: no derivative at this point: y at rank 0, jumps by 1; give other inputs
// RUN: comm-run %s --function=step --check-grad --input=x@0=1.2 --input=x@1=1.5 --input=x@2=2.5

// Close to a kink a smaller step is taken, and strong curvature is no kink.
// RUN: comm-run %s --function=absolute --check-grad --input=x@0=1e-8 --input=x@1=-1 --input=x@2=2
// RUN: comm-run %s --function=cube --check-grad --input=x@0=0 --input=x@1=1e-3 --input=x@2=200
// RUN: comm-run %s --function=root --check-grad --input=x@0=1e-12 --input=x@1=2e-12 --input=x@2=3e-12

// A wrong gradient is wrong there too.
// RUN: %exits 1 comm-run %s --function=absolute --check-grad --vjp=@wrong --input=x@0=0 --input=x@1=-1 --input=x@2=2 | FileCheck %s --check-prefix=WRONG
// WRONG: grad.x {{.*}} WRONG rank
// WRONG: grad.x: no derivative at this point
// WRONG: gradient check failed: 1 wrong

comm.mesh @mesh [tp = 3]

func.func @absolute(%x: f32) -> f32 {
  %y = math.absf %x : f32
  return %y : f32
}

func.func @wrong(%x: f32, %dy: f32) -> (f32, f32) {
  %y = math.absf %x : f32
  return %y, %dy : f32, f32
}

func.func @larger(%a: f32, %b: f32) -> f32 {
  %y = arith.maximumf %a, %b : f32
  return %y : f32
}

func.func @largest(%x: tensor<2xf32>) -> (tensor<2xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_reduce max %x over @mesh["tp"] : tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @step(%x: f32) -> f32 {
  %y = math.floor %x : f32
  return %y : f32
}

func.func @cube(%x: f32) -> f32 {
  %s = arith.mulf %x, %x : f32
  %y = arith.mulf %s, %x : f32
  return %y : f32
}

func.func @root(%x: f32) -> f32 {
  %y = math.sqrt %x : f32
  return %y : f32
}
