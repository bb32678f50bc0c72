// Functions that some tool has renamed, or made local, without their interruptible versions.
#ifndef CHARCOAL_DRIVER_RENAMED_H
#define CHARCOAL_DRIVER_RENAMED_H

#include "request.h"

namespace charcoal::driver {

// A function f of ours comes with the symbols f.int and CH_DIRECT_PREFIX f.SIGNATURE, by which the linker binds
// interruptible calls of f. If f alone is another one in the linker's eyes, those calls reach a function that plain
// calls do not reach. Returns what is to be said about the first such function among what is linked; "" if there is
// none.
std::string whatIsRenamed(const Request &);

} // namespace charcoal::driver

#endif
