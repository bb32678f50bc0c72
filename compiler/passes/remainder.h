// What an activation has left to do behind a call.
//
// A function that has lent its locals to an activity may return before that activity's body has ended, if all that the
// body still does is to return: it uses nothing any more. `split` tells the runtime's checks at which points that is so
// (CH_LINE_LAST in charcoal_abi.h).
#ifndef CHARCOAL_REMAINDER_H
#define CHARCOAL_REMAINDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace charcoal {

// Of each of these calls: whether the function uses nothing behind it but its own locals and global variables.
llvm::SmallBitVector lastUses(llvm::Function &, llvm::ArrayRef<llvm::CallInst *> calls);

} // namespace charcoal
#endif
