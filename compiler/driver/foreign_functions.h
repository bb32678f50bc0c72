// Functions of the program's own under names for which the runtime has replacements, in objects of another compiler.
//
// If a program has a `connect` of its own, the linker binds plain calls to it. Interruptible code calls `connect.int`
// if there is one, and there is one, that of the C library's connect in the runtime. For a function that charcoal-cc
// has compiled the linker takes its own `connect.int`. For one of another compiler nobody has made any, so the calls in
// this program must find none.
#ifndef CHARCOAL_DRIVER_FOREIGN_FUNCTIONS_H
#define CHARCOAL_DRIVER_FOREIGN_FUNCTIONS_H

#include "request.h"
#include <string>
#include <vector>

namespace charcoal::driver {

// Returns the names of these functions. `replacements` is the list of the runtime's. Only objects and archives that the
// command line names are looked at: a library of -l may be a shared one. There are no such functions in a program that
// defines ch_functions_beneath, whose functions are to stand beneath the replacements (runtime/frames/c_library.c).
std::vector<std::string> foreignFunctionsOf(const Request &request, const std::string &replacements);

} // namespace charcoal::driver

#endif
