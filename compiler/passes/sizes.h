// Which of the runtime's functions save and restore an activation with an image of this many bytes, or spawn an
// activity with a record of so many: those for its size, or the ones for any size (abi/charcoal_sizes.h).
#ifndef CHARCOAL_PASSES_SIZES_H
#define CHARCOAL_PASSES_SIZES_H

#include "abi.h"

namespace charcoal {

llvm::FunctionCallee suspendOfSize(Abi &, uint64_t image);     // i32 ch_suspend(info, image, why)
llvm::FunctionCallee suspendHomeOfSize(Abi &, uint64_t image); // i32 ch_suspend_home(frame, image, why)
// {point, value} ch_restore(image): of an activation whose frames never have homes, and of one whose frame always is
// CH_FRAME_HOME.
llvm::FunctionCallee restoreOfSize(Abi &, uint64_t image);
llvm::FunctionCallee restoreHomeOfSize(Abi &, uint64_t image);

// Makes a call of ch_spawn one of the function for the size of its record, if there is one.
void spawnBySize(Abi &, llvm::CallInst &);

} // namespace charcoal

#endif
