# The helpers that the leaf CMake files are written in.

# Libraries that know MLIR share a precompiled header, so that all of them are
# compiled with the same flags: under the thread sanitizer with none, as the
# compiler is not where ranks meet.
if(COMM_SANITIZER MATCHES thread)
  set(COMM_COMPILER_UNSANITIZED ON)
endif()

# A library that knows MLIR. It never links an MLIR component: a component
# would pull in static copies of what libMLIR.so holds already. RUNS_RANKS: it
# does more than compile.
function(add_comm_library name)
  cmake_parse_arguments(ARG "RUNS_RANKS" "" "LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} MLIR LLVM)
  if(ARG_RUNS_RANKS AND COMM_COMPILER_UNSANITIZED)
    target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib/PrecompiledHeader.h)
  else()
    target_precompile_headers(${name} REUSE_FROM CommPrecompiledHeader)
    set_target_properties(${name} PROPERTIES COMM_UNSANITIZED "${COMM_COMPILER_UNSANITIZED}")
  endif()
  add_dependencies(${name} CommTableGen)
endfunction()

# A backend of the runtime that is loaded when it is named: a shared object that
# exports what comm/Runtime/Backend.h declares.
function(add_comm_backend name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_library(${name} MODULE ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE CommRuntime ${ARG_LINK_LIBS})
  # Nothing is left to be found, or not, when it is loaded.
  target_link_options(${name} PRIVATE -Wl,--no-undefined)
  set_property(GLOBAL APPEND PROPERTY COMM_BACKENDS ${name})
endfunction()

# A GoogleTest binary, run by ctest.
function(add_comm_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest_main)
  add_test(NAME unit-${name} COMMAND ${name})
endfunction()

# What add_comm_sanitized_* build beside the ordinary targets, so that every run
# of the tests covers the code in which threads meet. Where the whole build is
# sanitized they build nothing.
set(COMM_SANITIZED_KINDS asan-ubsan tsan)
set(COMM_FLAGS_asan-ubsan -fsanitize=address,undefined)
set(COMM_FLAGS_tsan -fsanitize=thread)

# The sources of a target, compiled again into TARGET, under the flags of `kind`.
function(comm_compile_sanitized target kind source)
  get_target_property(sources ${source} SOURCES)
  get_target_property(folder ${source} SOURCE_DIR)
  list(TRANSFORM sources PREPEND ${folder}/)
  target_sources(${target} PRIVATE ${sources})
  target_include_directories(${target} SYSTEM PRIVATE
    $<TARGET_PROPERTY:${source},INCLUDE_DIRECTORIES>)
  target_compile_options(${target} PRIVATE ${COMM_FLAGS_${kind}} -O1 -g1
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(${target} PUBLIC ${COMM_FLAGS_${kind}})
endfunction()

# LINK_LIBS are libraries that are not ours; OUR_LIBS have been through this.
function(add_comm_sanitized_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;OUR_LIBS" ${ARGN})
  if(COMM_SANITIZER)
    return()
  endif()
  foreach(kind ${COMM_SANITIZED_KINDS})
    add_library(${name}-${kind} STATIC)
    comm_compile_sanitized(${name}-${kind} ${kind} ${name})
    list(TRANSFORM ARG_OUR_LIBS APPEND -${kind} OUTPUT_VARIABLE libs)
    target_link_libraries(${name}-${kind} PUBLIC ${libs} ${ARG_LINK_LIBS})
  endforeach()
endfunction()

# Tests `unit-NAME-asan-ubsan` and `unit-NAME-tsan`, without what takes long
# there: see docs/Runtime.md.
function(add_comm_sanitized_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;OUR_LIBS" ${ARGN})
  if(COMM_SANITIZER)
    return()
  endif()
  foreach(kind ${COMM_SANITIZED_KINDS})
    add_executable(${name}-${kind})
    comm_compile_sanitized(${name}-${kind} ${kind} ${name})
    list(TRANSFORM ARG_OUR_LIBS APPEND -${kind} OUTPUT_VARIABLE libs)
    target_link_libraries(${name}-${kind} PRIVATE ${libs} ${ARG_LINK_LIBS} GTest::gtest_main)
    add_test(NAME unit-${name}-${kind} COMMAND ${name}-${kind})
    set_tests_properties(unit-${name}-${kind} PROPERTIES
      ENVIRONMENT "COMM_STRESS_CALLS=500;GTEST_FILTER=-LargeCollectives.*:Stress.Far*:Line/*:Grid/*")
  endforeach()
endfunction()
