// Tells reports and debuggers where a suspended activation stands: the tables of source places in the description of a
// frame, and debug information that leads a debugger from a saved frame to a program counter and to the image.
#ifndef CHARCOAL_PASSES_PLACES_H
#define CHARCOAL_PASSES_PLACES_H

#include "crossing.h"
#include "glue.h"

namespace charcoal {

// struct ch_frame_info.lines and .inlined; null where there is nothing to say (no -g, nothing inlined).
llvm::Constant *linesOfPoints(Abi &, llvm::Function &, llvm::ArrayRef<Point>);
llvm::Constant *inlinedAtPoints(Glue &, Abi &, llvm::Function &, llvm::ArrayRef<Point>);

// Adds to the debug information of a function that has been split:
//   - a label `__charcoal_point_K` where it goes on after point K;
//   - a label `__charcoal_suspend` at the beginning of its one way out to suspension;
//   - a label `__charcoal_restore` at the call of ch_restore, the one place where a variable `__charcoal_image` is in
//     scope, which says where the image lies in the native frame, unless the activation runs in its own frame.
// A debugger that is given the program counter of the label, and a frame address chosen so that the image falls onto
// that of a saved frame, shows the saved frame as it shows any other (tools/gdb/charcoal.py).
void labelPoints(llvm::Function &, llvm::ArrayRef<Point>, llvm::AllocaInst *image, llvm::Instruction *restore,
                 llvm::BasicBlock &suspend);

} // namespace charcoal

#endif
