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

# Kernels that the tests run: see Inputs/make_kernels.py. Those of functions of
# the C library need what comes with CUDA.
function(add_ptx_kernels what result)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${what}.ptx)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/Inputs/make_kernels.py)
  add_custom_command(OUTPUT ${output}
    COMMAND ${Python3_EXECUTABLE} ${script} ${what}
            --mlir-opt ${LLVM_TOOLS_BINARY_DIR}/mlir-opt ${ARGN} -o ${output}
    DEPENDS ${script}
    COMMENT "Compiling kernels for tests: ${what}"
    VERBATIM)
  set(${result} ${output} PARENT_SCOPE)
endfunction()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_comm_unittest(CommPtxTests
  PtxInstructionTests.cpp
  LINK_LIBS CommPtx
)
if(COMM_HAVE_CUDA)
  add_ptx_kernels(math math_ptx --toolkit ${CUDAToolkit_BIN_DIR}/..)
  target_sources(CommPtxTests PRIVATE PtxMathTests.cpp ${math_ptx})
  target_compile_definitions(CommPtxTests PRIVATE COMM_PTX_MATH="${math_ptx}")
endif()
