# The target pollen_web (src/report/include/report/web.h): the pages of web/, built by npm, TypeScript and Vite in the
# build folder and embedded as bytes. If npm is missing or cannot fetch what web/package-lock.json pins, the pages are
# left out, with a message.
option(POLLEN_WEB "Build the pages of pollen report (needs npm)" ON)

set(POLLEN_WEB_SOURCE ${PROJECT_SOURCE_DIR}/web)
set(POLLEN_WEB_BUILD ${PROJECT_BINARY_DIR}/web)
set(POLLEN_WEB_HAS_PAGES OFF)

# Runs npm ci, once per version of the lockfile.
function(pollen_fetch_web_packages result)
  set(${result} OFF PARENT_SCOPE)
  file(SHA256 ${POLLEN_WEB_SOURCE}/package-lock.json wanted)
  set(stamp ${POLLEN_WEB_BUILD}/node_modules/.pollen-lock)
  if(EXISTS ${stamp})
    file(READ ${stamp} have)
    if(have STREQUAL wanted)
      set(${result} ON PARENT_SCOPE)
      return()
    endif()
  endif()
  file(COPY ${POLLEN_WEB_SOURCE}/package.json ${POLLEN_WEB_SOURCE}/package-lock.json ${POLLEN_WEB_SOURCE}/.npmrc
    DESTINATION ${POLLEN_WEB_BUILD})
  execute_process(COMMAND ${POLLEN_NPM} ci --ignore-scripts --prefer-offline --no-audit --no-fund --no-progress --fetch-retries=1
    --fetch-retry-mintimeout=1000 --fetch-timeout=60000
    WORKING_DIRECTORY ${POLLEN_WEB_BUILD} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE said TIMEOUT 300)
  if(failed)
    string(REGEX MATCH "npm (ERR!|error) [^\n]*" first "${said}")
    message(STATUS "pollen: npm ci failed (${first}), so no page for pollen report; configure again where npm can reach its registry")
    return()
  endif()
  file(WRITE ${stamp} ${wanted})
  set(${result} ON PARENT_SCOPE)
endfunction()

find_program(POLLEN_NODE node)
find_program(POLLEN_NPM npm)
if(NOT POLLEN_WEB OR POLLEN_SANITIZE OR POLLEN_FUZZ)
  message(STATUS "pollen: no web pages in this kind of build, so no page for pollen report")
elseif(NOT POLLEN_NODE OR NOT POLLEN_NPM)
  message(STATUS "pollen: no npm (Debian: nodejs npm), so no page for pollen report")
else()
  pollen_fetch_web_packages(POLLEN_WEB_HAS_PAGES)
endif()

set(pages)
if(POLLEN_WEB_HAS_PAGES)
  foreach(page report live)
    if(EXISTS ${POLLEN_WEB_SOURCE}/${page}.html)
      list(APPEND pages ${page})
    endif()
  endforeach()
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${POLLEN_WEB_SOURCE}/src/*)
  file(GLOB web_files CONFIGURE_DEPENDS ${POLLEN_WEB_SOURCE}/*.html ${POLLEN_WEB_SOURCE}/*.mjs ${POLLEN_WEB_SOURCE}/*.json)
  list(TRANSFORM pages REPLACE "(.+)" "${POLLEN_WEB_BUILD}/dist/\\1.html" OUTPUT_VARIABLE built_pages)
  add_custom_command(OUTPUT ${built_pages}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${POLLEN_WEB_BUILD}/src
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${POLLEN_WEB_SOURCE}/src ${POLLEN_WEB_BUILD}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${web_files} ${POLLEN_WEB_BUILD}
    COMMAND ${POLLEN_NODE} node_modules/typescript/bin/tsc --noEmit
    COMMAND ${POLLEN_NODE} build.mjs dist
    WORKING_DIRECTORY ${POLLEN_WEB_BUILD} DEPENDS ${web_sources} ${web_files} VERBATIM COMMENT "Building the web pages")
endif()

list(JOIN pages "+" joined)
set(embedded ${POLLEN_WEB_BUILD}/pages.cc)
add_custom_command(OUTPUT ${embedded}
  COMMAND ${CMAKE_COMMAND} -DPAGES=${POLLEN_WEB_BUILD}/dist -DBUILT=${joined} -DOUT=${embedded}
    -P ${PROJECT_SOURCE_DIR}/cmake/embed_pages.cmake
  DEPENDS ${built_pages} ${PROJECT_SOURCE_DIR}/cmake/embed_pages.cmake VERBATIM COMMENT "Embedding the web pages")
add_library(pollen_web STATIC ${embedded})
target_link_libraries(pollen_web PUBLIC pollen_flags)
target_include_directories(pollen_web PUBLIC ${PROJECT_SOURCE_DIR}/src/report/include)
