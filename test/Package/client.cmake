# Configures, builds and runs a program against the installed tree.
#
#   cmake -DCLIENT=folder -DNAME=program -DWORK=... -DEXPECTED=file
#         [-DRUNTIME_ONLY=ON] -DGENERATOR=... -DCXX=... -P client.cmake
set(installed ${WORK}/installed)
set(layer ${installed}/share/doc/comm/examples/layer.mlir)
file(REMOVE_RECURSE ${WORK}/${NAME})
if(RUNTIME_ONLY)
  # Nothing of MLIR is to be asked for.
  set(without -DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON)
endif()
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${CLIENT} -B ${WORK}/${NAME} -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${installed}
    -DLAYER=${layer} ${without} --no-warn-unused-cli
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/${NAME}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/${NAME}/${NAME} ${layer}
  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
file(READ ${EXPECTED} expected)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "${NAME} printed\n${output}expected\n${expected}")
endif()
