# cmake --install: library, headers, programs, and the package that find_package(eagle CONFIG) reads. No file names the
# prefix, so that it may be moved afterwards.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/eagle)
set(EAGLE_PKG_CONFIG hwloc inih)
if(MUPARSER_FOUND)
    list(APPEND EAGLE_PKG_CONFIG muparser)
endif()
foreach(found HDF5_IS_PARALLEL ZLIB_FOUND) # as words, for the text of the package
    if(${found})
        set(${found} TRUE)
    else()
        set(${found} FALSE)
    endif()
endforeach()
if(EAGLE_CUDA_FOUND)
    cmake_path(GET CMAKE_CUDA_COMPILER PARENT_PATH EAGLE_NVCC_FOLDER)
endif()

install(TARGETS eagle EXPORT eagleTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/eagle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS eagle-compare eagle-info EXPORT eagleTargets DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS eagle-heat DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/inputs DESTINATION ${CMAKE_INSTALL_DATADIR}/eagle)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/slurm/eagle.sbatch DESTINATION ${CMAKE_INSTALL_DATADIR}/eagle/slurm)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})

# eagle-new and its template.
set(prefix /prefix)
cmake_path(RELATIVE_PATH prefix BASE_DIRECTORY /prefix/${CMAKE_INSTALL_BINDIR} OUTPUT_VARIABLE EAGLE_BIN_TO_PREFIX)
configure_file(${PROJECT_SOURCE_DIR}/src/tools/eagle-new.in ${PROJECT_BINARY_DIR}/eagle-new @ONLY)
install(PROGRAMS ${PROJECT_BINARY_DIR}/eagle-new DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/gray_scott/ DESTINATION ${CMAKE_INSTALL_DATADIR}/eagle/template)

install(EXPORT eagleTargets NAMESPACE eagle:: DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/eagleConfig.cmake.in ${PROJECT_BINARY_DIR}/eagleConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/eagleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/eagleConfig.cmake ${PROJECT_BINARY_DIR}/eagleConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/EagleKernels.cmake DESTINATION ${package_folder})
