// The pass that replaces conversions to bfloat. See bfloat.cpp.
#ifndef CHARCOAL_PASSES_BFLOAT_H
#define CHARCOAL_PASSES_BFLOAT_H

#include "llvm/IR/Module.h"

namespace charcoal {

// Gives a module whose glue moves values of type __bf16 the function by which the code generator does so on x86-64.
void provideBfloatTruncation(llvm::Module &);

} // namespace charcoal

#endif
