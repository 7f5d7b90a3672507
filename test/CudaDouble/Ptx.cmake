# An interpreter of PTX, with which the kernels that are shipped run where no GPU
# is. It needs neither CUDA nor MLIR.

add_library(CommPtx STATIC
  PtxApproximate.cpp
  PtxArithmetic.cpp
  PtxAtomic.cpp
  PtxBits.cpp
  PtxCompare.cpp
  PtxControl.cpp
  PtxConvert.cpp
  PtxDecoder.cpp
  PtxFloat.cpp
  PtxFormats.cpp
  PtxLexer.cpp
  PtxLoadStore.cpp
  PtxMemory.cpp
  PtxModule.cpp
  PtxMove.cpp
  PtxParser.cpp
  PtxRun.cpp
  PtxShared.cpp
  PtxStatements.cpp
  PtxThread.cpp
  PtxType.cpp
  PtxWarp.cpp
  PtxWideArithmetic.cpp
)
target_include_directories(CommPtx PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})

# Kernels that the tests run: see Inputs/make_kernels.py.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
function(add_ptx_kernels name result what)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/Inputs/make_kernels.py)
  add_custom_command(OUTPUT ${output}
    COMMAND ${Python3_EXECUTABLE} ${script} ${what}
            --mlir-opt ${LLVM_TOOLS_BINARY_DIR}/mlir-opt ${ARGN} -o ${output}
    DEPENDS ${script} ${CMAKE_CURRENT_SOURCE_DIR}/Inputs/Workgroup.mlir
    COMMENT "Compiling kernels for tests: ${name}"
    VERBATIM)
  set(${result} ${output} PARENT_SCOPE)
endfunction()
add_ptx_kernels(Arithmetic80 arithmetic_80 arithmetic)
add_ptx_kernels(Arithmetic90 arithmetic_90 arithmetic
  --chip sm_90 --features +ptx88)
add_ptx_kernels(Workgroup workgroup
  file --file ${CMAKE_CURRENT_SOURCE_DIR}/Inputs/Workgroup.mlir)

add_comm_unittest(CommPtxTests
  PtxArithmeticTests.cpp
  PtxBlockTests.cpp
  PtxControlTests.cpp
  PtxConversionTests.cpp
  PtxErrorTests.cpp
  PtxFloatKernelTests.cpp
  PtxFloatTests.cpp
  PtxInstructionTests.cpp
  PtxWorkgroupTests.cpp
  ${arithmetic_80} ${arithmetic_90} ${workgroup}
  LINK_LIBS CommPtx
)
target_compile_definitions(CommPtxTests PRIVATE
  COMM_PTX_ARITHMETIC="${arithmetic_80}"
  COMM_PTX_ARITHMETIC_90="${arithmetic_90}"
  COMM_PTX_WORKGROUP="${workgroup}")
# Functions of the C library need what comes with CUDA, as do kernels in CUDA C++.
if(COMM_HAVE_CUDA)
  add_ptx_kernels(Math math math --toolkit ${CUDAToolkit_BIN_DIR}/..)
  set(kernels ${CMAKE_CURRENT_BINARY_DIR}/Kernels.ptx)
  add_custom_command(OUTPUT ${kernels}
    COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -ptx -arch=compute_80 -std=c++17
            -o ${kernels} ${CMAKE_CURRENT_SOURCE_DIR}/Inputs/Kernels.cu
    DEPENDS Inputs/Kernels.cu
    COMMENT "Compiling kernels for tests: Kernels"
    VERBATIM)
  target_sources(CommPtxTests PRIVATE
    PtxMathTests.cpp PtxNvccTests.cpp ${math} ${kernels})
  target_compile_definitions(CommPtxTests PRIVATE
    COMM_PTX_MATH="${math}" COMM_PTX_KERNELS="${kernels}"
    COMM_PTX_REDUCTIONS="${PROJECT_BINARY_DIR}/lib/Runtime/Cuda/Reductions.ptx")
  # Which compiles the reductions.
  add_dependencies(CommPtxTests CommRuntimeCuda)
endif()
