# Builds the .deb, reads it, unpacks it and runs a tool from there.
#
#   cmake -DBUILD=... -DWORK=... -DEXAMPLE=... -P deb.cmake
file(REMOVE_RECURSE ${WORK})
execute_process(
  COMMAND ${CMAKE_CPACK_COMMAND} -G DEB --config ${BUILD}/CPackConfig.cmake -B ${WORK}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB package ${WORK}/*.deb)

execute_process(COMMAND dpkg-deb --field ${package} Package Depends
  OUTPUT_VARIABLE fields COMMAND_ERROR_IS_FATAL ANY)
foreach(dependency libmlir-22 libllvm22 libopenblas0 libstdc[+][+]6 libc6)
  if(NOT fields MATCHES " ${dependency}[ ,]")
    message(SEND_ERROR "the package does not depend on ${dependency}:\n${fields}")
  endif()
endforeach()

execute_process(COMMAND dpkg-deb --contents ${package}
  OUTPUT_VARIABLE contents COMMAND_ERROR_IS_FATAL ANY)
foreach(path bin/comm-opt bin/comm-run bin/comm-compile bin/comm-exec lib/libCommRuntime.so lib/libCommPlugin.so
    lib/cmake/Comm/CommConfig.cmake include/comm/IR/Comm.h share/doc/comm/LICENSE)
  if(NOT contents MATCHES "root/root[^\n]* \\./usr/${path}[ \n]")
    message(SEND_ERROR "the package does not hold /usr/${path}:\n${contents}")
  endif()
endforeach()

execute_process(COMMAND dpkg -x ${package} ${WORK}/root COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/root/usr/bin/comm-opt ${EXAMPLE} -comm-differentiate
  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "@layer_bwd")
  message(SEND_ERROR "comm-opt of the package printed\n${output}")
endif()
execute_process(
  COMMAND ${WORK}/root/usr/bin/comm-run ${EXAMPLE} --input=x=1,2,3,4 --input=w=rank --expect=y=6,12,18,24
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
