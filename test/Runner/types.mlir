// Every type that can stand at the boundary goes in and comes out; no mesh is one rank.

// RUN: comm-run %s --input=a=1.5 --input=b=-2.5 --input=c=3,4 --input=d=5.25 --input=e=true --input=f=-7 --input=g=300 \
// RUN:   --input=h=70000 --input=i=1,2 --input=j=9 --input=k=true,false | FileCheck %s
// CHECK:      a: f16
// CHECK-NEXT:   rank 0: 1.5
// CHECK-NEXT: b: 1xbf16
// CHECK-NEXT:   rank 0: [-2.5]
// CHECK-NEXT: c: 2xf32
// CHECK-NEXT:   rank 0: [3, 4]
// CHECK-NEXT: d: f64
// CHECK-NEXT:   rank 0: 5.25
// CHECK-NEXT: e: i1
// CHECK-NEXT:   rank 0: true
// CHECK-NEXT: f: 1xi8
// CHECK-NEXT:   rank 0: [-7]
// CHECK-NEXT: g: i16
// CHECK-NEXT:   rank 0: 300
// CHECK-NEXT: h: i32
// CHECK-NEXT:   rank 0: 70000
// CHECK-NEXT: i: 2xi64
// CHECK-NEXT:   rank 0: [1, 2]
// CHECK-NEXT: j: i64
// CHECK-NEXT:   rank 0: 9
// CHECK-NEXT: k: 2xi1
// CHECK-NEXT:   rank 0: [true, false]

func.func @main(%a: f16, %b: tensor<1xbf16>, %c: tensor<2xf32>, %d: f64, %e: i1, %f: tensor<1xi8>, %g: i16, %h: i32,
                %i: tensor<?xi64>, %j: index, %k: tensor<2xi1>)
    -> (f16, tensor<1xbf16>, tensor<2xf32>, f64, i1, tensor<1xi8>, i16, i32, tensor<?xi64>, index, tensor<2xi1>) {
  return %a, %b, %c, %d, %e, %f, %g, %h, %i, %j, %k
      : f16, tensor<1xbf16>, tensor<2xf32>, f64, i1, tensor<1xi8>, i16, i32, tensor<?xi64>, index, tensor<2xi1>
}
