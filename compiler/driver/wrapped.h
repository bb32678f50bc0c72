// What --wrap=X needs beside the linker, which changes references to the symbol X and to no other.
#ifndef CHARCOAL_DRIVER_WRAPPED_H
#define CHARCOAL_DRIVER_WRAPPED_H

#include "request.h"

namespace charcoal::driver {

// Interruptible calls of X in files that are compiled already go to its version directly (CH_DIRECT_PREFIX), past
// --wrap. These options for the linker send them to the code that asks for X.int, which --wrap does see.
std::vector<std::string> optionsForWrapped(const Request &);

} // namespace charcoal::driver

#endif
