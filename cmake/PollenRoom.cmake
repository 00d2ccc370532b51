# pollen_room(name SOURCES a.cc ... LINK target ...): the static library pollen_<name> of src/<name>.
function(pollen_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINK" ${ARGN})
  add_library(pollen_${name} STATIC ${ROOM_SOURCES})
  target_link_libraries(pollen_${name} PUBLIC pollen_flags ${ROOM_LINK})
  target_include_directories(pollen_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
endfunction()

# pollen_test(name SOURCES a_test.cc ... LINK target ... [SLOW]): one GoogleTest program of tests/<name>.
# SLOW labels its tests <name>-slow (statistical tests; `ctest -L slow`); all labels run in `make test`.
function(pollen_test name)
  cmake_parse_arguments(TEST "SLOW" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name}_test ${TEST_SOURCES})
  target_link_libraries(${name}_test PRIVATE pollen_flags pollen_test_support ${TEST_LINK} GTest::gtest_main GTest::gmock)
  target_compile_definitions(${name}_test PRIVATE POLLEN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set(label ${name})
  if(TEST_SLOW)
    set(label ${name}-slow)  # one label: a list would be taken apart on its way through gtest_discover_tests
  endif()
  gtest_discover_tests(${name}_test TEST_PREFIX ${name}. PROPERTIES LABELS ${label} TIMEOUT 900 DISCOVERY_TIMEOUT 60)
endfunction()
