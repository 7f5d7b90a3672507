# The helpers that the leaf CMake files are written in.

# A library that knows MLIR. It never links an MLIR component: a component
# would pull in static copies of what libMLIR.so holds already.
function(add_comm_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} MLIR LLVM)
  target_precompile_headers(${name} REUSE_FROM CommPrecompiledHeader)
  add_dependencies(${name} CommTableGen)
endfunction()

# A GoogleTest binary, run by ctest.
function(add_comm_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest_main)
  add_test(NAME unit-${name} COMMAND ${name})
endfunction()
