// Pass `sections`: a function whose inline assembly goes back to `.text` lies there.
//
//   takes   any module, after everything has been inlined
//   leaves  in the section `.text` the functions with assembly that names this section
//
//     define i32 @f() {                                          define i32 @f() section ".text" {
//       call i32 asm ".data; x: .int 1; .text; movl x, $0"  =>     call i32 asm …
//
// charcoal-cc gives each function a section of its own, `.text.f`. What follows such assembly would not be there any
// more, and the processor would run past the end of `.text.f`. clang itself puts all functions into `.text`.
// Alone: opt -load-pass-plugin charcoal-plugin.so -passes=charcoal-sections
#include "sections.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace charcoal {

static bool namesText(const Instruction &I) {
  static const Regex text("(^|[^A-Za-z0-9_.$])\\.text([^A-Za-z0-9_.$]|$)");
  auto *call = dyn_cast<CallBase>(&I);
  auto *code = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return code && text.match(code->getAsmString());
}

PreservedAnalyses SectionsPass::run(Module &M, ModuleAnalysisManager &) {
  bool changed = false;
  for (Function &F : M)
    if (!F.hasSection() && any_of(instructions(F), namesText)) {
      F.setSection(".text");
      changed = true;
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace charcoal
