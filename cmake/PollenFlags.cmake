# Flags that all targets share. The whole project has one instruction-set baseline: Eigen's alignment follows from it,
# so it must not differ between files. Above the baseline, Highway dispatches to AVX-512 at run time.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(POLLEN_CCACHE ccache)
if(POLLEN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Clones in other folders share the cache. Precompiled headers are cached too.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_CURRENT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${POLLEN_CCACHE})
endif()

# The tests are some forty programs per tree; mold links each in a quarter of the time that ld takes.
find_program(POLLEN_MOLD mold)
if(POLLEN_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

option(POLLEN_WERROR "Warnings are errors" ON)
option(POLLEN_UNITY "Compile several source files at a time" ON)
set(POLLEN_SANITIZE "" CACHE STRING "address;undefined or thread")

add_library(pollen_flags INTERFACE)
target_compile_options(pollen_flags INTERFACE
  -march=x86-64-v3 -maes -mpclmul    # AVX2 and FMA; with the last two, Highway takes AVX2 as its baseline
  -ffp-contract=off                  # fused multiply-adds only where the code asks for them
  -Wall -Wextra -Wshadow -Wconversion)
if(POLLEN_WERROR)
  target_compile_options(pollen_flags INTERFACE -Werror)
endif()
target_compile_definitions(pollen_flags INTERFACE EIGEN_DONT_PARALLELIZE EIGEN_MPL2_ONLY)
target_include_directories(pollen_flags INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include)
if(POLLEN_SANITIZE)
  list(JOIN POLLEN_SANITIZE "," sanitize)
  target_compile_options(pollen_flags INTERFACE -fsanitize=${sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(pollen_flags INTERFACE -fsanitize=${sanitize})
endif()
