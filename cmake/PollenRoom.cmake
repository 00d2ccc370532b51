# pollen_room(name SOURCES a.cc ... [ALONE b.cc ...] LINK target ... [UNIT n]) makes the static library pollen_<name> of
# src/<name>.
#
# Rooms that link it see the headers in src/<name>/include, as "<name>/x.h". The room's own headers lie beside its
# sources, where no other room's compiler finds them.
#
# Several sources are compiled at a time (pollen_unity, below), because reading the standard library's headers takes
# longer than compiling the project's code. Hence names in unnamed namespaces must differ within a room. Files in ALONE
# are compiled by themselves: those that Highway compiles once per instruction set, and those that include what others
# must not see.
#
# A release build fully optimises (-O3) the rooms that work in every iteration. It optimises less in rooms that work
# once per run or per draw (POLLEN_WARM), and least in rooms that only connect others (POLLEN_COLD). Sanitizer builds
# optimise only the rooms that compute a lot (POLLEN_HOT), because optimising instrumented code takes the compiler
# several times as long. Results do not depend on it.
set(POLLEN_WARM data run sink stats)
set(POLLEN_COLD federation grpc http keys plan privacy recipe report site)
set(POLLEN_HOT base math random network model data compress oracle wire round recipe personal transport ranks stats plan run exact federation)
set(POLLEN_WARM_OPTIONS $<$<CONFIG:Release>:-O2>)
set(POLLEN_COLD_OPTIONS $<$<CONFIG:Release>:-O1>)
set(POLLEN_HOT_OPTIONS $<$<CONFIG:RelWithDebInfo>:-O1>)

# pollen_unity(target n) compiles up to n of the target's sources at a time, in files that include them by relative
# paths. Unlike the files of CMake's own UNITY_BUILD, they have the same contents in every clone, so that the compiler
# cache serves clones in any folder without running the preprocessor. Sources whose property SKIP_UNITY_BUILD_INCLUSION
# is set are compiled by themselves.
function(pollen_unity target size)
  if(NOT POLLEN_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(together)
  foreach(source ${sources})
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(source MATCHES "\\.cc$" AND NOT alone)
      list(APPEND together ${source})
    endif()
  endforeach()
  set(number 0)
  while(together)
    list(SUBLIST together 0 ${size} batch)
    list(REMOVE_ITEM together ${batch})
    set(includes "")
    foreach(source ${batch})
      get_filename_component(path ${source} ABSOLUTE)
      file(RELATIVE_PATH path ${CMAKE_CURRENT_BINARY_DIR} ${path})
      string(APPEND includes "#include \"${path}\"\n")
    endforeach()
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/${target}_${number}.cc)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${includes}" @ONLY)
    target_sources(${target} PRIVATE ${unit})
    set_source_files_properties(${batch} PROPERTIES HEADER_FILE_ONLY ON)
    math(EXPR number "${number} + 1")
  endwhile()
endfunction()

function(pollen_room name)
  cmake_parse_arguments(ROOM "" "UNIT" "SOURCES;ALONE;LINK" ${ARGN})
  add_library(pollen_${name} STATIC ${ROOM_SOURCES} ${ROOM_ALONE})
  target_link_libraries(pollen_${name} PUBLIC pollen_flags ${ROOM_LINK})
  target_include_directories(pollen_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/include)
    target_include_directories(pollen_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include)
  endif()
  foreach(kind WARM COLD HOT)
    if(name IN_LIST POLLEN_${kind})
      target_compile_options(pollen_${name} PRIVATE ${POLLEN_${kind}_OPTIONS})
    endif()
  endforeach()
  if(POLLEN_FUZZ)
    target_compile_options(pollen_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  set_source_files_properties(${ROOM_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(NOT ROOM_UNIT)
    set(ROOM_UNIT 12)
  endif()
  pollen_unity(pollen_${name} ${ROOM_UNIT})
endfunction()

# pollen_test(name SOURCES a_test.cc ... [ALONE b_test.cc ...] LINK target ... [SLOW] [WAITS] [SHARDS n]) makes one
# GoogleTest program of tests/<name>.
#
# Tests may look into any room: "<room>/x.h" also finds a room's own headers. Several sources are compiled at a time, as
# in rooms; files in ALONE are compiled by themselves, because they use a name that another file of the program uses
# too. ctest runs the program as a whole, or in SHARDS parts that share the cores. SLOW marks statistical tests: their
# label is <name>-slow, and sanitizer builds leave them out. WAITS marks tests that mostly wait for other processes.
# scripts/test gives ctest two places per core: a test that WAITS takes one place, every other test takes two.
function(pollen_test name)
  cmake_parse_arguments(TEST "SLOW;WAITS" "SHARDS" "SOURCES;ALONE;LINK" ${ARGN})
  if(TEST_SLOW AND POLLEN_SANITIZE)
    return()
  endif()
  add_executable(${name}_test ${TEST_SOURCES} ${TEST_ALONE})
  target_link_libraries(${name}_test PRIVATE pollen_flags pollen_test_support pollen_source_dir ${TEST_LINK} GTest::gtest_main GTest::gmock)
  # Tests are not optimised, so that they build quickly, except for statistical tests, which compute a lot. Precompiled
  # headers serve one level of optimisation only. With them, g++ takes code of the standard library for code of the
  # project and warns about it, so these warnings are off.
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:$<IF:$<BOOL:${TEST_SLOW}>,-O2,-O0>>
    -Wno-array-bounds $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  if(NOT TEST_SLOW)
    target_precompile_headers(${name}_test REUSE_FROM pollen_test_headers)
  endif()
  set_source_files_properties(${TEST_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  pollen_unity(${name}_test 6)
  set(shards 1)
  if(TEST_SHARDS)
    set(shards ${TEST_SHARDS})
  endif()
  foreach(shard RANGE 1 ${shards})
    set(test ${name})
    if(shards GREATER 1)
      set(test ${name}.${shard})
    endif()
    math(EXPR index "${shard} - 1")
    add_test(NAME ${test} COMMAND ${name}_test --gtest_brief=1)
    # ctest begins with the tests of the highest cost, so that no long one is left at the end.
    set_tests_properties(${test} PROPERTIES LABELS ${name}$<$<BOOL:${TEST_SLOW}>:-slow> TIMEOUT 1800 COST ${shards}
      PROCESSORS $<IF:$<BOOL:${TEST_WAITS}>,1,2> ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
