# libpollen: all rooms that the headers of include/pollen need, as one shared library. The libraries they use (fmt,
# zlib, Highway, ...) are linked into it, and the public headers include only the standard library. A program that links
# pollen::pollen therefore needs no other package and no flag except C++20.
set(rooms base math random network model data compress oracle round recipe transport stats privacy plan reference personal ranks run sink report)
list(TRANSFORM rooms PREPEND pollen_)
add_library(pollen_library SHARED)
add_library(pollen::pollen ALIAS pollen_library)
foreach(room ${rooms})
  target_sources(pollen_library PRIVATE $<TARGET_OBJECTS:${room}>)
endforeach()
target_link_libraries(pollen_library PRIVATE ${rooms})
# The library keeps its own copies of inline functions, whatever flags a program compiles the same headers with.
target_link_options(pollen_library PRIVATE -Wl,-Bsymbolic-functions -Wl,--no-undefined)
target_compile_features(pollen_library INTERFACE cxx_std_20)
target_include_directories(pollen_library INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(pollen_library PROPERTIES OUTPUT_NAME pollen EXPORT_NAME pollen LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# The program and the modules find each other by their relative places in the prefix (src/base/module.cc), so the prefix
# may be moved.
install(TARGETS pollen_library EXPORT pollenTargets)
install(DIRECTORY include/pollen DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS pollen RUNTIME)
foreach(module pollen_mpi pollen_torch)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  endif()
endforeach()

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/pollen)
install(EXPORT pollenTargets NAMESPACE pollen:: DESTINATION ${package})
configure_package_config_file(cmake/pollenConfig.cmake.in pollenConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(pollenConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pollenConfig.cmake ${PROJECT_BINARY_DIR}/pollenConfigVersion.cmake DESTINATION ${package})
