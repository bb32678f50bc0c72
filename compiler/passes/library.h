// The functions of the C library for which the runtime has interruptible versions.
//
// Callers find such a version when they are linked, by its name; the passes need no list for that. They need one
// because the C library's headers call some of these functions `leaf` (stat, rename, flock …), which says of everything
// else that it can neither block nor call back.
#ifndef CHARCOAL_PASSES_LIBRARY_H
#define CHARCOAL_PASSES_LIBRARY_H

#include "llvm/ADT/StringRef.h"

namespace charcoal {

// The list is the file charcoal.replacements beside this plugin, which the linker reads, too. Without it the answer is
// no.
bool libraryReplaces(llvm::StringRef name);

} // namespace charcoal

#endif
