// Analysis: whether the addresses of a function's labels (&&label of GNU C) stay inside one call of the function.
//
// The labels of the interruptible version differ from those of the plain version. So another call must not find a
// label's address: not in a table that is written to or passed on, and not in memory that outlives the call.
#ifndef CHARCOAL_PASSES_LABELS_H
#define CHARCOAL_PASSES_LABELS_H

#include "llvm/IR/Function.h"

namespace charcoal {

// Also true if they might escape.
bool labelsEscape(const llvm::Function &);

} // namespace charcoal

#endif
