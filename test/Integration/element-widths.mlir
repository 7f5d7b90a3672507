// Elements of any width, in memory that other values take before and after.

// RUN: comm-run %s --function=i24 --input=x=rand --expect=0=true
// RUN: comm-run %s --function=bits --input=x=1,2 --expect=0=1065353217,1073741825

func.func @i24(%x: tensor<100xi32>) -> i1 {
  %c0 = arith.constant 0 : index
  %c99 = arith.constant 99 : index
  %one = arith.constant dense<1> : tensor<100xi24>
  %a = arith.trunci %x : tensor<100xi32> to tensor<100xi24>
  %f = tensor.extract %a[%c0] : tensor<100xi24>
  %l = tensor.extract %a[%c99] : tensor<100xi24>
  %b = arith.addi %a, %one : tensor<100xi24>
  %g = tensor.extract %b[%c0] : tensor<100xi24>
  %m = tensor.extract %b[%c99] : tensor<100xi24>
  %p = tensor.extract %a[%c0] : tensor<100xi24>
  %q = tensor.extract %a[%c99] : tensor<100xi24>
  %one0 = arith.subi %g, %f : i24
  %one1 = arith.subi %m, %l : i24
  %one2 = arith.subi %g, %p : i24
  %one3 = arith.subi %m, %q : i24
  %product0 = arith.muli %one0, %one1 : i24
  %product1 = arith.muli %one2, %one3 : i24
  %product = arith.muli %product0, %product1 : i24
  %i = arith.constant 1 : i24
  %r = arith.cmpi eq, %product, %i : i24
  return %r : i1
}

func.func @bits(%x: tensor<2xf32>) -> tensor<2xi32> {
  %b = tensor.bitcast %x : tensor<2xf32> to tensor<2xi32>
  %one = arith.constant dense<1> : tensor<2xi32>
  %y = arith.addi %b, %one : tensor<2xi32>
  return %y : tensor<2xi32>
}
