// RUN: comm-compile %s --emit=cuda-cpp --grad -o %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: FileCheck %s --check-prefix=NAMES < %t.cu
// RUN: comm-compile %s --emit=cuda-cpp --verify-runtime | FileCheck %s --check-prefix=VERIFY
// RUN: comm-compile %examples/tensor_parallel_ffn.mlir --emit=cuda-cpp --grad | FileCheck %s --check-prefix=FFN
// RUN: not comm-compile %S/Inputs/no_text.mlir --emit=cuda-cpp 2>&1 | FileCheck %s --check-prefix=REFUSED

// What the run alone knows is checked on the host.
// VERIFY: return fail("cuda-cpp.mlir:{{[0-9]+}}: assertion", "linalg.generic: {{.*}} is incompatible with inferred dimension size"

// Nothing of this project, and no helper that is not called.
// NAMES-NOT: comm.h
// NAMES-NOT: floorDiv
// NAMES: struct Communicators {
// NAMES-NEXT: ncclComm_t tp; // 4 ranks
// NAMES-NEXT: ncclComm_t dp_tp; // 8 ranks
// NAMES-NEXT: ncclComm_t dp; // 2 ranks
// NAMES-NEXT: };

comm.mesh @mesh [dp = 2, tp = 4]

// What has a name in this file keeps it, also as the name of what its cotangent is
// called; kernels are called after what they compute, and equal ones are one.
// NAMES: static __global__ void __launch_bounds__(32) compute_h(const float *__restrict__ x,
// NAMES-NEXT: const float *__restrict__ w, float *__restrict__ y) {
// NAMES-NEXT: const int64_t i = int64_t(blockIdx.x) * 32 + threadIdx.x;
// NAMES-NEXT: if (i < 4) {
// NAMES-NEXT: y[i] = x[i] * w[i];
// CHECK-LABEL: int layer(const Device &device, const Communicators &communicators,
// CHECK-NEXT: const float *x, const float *w, float *y) {
// CHECK-NEXT: // cuda-cpp.mlir:[[#@LINE+20]]: linalg.generic
// CHECK-NEXT: compute_h<<<1, 32, 0, device.compute>>>(x, w, y);
// CHECK-NEXT: CHECK_CUDA(cudaGetLastError());
// CHECK-NEXT: // cuda-cpp.mlir:[[#@LINE+18]]: comm.all_reduce sum over ["tp"]
// CHECK-NEXT: CHECK_CUDA(order(device.compute, device.communication, device.event));
// CHECK-NEXT: CHECK_NCCL(ncclAllReduce(y, y, 4, ncclFloat, ncclSum, communicators.tp, device.communication));
// CHECK-NEXT: CHECK_CUDA(order(device.communication, device.compute, device.event));
// CHECK-NEXT: return 0;
// The compute stream does not wait for what it has nothing to do with.
// CHECK-LABEL: int layer_vjp(
// CHECK-NEXT: const float *x, const float *w, const float *d_y, float *y, float *d_x,
// CHECK-NEXT: float *d_w) {
// CHECK: ncclAllReduce(y, y
// CHECK-NOT: order
// CHECK: compute_h<<<1, 32, 0, device.compute>>>(d_y, w, d_x);
// CHECK: compute_h<<<1, 32, 0, device.compute>>>(d_y, x, d_w);
// CHECK: backward
// CHECK-NEXT: order(device.compute, device.communication
// CHECK-NEXT: ncclAllReduce(d_x, d_x, 4
func.func @layer(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}, %w: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>}) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}) {
  %h = arith.mulf %x, %w : tensor<4xf32>
  %y = comm.all_reduce sum %h over @mesh["tp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}

// Zeros where the semantics has them.
// CHECK-LABEL: int rooted(
// CHECK: CHECK_NCCL(ncclReduce(x, sum, 4, ncclInt32, ncclSum, 2, communicators.dp_tp, device.communication));
// CHECK-NEXT: if (rankIn(communicators.dp_tp) != 2)
// CHECK-NEXT: CHECK_CUDA(cudaMemsetAsync(sum, 0, 4 * sizeof(int32_t), device.communication));
// CHECK: CHECK_NCCL(ncclGather(x, all, 4, ncclInt32, 1, communicators.tp, device.communication));
// CHECK-NEXT: if (rankIn(communicators.tp) != 1)
// CHECK-NEXT: CHECK_CUDA(cudaMemsetAsync(all, 0, 16 * sizeof(int32_t), device.communication));
// CHECK: CHECK_NCCL(ncclScatter(x, part, 1, ncclInt32, 3, communicators.tp, device.communication));
func.func @rooted(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<16xi32>, tensor<1xi32>) {
  %sum = comm.reduce sum %x root 2 over @mesh["dp", "tp"] : tensor<4xi32>
  %all = comm.gather %x dim 0 root 1 over @mesh["tp"] : tensor<4xi32> -> tensor<16xi32>
  %part = comm.scatter %x dim 0 root 3 over @mesh["tp"] : tensor<4xi32> -> tensor<1xi32>
  return %sum, %all, %part : tensor<4xi32>, tensor<16xi32>, tensor<1xi32>
}

// Types and operators that NCCL has not.
// CHECK-LABEL: int others(
// CHECK: CHECK(reduceByGather(x, v, 4, 0, 4, And(), communicators.tp, device.communication));
// CHECK: CHECK_NCCL(ncclAllGather(b, w, 4, ncclUint8, communicators.tp, device.communication));
// CHECK: CHECK(permute(x, moved, 4 * sizeof(int16_t), 4 * 2, ncclUint8, {{[{][{]}}0, 1}, {1, 2{{[}][}]}}, communicators.tp, device.communication));
func.func @others(%x: tensor<4xi16>, %b: tensor<4xi1>) -> (tensor<4xi16>, tensor<16xi1>, tensor<4xi16>) {
  %both = comm.all_reduce and %x over @mesh["tp"] : tensor<4xi16>
  %v = comm.vary %both over @mesh["tp"] : tensor<4xi16>
  %all = comm.all_gather %b dim 0 over @mesh["tp"] : tensor<4xi1> -> tensor<16xi1>
  %w = comm.vary %all over @mesh["tp"] : tensor<16xi1>
  %moved = comm.permute %x [(0, 1), (1, 2)] over @mesh["tp"] : tensor<4xi16>
  return %v, %w, %moved : tensor<4xi16>, tensor<16xi1>, tensor<4xi16>
}

// Messages that have nothing to do with one another go together. What is
// received is sent on by a group of its own.
// CHECK-LABEL: int messages(
// CHECK: CHECK_CUDA(order(device.compute, device.communication, device.event));
// CHECK-NEXT: CHECK_NCCL(ncclGroupStart());
// CHECK-NEXT: // {{.*}}: comm.send from 0 to 1 over ["tp"]
// CHECK-NEXT: if (rankIn(communicators.tp) == 0)
// CHECK-NEXT: CHECK_NCCL(ncclSend(x, 4, ncclFloat, 1, communicators.tp, device.communication));
// CHECK-NEXT: // {{.*}}: comm.send from 1 to 0 over ["dp"]
// CHECK: ncclSend(x, 4, ncclFloat, 0, communicators.dp, device.communication)
// CHECK: if (rankIn(communicators.tp) == 1)
// CHECK-NEXT: CHECK_NCCL(ncclRecv(y, 4, ncclFloat, 0, communicators.tp, device.communication));
// CHECK-NEXT: else
// CHECK-NEXT: CHECK_CUDA(cudaMemsetAsync(y, 0, 4 * sizeof(float), device.communication));
// CHECK: ncclRecv(z, 4, ncclFloat, 1, communicators.dp
// CHECK: CHECK_NCCL(ncclGroupEnd());
// CHECK-NEXT: CHECK_NCCL(ncclGroupStart());
// CHECK-NEXT: // {{.*}}: comm.send from 1 to 2 over ["tp"]
// CHECK: ncclRecv(w
// CHECK: CHECK_NCCL(ncclGroupEnd());
// CHECK-NEXT: CHECK_CUDA(order(device.communication, device.compute, device.event));
func.func @messages(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %n = comm.send %x from 1 to 0 over @mesh["dp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %y = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %z = comm.recv %n : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %o = comm.send %y from 1 to 2 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %w = comm.recv %o : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return %y, %z, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A number that decides is read: the only wait of the host. Sizes that only the
// run knows are parameters, and what has them is allocated here.
// CHECK-LABEL: int dynamic(
// CHECK-SAME: const Device &device, const Communicators &communicators,
// CHECK-NEXT: const float *x, int64_t x_size0, const int32_t *n, float **y,
// CHECK-NEXT: int64_t *y_size0) {
// CHECK: int32_t [[COUNT:.*]];
// CHECK-NEXT: CHECK_CUDA(readNumber(n, &[[COUNT]], device.compute));
// CHECK: for (int64_t i = 0; i < {{.*}}[[COUNT]]{{.*}}; ++i) {
// CHECK: const int64_t blocks = ceilDiv(
// CHECK-NEXT: if (blocks > 0) {
// CHECK: *y = [[RESULT:.*]];
// CHECK-NEXT: *y_size0 = {{.*}};
func.func @dynamic(%x: tensor<?xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %number = tensor.extract %n[] : tensor<i32>
  %count = arith.index_cast %number : i32 to index
  %y = scf.for %i = %zero to %count step %one iter_args(%v = %x) -> tensor<?xf32> {
    %next = math.tanh %v : tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// FFN: // tensor_parallel_ffn.mlir:{{.*}}: product,
// FFN-NEXT: CHECK(gemm<float>(device,
// FFN: ncclAllReduce(

// REFUSED: no_text.mlir:2:12: error: 'arith.mulsi_extended' op has no text in CUDA C++
