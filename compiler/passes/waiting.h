// Whether a cycle of the control-flow graph only waits: it looks at memory that somebody else may change, and going
// round it once more without such a change leaves everything as it is. Of such are `while (!ready) ;` with a volatile
// or atomic `ready`, and the loops of a spin lock. Only these get a yield point although they make no calls: any other
// code between two calls is never interrupted (the Charcoal paper's promise), even if it looks at shared memory.
//
// Not waiting is a cycle that stores to memory, or into a local variable something that depends on what that had been
// the turn before: a count of turns, for one.
#ifndef CHARCOAL_PASSES_WAITING_H
#define CHARCOAL_PASSES_WAITING_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class BasicBlock;
}

namespace charcoal {

bool onlyWaits(llvm::ArrayRef<const llvm::BasicBlock *> cycle);

} // namespace charcoal

#endif
