// The functions of the C library for which the runtime has interruptible versions.
//
// The passes need no list to call such a version, because the linker finds it by its name. They need this list because
// the C library's headers declare some of these functions `leaf` (stat, rename, flock …), and a leaf function is
// otherwise taken to be one that neither blocks nor calls back.
#ifndef CHARCOAL_PASSES_LIBRARY_H
#define CHARCOAL_PASSES_LIBRARY_H

#include "llvm/ADT/StringRef.h"

namespace charcoal {

// The list is the file charcoal.replacements beside this plugin, which the linker reads, too. Without it the answer is
// no.
bool libraryReplaces(llvm::StringRef name);

} // namespace charcoal

#endif
