// Functions that are declared `atomic` or `ch_never_waits`: the front end's annotations become attributes of functions.
//
//   before   @llvm.global.annotations = [{ @f, "charcoal.atomic" }, …]
//   after    define @f() "charcoal-atomic"; and the other annotations, if there are any
#ifndef CHARCOAL_PASSES_DECLARED_H
#define CHARCOAL_PASSES_DECLARED_H

#include "llvm/IR/Module.h"

namespace charcoal {

// Returns whether it has found any. Sets `neverWaits` if a function is declared `ch_never_waits` and the module is
// compiled with checks.
bool markDeclared(llvm::Module &, bool &neverWaits);

} // namespace charcoal

#endif
