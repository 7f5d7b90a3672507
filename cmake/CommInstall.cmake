# What is installed, the CMake package (find_package(Comm)) and the .deb.
# Nothing of the build tree's place is in what is installed.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(comm_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Comm)
file(RELATIVE_PATH comm_lib_from_bin
  ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})

set(comm_compiler_libraries
  CommInterfaces CommIR CommAnalysis CommAutodiff CommTransforms CommConversion
  CommInitAll)
set(comm_tools comm-opt comm-run comm-compile comm-lsp-server comm-reduce)

# Comm::Transforms is all of the compiler; an archive gives only what is used.
add_library(CommCompiler INTERFACE)
target_link_libraries(CommCompiler INTERFACE CommInitAll)
set_target_properties(CommIR PROPERTIES EXPORT_NAME Dialect)
set_target_properties(CommCompiler PROPERTIES EXPORT_NAME Transforms)

# The runtime's ABI version is the one of its header.
file(STRINGS include/comm/Runtime/CommRuntime.h abi_version
  REGEX "^#define COMM_RUNTIME_ABI_VERSION [0-9]+$")
string(REGEX MATCH "[0-9]+$" abi_version "${abi_version}")
set_target_properties(CommRuntime PROPERTIES
  EXPORT_NAME Runtime VERSION ${PROJECT_VERSION} SOVERSION ${abi_version})

foreach(library ${comm_compiler_libraries} CommRuntime)
  target_include_directories(${library} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${library} INTERFACE cxx_std_17)
endforeach()

# The tools find the runtime beside them, and MLIR where it was found here.
set_target_properties(${comm_tools} PROPERTIES
  INSTALL_RPATH "$ORIGIN/${comm_lib_from_bin};${LLVM_LIBRARY_DIR}")
set_target_properties(comm-exec PROPERTIES
  INSTALL_RPATH "$ORIGIN/${comm_lib_from_bin}")
set_target_properties(CommPlugin PROPERTIES INSTALL_RPATH ${LLVM_LIBRARY_DIR})

install(TARGETS CommRuntime EXPORT CommRuntimeTargets)
# Beside the runtime, which loads them.
get_property(backends GLOBAL PROPERTY COMM_BACKENDS)
if(backends)
  set_target_properties(${backends} PROPERTIES
    INSTALL_RPATH "$ORIGIN;${CUDAToolkit_LIBRARY_DIR}")
  install(TARGETS ${backends} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS ${comm_compiler_libraries} CommCompiler EXPORT CommCompilerTargets)
install(TARGETS ${comm_tools} comm-exec)
install(TARGETS CommPlugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

# The runner is the tools' own.
install(DIRECTORY include/comm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.def"
  PATTERN Runner EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/comm
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h.inc" PATTERN CMakeFiles EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.mlir")

install(EXPORT CommRuntimeTargets NAMESPACE Comm:: DESTINATION ${comm_cmake_dir})
install(EXPORT CommCompilerTargets NAMESPACE Comm:: DESTINATION ${comm_cmake_dir})
configure_package_config_file(cmake/CommConfig.cmake.in CommConfig.cmake
  INSTALL_DESTINATION ${comm_cmake_dir}
  PATH_VARS CMAKE_INSTALL_BINDIR
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(CommConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/CommConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/CommConfigVersion.cmake
  DESTINATION ${comm_cmake_dir})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR comm)
set(CPACK_PACKAGE_CONTACT "the comm project")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Differentiable collectives for MLIR")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# What the tools load is read off them; who compiles against the package needs
# the headers too.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Which of libmlir and libllvm it names is not always the same.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libllvm${LLVM_VERSION_MAJOR}, libmlir-${LLVM_VERSION_MAJOR}")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libmlir-22-dev, llvm-22-dev, mlir-22-tools, g++, cmake")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
include(CPack)
