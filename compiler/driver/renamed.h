// Functions that some tool has renamed, or made local, without their interruptible versions.
#ifndef CHARCOAL_DRIVER_RENAMED_H
#define CHARCOAL_DRIVER_RENAMED_H

#include "request.h"

namespace charcoal::driver {

// A function f of ours comes with the symbols f.int and CH_DIRECT_PREFIX f.SIGNATURE, by which the linker binds
// interruptible calls of f. If a tool has renamed f alone, or made it local, interruptible calls of another f reach
// this one, and plain calls do not. Returns an error message about the first such function in the files that are
// linked; "" if there is none.
std::string whatIsRenamed(const Request &);

} // namespace charcoal::driver

#endif
