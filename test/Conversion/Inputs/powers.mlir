// Powers that the compiler does not know: the arguments are zeros.

func.func @powers(%z8: tensor<16xi8>, %z16: tensor<9xi16>, %z32: tensor<9xi32>, %z64: tensor<11xi64>, %a1: tensor<4xi1>, %b1: tensor<4xi1>) -> (tensor<16xi8>, tensor<9xi16>, tensor<9xi32>, tensor<11xi64>, tensor<4xi1>) {
  %a8 = arith.constant dense<[3, 3, -3, 2, 2, -128, 0, 0, 5, 1, -1, -1, 2, -128, 0, -1]> : tensor<16xi8>
  %b8 = arith.constant dense<[4, 5, 3, 7, 8, 2, 0, 3, 0, -7, -7, -128, -1, -3, -1, 127]> : tensor<16xi8>
  %x8 = arith.addi %a8, %z8 : tensor<16xi8>
  %p8 = arith.addi %b8, %z8 : tensor<16xi8>
  %y8 = math.ipowi %x8, %p8 : tensor<16xi8>
  %a16 = arith.constant dense<[7, -7, 7, 2, 2, 0, -1, 3, 0]> : tensor<9xi16>
  %b16 = arith.constant dense<[5, 5, 6, 15, 16, 0, -32768, -2, -5]> : tensor<9xi16>
  %x16 = arith.addi %a16, %z16 : tensor<9xi16>
  %p16 = arith.addi %b16, %z16 : tensor<9xi16>
  %y16 = math.ipowi %x16, %p16 : tensor<9xi16>
  %a32 = arith.constant dense<[3, -3, 3, 2, 2, 0, -1, 3, 0]> : tensor<9xi32>
  %b32 = arith.constant dense<[20, 19, 21, 31, 32, 0, -2147483647, -2, -5]> : tensor<9xi32>
  %x32 = arith.addi %a32, %z32 : tensor<9xi32>
  %p32 = arith.addi %b32, %z32 : tensor<9xi32>
  %y32 = math.ipowi %x32, %p32 : tensor<9xi32>
  %a64 = arith.constant dense<[10, -7, 3, 3, 2, 2, 0, -1, -1, 7, 0]> : tensor<11xi64>
  %b64 = arith.constant dense<[18, 21, 40, 41, 63, 64, 0, -9223372036854775808, -9223372036854775807, -1, -9223372036854775808]> : tensor<11xi64>
  %x64 = arith.addi %a64, %z64 : tensor<11xi64>
  %p64 = arith.addi %b64, %z64 : tensor<11xi64>
  %y64 = math.ipowi %x64, %p64 : tensor<11xi64>
  %y1 = math.ipowi %a1, %b1 : tensor<4xi1>
  return %y8, %y16, %y32, %y64, %y1 : tensor<16xi8>, tensor<9xi16>, tensor<9xi32>, tensor<11xi64>, tensor<4xi1>
}
