// RUN: not comm-opt %s -comm-to-nccl=cubin-chip=sm_999 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not comm-opt %s -comm-to-nccl=cubin-chip=sm_70 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not comm-opt %s -comm-to-nccl=cubin-format=elf 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not comm-opt %s -comm-to-nccl=cuda-toolkit=%t.missing 2>&1 | FileCheck %s --check-prefix=TOOLKIT
// RUN: not env -u CUDA_HOME -u CUDA_ROOT -u CUDA_PATH PATH=%bin comm-opt %s -comm-to-nccl 2>&1 | FileCheck %s --check-prefix=NONE

// CHIP: error: 'cubin-chip' expects a GPU such as sm_90, got 'sm_999'
// OLD: error: 'cubin-chip' expects a GPU such as sm_90, got 'sm_70'
// FORMAT: error: 'cubin-format' expects isa, bin or fatbin, got 'elf'
// TOOLKIT: error: the CUDA toolkit has no '{{.*}}.missing/nvvm/libdevice/libdevice.10.bc'
// NONE: error: no CUDA toolkit was found, whose libdevice and ptxas make the code of kernels: set 'cuda-toolkit' or CUDA_HOME

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.tanh %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
