# What an application's CMakeLists.txt calls; the same file in eagle's own tree and, installed, for find_package(eagle).
# It asks the target eagle::eagle how the library was built.

# Messages name files relative to the project, wherever it was built.
function(eagle_shorten_paths target)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)
endfunction()

function(eagle_write_host_forms target source stem head)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        set(levels v1 v3 v4)
        string(APPEND head_v1 "#define EAGLE_ALL_LEVELS\n")
    else()
        set(levels v1)
    endif()
    get_target_property(architectures eagle::eagle EAGLE_CUDA_ARCHITECTURES)
    if(architectures)
        string(APPEND head_v1 "#define EAGLE_DEVICE_FORMS\n")
    endif()
    string(APPEND head_v1 "#define EAGLE_BASELINE\n")
    set(march_v3 -march=x86-64-v3)
    set(march_v4 -march=x86-64-v4)
    foreach(level IN LISTS levels)
        set(wrapper ${stem}_${level}.c)
        file(CONFIGURE OUTPUT ${wrapper} @ONLY
             CONTENT "${head}#define EAGLE_LEVEL _${level}\n${head_${level}}#include \"${source}\"\n")
        set(flags -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math ${march_${level}})
        set_source_files_properties(${wrapper} PROPERTIES OBJECT_DEPENDS ${source} COMPILE_OPTIONS "${flags}")
        target_sources(${target} PRIVATE ${wrapper})
    endforeach()
endfunction()

# For the architectures that the library was built for, so that one message can name them.
function(eagle_write_device_form target source stem head)
    get_target_property(architectures eagle::eagle EAGLE_CUDA_ARCHITECTURES)
    if(NOT architectures)
        return()
    endif()
    file(CONFIGURE OUTPUT ${stem}.cu CONTENT "${head}#include \"${source}\"\n" @ONLY)
    set_source_files_properties(${stem}.cu PROPERTIES OBJECT_DEPENDS ${source} COMPILE_OPTIONS --fmad=false)
    target_sources(${target} PRIVATE ${stem}.cu)
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
endfunction()

# eagle_add_kernels(TARGET file.c...): compiles kernel files into a target: as C for the host, once per precision and
# x86-64 level, and through nvcc for the device, once per precision. The same bits from all of them: nothing is
# contracted, nothing is reordered.
function(eagle_add_kernels target)
    set(type_f32 float)
    set(type_f64 double)
    foreach(file IN LISTS ARGN)
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE source)
        if(NOT EXISTS ${source})
            message(FATAL_ERROR "eagle_add_kernels(${target}): there is no file '${file}'\n"
                                "  fix: paths are relative to ${CMAKE_CURRENT_SOURCE_DIR}")
        endif()
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE name)
        string(REGEX REPLACE "[^A-Za-z0-9]+" "_" name ${name})
        foreach(precision f32 f64)
            set(stem ${CMAKE_CURRENT_BINARY_DIR}/${target}-kernels/${name}_${precision})
            set(head "#define EAGLE_REAL ${type_${precision}}\n#define EAGLE_SUFFIX _${precision}\n")
            eagle_write_host_forms(${target} ${source} ${stem} "${head}")
            eagle_write_device_form(${target} ${source} ${stem} "${head}")
        endforeach()
    endforeach()
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    eagle_shorten_paths(${target})
endfunction()

# eagle_add_application(NAME SOURCES main.c... KERNELS kernels.c...): a program that runs eagle_main.
function(eagle_add_application name)
    cmake_parse_arguments(APP "" "" "SOURCES;KERNELS" ${ARGN})
    if(NOT APP_SOURCES OR APP_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "eagle_add_application(${name}) is called with the wrong arguments\n"
                            "  fix: eagle_add_application(NAME SOURCES main.c... KERNELS kernels.c...)")
    endif()
    add_executable(${name} ${APP_SOURCES})
    target_link_libraries(${name} PRIVATE eagle::eagle)
    target_compile_features(${name} PRIVATE c_std_11)
    eagle_add_kernels(${name} ${APP_KERNELS})
endfunction()

# eagle_test_application(NAME INPUT file.ini RANKS 1 4... [SETTINGS section.key=value...]): for CTest, a run on each
# number of ranks that must end with status 0, and of each but the first a comparison with the first: the same bits.
function(eagle_test_application name)
    cmake_parse_arguments(T "" "INPUT" "RANKS;SETTINGS" ${ARGN})
    if(NOT T_INPUT OR NOT T_RANKS OR T_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "eagle_test_application(${name}) is called with the wrong arguments\n"
                            "  fix: eagle_test_application(NAME INPUT file.ini RANKS 1 4 SETTINGS section.key=value)")
    endif()
    set(runs ${CMAKE_CURRENT_BINARY_DIR}/${name}-runs)
    list(GET T_RANKS 0 first)
    add_test(NAME ${name}.clean COMMAND ${CMAKE_COMMAND} -E rm -rf ${runs})
    set_tests_properties(${name}.clean PROPERTIES FIXTURES_SETUP ${name}.clean LABELS app)
    foreach(ranks IN LISTS T_RANKS)
        add_test(NAME ${name}.${ranks}
            COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS} $<TARGET_FILE:${name}>
            --run-dir ${runs}/${ranks} ${CMAKE_CURRENT_SOURCE_DIR}/${T_INPUT} ${T_SETTINGS})
        # Open MPI, 4 and 5: more ranks than cores, and root, as in containers.
        set_tests_properties(${name}.${ranks} PROPERTIES LABELS "app;mpi" PROCESSORS ${ranks}
            FIXTURES_REQUIRED ${name}.clean FIXTURES_SETUP ${name}.runs
            ENVIRONMENT "OMPI_MCA_rmaps_base_oversubscribe=1;PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe;\
OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
        if(NOT ranks EQUAL first)
            add_test(NAME ${name}.${ranks}_as_${first} COMMAND eagle::eagle-compare ${runs}/${first} ${runs}/${ranks})
            set_tests_properties(${name}.${ranks}_as_${first} PROPERTIES LABELS app FIXTURES_REQUIRED ${name}.runs)
        endif()
    endforeach()
endfunction()
