// Rewrite: keeps values whose size only the machine knows (AArch64's SVE, RISC-V's vectors) outside the frame.
#ifndef CHARCOAL_PASSES_SCALABLE_H
#define CHARCOAL_PASSES_SCALABLE_H

#include "crossing.h"

namespace charcoal {

// Takes a function whose `points` are at the ends of their blocks. Leaves none of its scalable locals static, and no
// scalable value alive across a point: each such local or value is in a block of variable length. Static locals stand
// first in the function.
void moveScalableToBlocks(llvm::Function &, llvm::ArrayRef<Point> points);

} // namespace charcoal

#endif
