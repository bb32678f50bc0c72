// The files that the linker reads.
#ifndef CHARCOAL_DRIVER_INPUTS_H
#define CHARCOAL_DRIVER_INPUTS_H

#include "request.h"

namespace charcoal::driver {

// Returns the files that are named and, for each library, the archives of that name, as far as the command line,
// LIBRARY_PATH and the linkers' usual folders tell. Sources that the same command compiles are not among them.
std::vector<std::string> linkedFiles(const Request &);

// Whether the command compiles something before it links.
bool compilesFirst(const Request &);

} // namespace charcoal::driver

#endif
