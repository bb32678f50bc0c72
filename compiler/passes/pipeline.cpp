// The list of passes, and where each stands in LLVM's own pipeline.
#include "options.h"
#include "outline.h"
#include "llvm/Passes/PassBuilder.h"
#if __has_include("llvm/Plugins/PassPlugin.h")
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h" // LLVM 21 and older
#endif

using namespace llvm;

static void registerPasses(PassBuilder &builder) {
  builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel) {
    if (charcoal::options().disabled)
      return;
    passes.addPass(charcoal::OutlinePass());
  });
  // `opt -load-pass-plugin=charcoal-plugin.so -passes=charcoal-outline` runs one pass alone.
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (name != "charcoal-outline")
          return false;
        passes.addPass(charcoal::OutlinePass());
        return true;
      });
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "charcoal", "0.1", registerPasses};
}
