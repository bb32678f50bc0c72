// See cold.cpp.
#ifndef CHARCOAL_PASSES_COLD_H
#define CHARCOAL_PASSES_COLD_H

#include "llvm/ADT/StringRef.h"

namespace charcoal {

// On an optimised interruptible version, from `split` on: what it seldom does is to lie elsewhere.
inline constexpr llvm::StringLiteral ColdPartAttr = "charcoal-cold-part";

} // namespace charcoal

#endif
