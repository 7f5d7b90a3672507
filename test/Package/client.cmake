# Configures, builds and runs a program against the installed tree.
#
#   cmake -DCLIENT=folder -DNAME=program -DWORK=... -DEXPECTED=file
#         [-DRUNTIME_ONLY=ON] -DGENERATOR=... -DCXX=... -P client.cmake
include(${CMAKE_CURRENT_LIST_DIR}/BuildClient.cmake)
set(layer ${WORK}/installed/share/doc/comm/examples/layer.mlir)
if(RUNTIME_ONLY)
  # Nothing of MLIR is to be asked for.
  set(without -DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON)
endif()
build_client(-DLAYER=${layer} ${without})
execute_process(COMMAND ${WORK}/${NAME}/${NAME} ${layer}
  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
file(READ ${EXPECTED} expected)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "${NAME} printed\n${output}expected\n${expected}")
endif()
