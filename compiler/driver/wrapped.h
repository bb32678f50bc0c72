// Makes the linker's option --wrap=X work for interruptible calls. By itself the linker changes references to the
// symbol X only.
#ifndef CHARCOAL_DRIVER_WRAPPED_H
#define CHARCOAL_DRIVER_WRAPPED_H

#include "request.h"

namespace charcoal::driver {

// In files that are compiled already, interruptible calls of X go directly to its version (CH_DIRECT_PREFIX), and
// --wrap does not see them. The options that this returns make the linker send them to the code that asks for X.int,
// which --wrap does see.
std::vector<std::string> optionsForWrapped(const Request &);

} // namespace charcoal::driver

#endif
