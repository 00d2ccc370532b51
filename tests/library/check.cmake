# cmake -DBUILD=... -DSOURCE=... -DWORK=... -DCXX=... -P check.cmake: what a user of the installed library does.
cmake_minimum_required(VERSION 3.25)

function(check)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed)
    message(FATAL_ERROR "${ARGV}: ${failed}\n${said}")
  endif()
  set(said "${said}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
check(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/moved)  # any prefix: nothing may remember the one it was installed to
check(${CMAKE_COMMAND} -S ${SOURCE}/examples/library -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/moved
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release)
check(${CMAKE_COMMAND} --build ${WORK}/build)
check(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/build --output-on-failure --no-tests=error)
message("${said}")

# The program found its modules where they were moved to.
check(${WORK}/moved/bin/pollen --version)
file(GLOB mpi ${WORK}/moved/lib*/libpollen_mpi.so ${WORK}/moved/lib/*/libpollen_mpi.so)
if(mpi AND NOT said MATCHES "mpi yes")
  message(FATAL_ERROR "the installed program does not find ${mpi}:\n${said}")
endif()

# No program of the example is longer than it claims to be.
file(GLOB programs ${SOURCE}/examples/library/*.cc)
foreach(program ${programs})
  execute_process(COMMAND grep -cvE "^ *(//|$)" ${program} OUTPUT_VARIABLE count OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(count GREATER 40)
    message(FATAL_ERROR "${program} has ${count} lines of code; a way in must take at most 40")
  endif()
endforeach()
