// The list of passes, and where each stands in LLVM's own pipeline.
//
//   start   what clang made; before anything is inlined or simplified
//   last    everything is simplified, nothing is instrumented by a sanitizer yet
//
// Each runs alone by `opt -load-pass-plugin=charcoal-plugin.so -passes=charcoal-<name>`, and -fcharcoal-dump=<name>
// prints the module after it.
#include "atomic.h"
#include "duplicate.h"
#include "merge.h"
#include "options.h"
#include "outline.h"
#include "split.h"
#include "twins.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#if __has_include("llvm/Plugins/PassPlugin.h")
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h" // LLVM 21 and older
#endif

using namespace llvm;

namespace charcoal {

enum class Stage { Start, Last };
struct Entry {
  const char *name;
  Stage stage;
  const char *summary;
  void (*add)(ModulePassManager &);
};

template <typename Pass> struct OnlyC : PassInfoMixin<OnlyC<Pass>> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &analyses) {
    return isC(M) ? Pass().run(M, analyses) : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

template <typename Pass> static void add(ModulePassManager &passes) { passes.addPass(OnlyC<Pass>()); }

static const Entry pipeline[] = {
    {"outline", Stage::Start, "activate statements become calls of the runtime", add<OutlinePass>},
    {"duplicate", Stage::Start, "interruptible versions, yield points", add<DuplicatePass>},
    {"atomic", Stage::Start, "atomic regions count", add<AtomicPass>},
    {"twins", Stage::Start, "table of interruptible versions by address", add<TwinsPass>},
    {"merge", Stage::Last, "superfluous yield points go", add<MergePass>},
    {"split", Stage::Last, "interruptible versions can suspend", add<SplitPass>},
};

// Prints the module after the pass that -fcharcoal-dump names.
struct Dump : PassInfoMixin<Dump> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    M.print(errs(), nullptr);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// Checks the module after the last pass of a stage. After each pass it would take a fifth of the time of -O0.
struct Verify : PassInfoMixin<Verify> {
  const char *pass;
  explicit Verify(const char *pass) : pass(pass) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (verifyModule(M, &errs())) {
      errs() << "charcoal-cc: internal error: the passes up to '" << pass << "' left an invalid module '" << M.getName()
             << "'\n";
      exit(70);
    }
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

static void addStage(ModulePassManager &passes, Stage stage) {
  if (options().disabled)
    return;
  const char *last = nullptr;
  for (const Entry &entry : pipeline)
    if (entry.stage == stage) {
      entry.add(passes);
      if (options().dump == entry.name)
        passes.addPass(Dump());
      last = entry.name;
    }
  passes.addPass(Verify(last));
}

// A misspelled stage would print nothing and leave the user to wonder.
static void checkDumpName() {
  const std::string &name = options().dump;
  if (name.empty() || any_of(pipeline, [&](const Entry &entry) { return name == entry.name; }))
    return;
  errs() << "charcoal-cc: error: invalid value '" << name << "' in '-fcharcoal-dump=" << name << "'; it takes";
  for (const Entry &entry : pipeline)
    errs() << (&entry == pipeline ? " " : ", ") << entry.name;
  errs() << '\n';
  exit(1);
}

static void registerPasses(PassBuilder &builder) {
  checkDumpName();
  builder.registerPipelineStartEPCallback(
      [](ModulePassManager &passes, OptimizationLevel) { addStage(passes, Stage::Start); });
#if LLVM_VERSION_MAJOR >= 20
  builder.registerOptimizerLastEPCallback([](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase phase) {
    // After the link step of LTO everything has been done before it.
    if (phase != ThinOrFullLTOPhase::ThinLTOPostLink && phase != ThinOrFullLTOPhase::FullLTOPostLink)
      addStage(passes, Stage::Last);
  });
#else
  builder.registerOptimizerLastEPCallback(
      [](ModulePassManager &passes, OptimizationLevel) { addStage(passes, Stage::Last); });
#endif
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (!name.consume_front("charcoal-"))
          return false;
        for (const Entry &entry : pipeline)
          if (name == entry.name) {
            entry.add(passes);
            return true;
          }
        return false;
      });
  if (options().printPipeline)
    for (const Entry &entry : pipeline)
      outs() << (entry.stage == Stage::Start ? "start  " : "last   ") << entry.name << ": " << entry.summary << '\n';
}

} // namespace charcoal

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "charcoal", "0.1", charcoal::registerPasses};
}
