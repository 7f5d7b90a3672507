# build_client(): configures and builds the program in CLIENT against the installed
# tree of WORK, in ${WORK}/${NAME}. Further arguments go to the configuration.
function(build_client)
  file(REMOVE_RECURSE ${WORK}/${NAME})
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${CLIENT} -B ${WORK}/${NAME} -G ${GENERATOR}
      -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${WORK}/installed
      ${ARGN} --no-warn-unused-cli
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/${NAME}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()
