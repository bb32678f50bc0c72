// Analysis: which calls at the end of an interruptible version no longer need its frame. See tailcalls.cpp.
#ifndef CHARCOAL_PASSES_TAILCALLS_H
#define CHARCOAL_PASSES_TAILCALLS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace charcoal {

// The suspending calls whose result the function only returns, and which may replace its activation. A `musttail` that
// cannot be such a call becomes an ordinary one.
llvm::SmallVector<llvm::CallInst *> findTailCalls(llvm::Function &);

} // namespace charcoal

#endif
