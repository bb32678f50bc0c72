// The attribute of functions that are declared `ch_never_waits`. In modules compiled with checks the runtime reports
// such a function if it waits.
#ifndef CHARCOAL_PASSES_PROMISES_H
#define CHARCOAL_PASSES_PROMISES_H

#include "charcoal_promises.h"
#include "llvm/ADT/StringRef.h"

namespace charcoal {

// On a function: declared `ch_never_waits` (set by `outline`). Each of its suspensions leaves a frame that says so: it
// is not inlined, and makes no call in tail position.
inline constexpr llvm::StringLiteral NeverWaitsAttr = "charcoal-never-waits";

} // namespace charcoal

#endif
