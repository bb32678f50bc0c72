# What `make install` puts where, and the files by which pkg-config and CMake projects find it.
#
# The build directory looks like the installed tree, so these files work there too; nothing in them names an absolute
# path, so the installed tree may be moved.
include(CMakePackageConfigHelpers)

configure_file(cmake/charcoal.pc.in ${CHARCOAL_TREE}/lib/pkgconfig/charcoal.pc @ONLY)
configure_file(cmake/charcoalConfig.cmake ${CHARCOAL_TREE}/lib/cmake/charcoal/charcoalConfig.cmake COPYONLY)
write_basic_package_version_file(${CHARCOAL_TREE}/lib/cmake/charcoal/charcoalConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)

install(PROGRAMS ${CHARCOAL_TREE}/bin/charcoal-cc ${CHARCOAL_TREE}/bin/charcoal-c++ DESTINATION bin)
install(DIRECTORY ${CHARCOAL_TREE}/lib DESTINATION .
  FILES_MATCHING PATTERN "charcoal*" PATTERN "libcharcoal.*" PATTERN "pkgconfig" EXCLUDE PATTERN "cmake" EXCLUDE)
install(DIRECTORY ${CHARCOAL_TREE}/include/ DESTINATION include)
install(DIRECTORY ${CHARCOAL_TREE}/lib/pkgconfig ${CHARCOAL_TREE}/lib/cmake DESTINATION lib)
install(DIRECTORY tools/gdb tools/valgrind DESTINATION share/charcoal PATTERN __pycache__ EXCLUDE)
install(FILES LICENSE DESTINATION share/doc/charcoal)
