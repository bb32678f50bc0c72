// The attribute of functions whose cold part is put elsewhere. See cold.cpp.
#ifndef CHARCOAL_PASSES_COLD_H
#define CHARCOAL_PASSES_COLD_H

#include "llvm/ADT/StringRef.h"

namespace charcoal {

// `split` sets it on optimised interruptible versions: their cold blocks go into another section.
inline constexpr llvm::StringLiteral ColdPartAttr = "charcoal-cold-part";

} // namespace charcoal

#endif
