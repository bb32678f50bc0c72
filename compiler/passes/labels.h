// Do the addresses of a function's labels stay inside one call of it?
//
// A label of the interruptible version is not the label of the plain one. So a label's address must not be found by
// another call: not in a table that is written to or handed out, nor in any memory that the function does not own.
#ifndef CHARCOAL_PASSES_LABELS_H
#define CHARCOAL_PASSES_LABELS_H

#include "llvm/IR/Function.h"

namespace charcoal {

// True if not sure.
bool labelsEscape(const llvm::Function &);

} // namespace charcoal

#endif
