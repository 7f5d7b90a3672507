# What of CUDA and NCCL is here. Nothing else of the build needs them: without,
# the backends for GPUs and their tests are left out.
#
# Sets COMM_HAVE_CUDA (the target CommCuda: CUDA's runtime and cuBLASLt; nvcc is
# CUDAToolkit_NVCC_EXECUTABLE) and COMM_HAVE_NCCL (the target CommNccl).
set(COMM_ENABLE_CUDA AUTO CACHE STRING
  "Whether the backends for GPUs are built: ON, OFF, or AUTO: where CUDA is")
set_property(CACHE COMM_ENABLE_CUDA PROPERTY STRINGS AUTO ON OFF)

set(COMM_HAVE_CUDA FALSE)
set(COMM_HAVE_NCCL FALSE)

# The least that the backend nccl is made for: ncclMemAlloc, ncclCommRegister
# (2.19), ncclCommSplit with shared resources (2.18), non-blocking communicators
# (2.14). What is newer and used has an older form in lib/Runtime/NCCL.
set(COMM_OLDEST_NCCL 2.19)

# Why the NCCL that was looked for cannot be used, or "".
function(comm_find_nccl_mistake result)
  if(NOT NCCL_INCLUDE_DIR OR NOT NCCL_LIBRARY)
    set(${result} "nccl.h or libnccl.so was not found" PARENT_SCOPE)
    return()
  endif()
  set(version "")
  file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h lines
    REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) +[0-9]+")
  foreach(line ${lines})
    string(REGEX MATCH "[0-9]+$" number "${line}")
    list(APPEND version ${number})
  endforeach()
  list(JOIN version "." version)
  if(version VERSION_LESS COMM_OLDEST_NCCL)
    set(${result} "${NCCL_INCLUDE_DIR}/nccl.h is of NCCL '${version}', ${COMM_OLDEST_NCCL} is needed"
      PARENT_SCOPE)
  else()
    set(${result} "" PARENT_SCOPE)
  endif()
  set(NCCL_VERSION ${version} PARENT_SCOPE)
endfunction()

# Why there is no CUDA, or "".
function(comm_find_cuda result)
  if(COMM_ENABLE_CUDA STREQUAL "OFF")
    set(${result} "COMM_ENABLE_CUDA is OFF" PARENT_SCOPE)
    return()
  endif()
  find_package(CUDAToolkit QUIET)
  if(NOT CUDAToolkit_FOUND)
    set(reason "no CUDA toolkit was found")
  elseif(CUDAToolkit_VERSION VERSION_LESS 13.0)
    set(reason "CUDA ${CUDAToolkit_VERSION} is there, 13.0 is needed")
  elseif(NOT CUDAToolkit_NVCC_EXECUTABLE)
    set(reason "CUDA ${CUDAToolkit_VERSION} is there without nvcc")
  elseif(NOT TARGET CUDA::cudart)
    set(reason "CUDA ${CUDAToolkit_VERSION} is there without libcudart.so")
  elseif(NOT TARGET CUDA::cublasLt)
    set(reason "CUDA ${CUDAToolkit_VERSION} is there without libcublasLt.so")
  else()
    set(reason "")
    add_library(CommCuda INTERFACE)
    target_link_libraries(CommCuda INTERFACE CUDA::cudart CUDA::cublasLt ${CMAKE_DL_LIBS})
    find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    find_library(NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
    comm_find_nccl_mistake(nccl_mistake)
    if(NOT nccl_mistake)
      add_library(CommNccl INTERFACE)
      target_include_directories(CommNccl SYSTEM INTERFACE ${NCCL_INCLUDE_DIR})
      target_link_libraries(CommNccl INTERFACE ${NCCL_LIBRARY} CommCuda)
    endif()
  endif()
  foreach(variable CUDAToolkit_VERSION CUDAToolkit_NVCC_EXECUTABLE
                   CUDAToolkit_LIBRARY_DIR CUDAToolkit_BIN_DIR
                   NCCL_VERSION nccl_mistake)
    set(${variable} "${${variable}}" PARENT_SCOPE)
  endforeach()
  set(${result} "${reason}" PARENT_SCOPE)
endfunction()

comm_find_cuda(reason)
if(NOT reason STREQUAL "")
  if(COMM_ENABLE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "COMM_ENABLE_CUDA is ON, but ${reason}")
  endif()
  message(STATUS "Backends for GPUs: none, ${reason}")
else()
  set(COMM_HAVE_CUDA TRUE)
  if(TARGET CommNccl)
    set(COMM_HAVE_NCCL TRUE)
    message(STATUS "Backends for GPUs: cuda-local and nccl, with CUDA ${CUDAToolkit_VERSION} and NCCL ${NCCL_VERSION}")
  else()
    message(STATUS "Backends for GPUs: cuda-local, with CUDA ${CUDAToolkit_VERSION}; no nccl: ${nccl_mistake}")
  endif()
endif()

# Compiles a file of kernels to PTX, which the target includes as the text
# <name>.ptx.inc. For the least device that there is; CUDA's driver makes code of
# it for the one at hand.
function(comm_embed_kernels target source)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  get_filename_component(name ${source} NAME_WE)
  set(ptx ${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx)
  add_custom_command(OUTPUT ${ptx}
    COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -ptx -arch=compute_80 -std=c++17 -Werror all-warnings
            -o ${ptx} ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    DEPENDS ${source} ${ARG_DEPENDS}
    COMMENT "Compiling the kernels of ${source}"
    VERBATIM)
  add_custom_command(OUTPUT ${ptx}.inc
    COMMAND ${CMAKE_COMMAND} -DINPUT=${ptx} -DOUTPUT=${ptx}.inc -P ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
    DEPENDS ${ptx} ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${ptx}.inc)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
