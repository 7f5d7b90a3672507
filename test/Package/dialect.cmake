# Builds an optimizer with a dialect of its own against the installed tree,
# differentiates a program of its ops, and runs forward and backward.
#
#   cmake -DCLIENT=folder -DNAME=toy-opt -DWORK=... -DEXPECTED=file
#         -DGENERATOR=... -DCXX=... -P dialect.cmake
include(${CMAKE_CURRENT_LIST_DIR}/BuildClient.cmake)
build_client()
set(optimizer ${WORK}/${NAME}/${NAME} ${CLIENT}/program.mlir -comm-differentiate)

execute_process(COMMAND ${optimizer} COMMAND sed -n "/@f_bwd/,/^  }/p"
  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
file(READ ${EXPECTED} expected)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the backward is\n${output}expected\n${expected}")
endif()

# y = (0·w^3 x_0 + 1·w^3 x_1 + 2·w^3 x_2)/3, a seed of 3 that all ranks share.
execute_process(COMMAND ${optimizer} -lower-toy
  COMMAND ${WORK}/installed/bin/comm-run - --function=f_vjp
    --input=0=1,2 --input=1@0=1,1 --input=1@1=2,3 --input=1@2=5,4 --input=2=3,3
    --expect=0=4,29.3333333 --expect=1=36,132
    --expect=2@0=0,0 --expect=2@1=1,8 --expect=2@2=2,16
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# A claim that the ops do not prove is refused, as for comm's own.
execute_process(COMMAND sed "s/toy.ranked_mean %p over <@mesh\\[\"tp\"\\]>/toy.cube %p/" ${CLIENT}/program.mlir
  COMMAND ${WORK}/${NAME}/${NAME} -comm-differentiate
  OUTPUT_QUIET ERROR_VARIABLE errors)
if(NOT errors MATCHES "'toy.cube' uses a value that varies over axes")
  message(FATAL_ERROR "expected the claim to be refused, got\n${errors}")
endif()
