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

# The kernels of which a file behind TUNED has forms: `#define`s, by which kernel files know of them (detail/common.h).
function(eagle_find_tuned target source file head)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    set(word_.c HOST)
    set(word_.cu DEVICE)
    cmake_path(GET source EXTENSION LAST_ONLY extension)
    set(word ${word_${extension}})
    if(word)
        file(STRINGS ${source} found REGEX "^EAGLE_TUNED_${word}\\([A-Za-z0-9_]+")
    endif()
    if(NOT found)
        message(FATAL_ERROR "eagle_add_kernels(${target}): no tuned form is in '${file}'\n  fix: begin a line with "
                            "EAGLE_TUNED_HOST(kernel, ... in a .c file, or EAGLE_TUNED_DEVICE(kernel, ... in a .cu file")
    endif()
    set(defines "${${head}}")
    foreach(line IN LISTS found)
        string(REGEX REPLACE "^EAGLE_TUNED_[A-Z]+\\(([A-Za-z0-9_]+).*" "#define EG_TUNED_${word}_\\1 0,\n" define "${line}")
        string(APPEND defines "${define}")
    endforeach()
    set(${head} "${defines}" PARENT_SCOPE)
    set_property(TARGET ${target} APPEND PROPERTY EAGLE_TUNED ${word})
endfunction()

function(eagle_find_source target file out)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE source)
    if(NOT EXISTS ${source})
        message(FATAL_ERROR "eagle_add_kernels(${target}): there is no file '${file}'\n"
                            "  fix: paths are relative to ${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
    set(${out} ${source} PARENT_SCOPE)
endfunction()

# eagle_add_kernels(TARGET file.c... [TUNED file.c... file.cu...]): compiles kernel files into a target: as C for the
# host, once per precision and x86-64 level, and through nvcc for the device, once per precision. The same bits from all of them: nothing is
# contracted, nothing is reordered. TUNED: forms written by hand (EAGLE_TUNED_HOST and _DEVICE of eagle/kernel.h), which
# take the place of the plain ones; .cu files are left out where the library has no CUDA.
function(eagle_add_kernels target)
    cmake_parse_arguments(K "" "" "TUNED" ${ARGN})
    set(type_f32 float)
    set(type_f64 double)
    set(tuned "")
    foreach(file IN LISTS K_TUNED)
        eagle_find_source(${target} ${file} source)
        eagle_find_tuned(${target} ${source} ${file} tuned)
    endforeach()
    get_target_property(architectures eagle::eagle EAGLE_CUDA_ARCHITECTURES)
    if(NOT architectures)
        string(REGEX REPLACE "#define EG_TUNED_DEVICE_[^\n]*\n" "" tuned "${tuned}")
    endif()
    foreach(file IN LISTS K_UNPARSED_ARGUMENTS K_TUNED)
        eagle_find_source(${target} ${file} source)
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE name)
        string(REGEX REPLACE "[^A-Za-z0-9]+" "_" name ${name})
        foreach(precision f32 f64)
            set(stem ${CMAKE_CURRENT_BINARY_DIR}/${target}-kernels/${name}_${precision})
            set(head "#define EAGLE_REAL ${type_${precision}}\n#define EAGLE_SUFFIX _${precision}\n")
            if(NOT file MATCHES "\\.cu$")
                eagle_write_host_forms(${target} ${source} ${stem} "${head}${tuned}")
            endif()
            if(NOT file IN_LIST K_TUNED OR file MATCHES "\\.cu$")
                eagle_write_device_form(${target} ${source} ${stem} "${head}")
            endif()
        endforeach()
    endforeach()
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    eagle_shorten_paths(${target})
endfunction()

# eagle_add_application(NAME SOURCES main.c... KERNELS kernels.c... [TUNED file.c... file.cu...]): a program that runs
# eagle_main.
function(eagle_add_application name)
    cmake_parse_arguments(APP "" "" "SOURCES;KERNELS;TUNED" ${ARGN})
    if(NOT APP_SOURCES OR APP_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "eagle_add_application(${name}) is called with the wrong arguments\n"
                            "  fix: eagle_add_application(NAME SOURCES main.c... KERNELS kernels.c... TUNED tuned.cu...)")
    endif()
    add_executable(${name} ${APP_SOURCES})
    target_link_libraries(${name} PRIVATE eagle::eagle)
    target_compile_features(${name} PRIVATE c_std_11)
    eagle_add_kernels(${name} ${APP_KERNELS} TUNED ${APP_TUNED})
endfunction()

# For each backend of which the application has tuned kernels: a run that compares them with the plain ones.
function(eagle_test_tuned name input settings)
    get_target_property(tuned ${name} EAGLE_TUNED)
    get_target_property(architectures eagle::eagle EAGLE_CUDA_ARCHITECTURES)
    set(backend_HOST host)
    set(backend_DEVICE cuda)
    foreach(word HOST DEVICE)
        if(NOT word IN_LIST tuned OR (word STREQUAL DEVICE AND NOT architectures))
            continue()
        endif()
        set(test ${name}.tuned_${backend_${word}})
        add_test(NAME ${test} COMMAND ${name} --check-tuned --run-dir ${CMAKE_CURRENT_BINARY_DIR}/${name}-runs/tuned ${input}
                 ${settings} run.backend=${backend_${word}})
        set_tests_properties(${test} PROPERTIES LABELS app FIXTURES_REQUIRED ${name}.clean
            SKIP_REGULAR_EXPRESSION "no NVIDIA GPU can be seen;there is no driver for an NVIDIA GPU")
        if(word STREQUAL DEVICE)
            set_tests_properties(${test} PROPERTIES LABELS "app;gpu")
        endif()
    endforeach()
endfunction()

# eagle_test_application(NAME INPUT file.ini RANKS 1 4... [SETTINGS section.key=value...]): for CTest, a run on each
# number of ranks that must end with status 0, and of each but the first a comparison with the first: the same bits. Where
# the application has tuned kernels, a run that compares each call of them with the plain form.
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
    eagle_test_tuned(${name} ${CMAKE_CURRENT_SOURCE_DIR}/${T_INPUT} "${T_SETTINGS}")
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
