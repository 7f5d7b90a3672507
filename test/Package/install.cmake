# Installs what was built, moves it, and looks for the build's place in it.
#
#   cmake -DBUILD=... -DSOURCE=... -DWORK=... -DTEXT_ONLY=... -P install.cmake
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${WORK}/first ${WORK}/installed)

foreach(path bin/comm-opt bin/comm-run bin/comm-compile bin/comm-exec bin/comm-lsp-server bin/comm-reduce
    lib/libCommRuntime.so lib/libCommPlugin.so lib/cmake/Comm/CommConfig.cmake
    include/comm/IR/CommOps.td include/comm/IR/CommOps.h.inc
    include/comm/Runtime/RuntimeFunctions.def
    share/doc/comm/LICENSE share/doc/comm/Overview.md
    share/doc/comm/examples/layer.mlir)
  if(NOT EXISTS ${WORK}/installed/${path})
    message(SEND_ERROR "not installed: ${path}")
  endif()
endforeach()

# Debug information names sources, so only a release is clean in binaries too.
if(TEXT_ONLY)
  set(binaries -I)
endif()
foreach(place ${BUILD} ${SOURCE} ${WORK})
  execute_process(COMMAND grep -rlF ${binaries} ${place} ${WORK}/installed
    OUTPUT_VARIABLE found RESULT_VARIABLE status)
  if(status EQUAL 0)
    message(SEND_ERROR "'${place}' is in what is installed:\n${found}")
  elseif(NOT status EQUAL 1)
    message(SEND_ERROR "grep failed")
  endif()
endforeach()

# What is deployed finds the runtime where it lies, and nothing else of ours.
set(layer ${WORK}/installed/share/doc/comm/examples/layer.mlir)
execute_process(
  COMMAND ${WORK}/installed/bin/comm-compile ${layer} -o ${WORK}/layer.so
  COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY ${WORK}/deployed/bin ${WORK}/deployed/lib)
file(COPY ${WORK}/installed/bin/comm-exec DESTINATION ${WORK}/deployed/bin)
file(GLOB runtime ${WORK}/installed/lib/libCommRuntime.so*)
file(COPY ${runtime} DESTINATION ${WORK}/deployed/lib)
execute_process(
  COMMAND ${WORK}/deployed/bin/comm-exec ${WORK}/layer.so
    --input=x=1,2,3,4 --input=w=rank --expect=y=6,12,18,24
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
