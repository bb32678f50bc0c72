# find_package(charcoal) in a project that is configured with CMAKE_C_COMPILER=charcoal-cc (or CC=charcoal-cc).
#
#   charcoal::charcoal   A target to link to; it brings the header's folder. charcoal-cc finds header and library by
#                        itself; any other C compiler, which makes a sequential program of the same source, gets the
#                        header from this target. C++ sources beside C that charcoal-cc compiles get CHARCOAL_LIBRARY,
#                        so that they call the library; without it the header has its sequential meaning there.
#   CHARCOAL_CC          the compiler's path
#   CHARCOAL_CXX         that of the compiler of C++
get_filename_component(_charcoal_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(CHARCOAL_CC "${_charcoal_prefix}/bin/charcoal-cc")
set(CHARCOAL_CXX "${_charcoal_prefix}/bin/charcoal-c++")
if(NOT TARGET charcoal::charcoal)
  add_library(charcoal::charcoal INTERFACE IMPORTED)
  set_target_properties(charcoal::charcoal PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_charcoal_prefix}/include")
  get_filename_component(_charcoal_compiler "${CMAKE_C_COMPILER}" NAME)
  if(_charcoal_compiler STREQUAL "charcoal-cc")
    set_target_properties(charcoal::charcoal PROPERTIES INTERFACE_COMPILE_DEFINITIONS
                                                        "$<$<COMPILE_LANGUAGE:CXX>:CHARCOAL_LIBRARY>")
  endif()
  unset(_charcoal_compiler)
endif()
unset(_charcoal_prefix)
