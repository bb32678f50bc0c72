// The list of passes, and where each stands in LLVM's own pipeline.
//
//   start   what clang made; before anything is inlined or simplified
//   middle  everything is inlined and simplified, nothing is vectorised yet; not at -O0
//   last    everything is simplified, nothing is instrumented by a sanitizer yet
//
// Each runs alone by `opt -load-pass-plugin=charcoal-plugin.so -passes=charcoal-<name>`, and -fcharcoal-dump=<name>
// prints the module after it.
#include "async.h"
#include "atomic.h"
#include "atomicity.h"
#include "constants.h"
#include "devirtualize.h"
#include "duplicate.h"
#include "merge.h"
#include "modes.h"
#include "options.h"
#include "outline.h"
#include "repair.h"
#include "retain.h"
#include "sections.h"
#include "shortcuts.h"
#include "split.h"
#include "statics.h"
#include "strips.h"
#include "unwinding.h"
#include "versions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/EntryExitInstrumenter.h"

using namespace llvm;

namespace charcoal {

enum class Stage { Start, Middle, Last };
static StringRef nameOf(Stage stage) {
  return stage == Stage::Start ? "start" : stage == Stage::Middle ? "middle" : "last";
}
struct Entry {
  const char *name;
  Stage stage;
  const char *summary;
  void (*add)(ModulePassManager &);
};

// A module that has been through a stage gets a mark, because its passes might run on it once more: -emit-llvm writes
// the module, and clang optimises each module that it reads.
static std::string markOf(Stage stage) { return ("charcoal." + nameOf(stage)).str(); }

static bool isInterruptible(const Module &M) { return languageOf(M) != Language::Other; }

template <typename Pass, Stage stage> struct OnlyInterruptible : PassInfoMixin<OnlyInterruptible<Pass, stage>> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &analyses) {
    return isInterruptible(M) && !M.getNamedMetadata(markOf(stage)) ? Pass().run(M, analyses)
                                                                    : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

template <typename Pass, Stage stage> static void add(ModulePassManager &passes) {
  passes.addPass(OnlyInterruptible<Pass, stage>());
}

static const Entry pipeline[] = {
    {"repair", Stage::Start, "what clang leaves invalid becomes valid", add<RepairPass, Stage::Start>},
    {"unwinding", Stage::Start, "exceptions pass the dialect's blocks", add<UnwindingPass, Stage::Start>},
    {"statics", Stage::Start, "local variables are made once among activities", add<StaticsPass, Stage::Start>},
    {"retain", Stage::Start, "what the program keeps is kept by the linker", add<RetainPass, Stage::Start>},
    {"modes", Stage::Start, "changes of MXCSR tell the runtime", add<ModesPass, Stage::Start>},
    {"outline", Stage::Start, "activate statements become calls of the runtime", add<OutlinePass, Stage::Start>},
    {"duplicate", Stage::Start, "interruptible versions, yield points", add<DuplicatePass, Stage::Start>},
    {"atomic", Stage::Start, "atomic regions count", add<AtomicPass, Stage::Start>},
    {"versions", Stage::Start, "table of interruptible versions by address", add<VersionsPass, Stage::Start>},
    {"devirtualize", Stage::Middle, "look-ups whose answer is known become that answer",
     add<DevirtualizePass, Stage::Middle>},
    {"strips", Stage::Middle, "loops give way outside of themselves", add<StripsPass, Stage::Middle>},
    {"constants", Stage::Last, "code that only the code generator would find to be dead goes",
     add<ConstantsPass, Stage::Last>},
    {"unused", Stage::Last, "entries of that table for functions that nothing uses any more go",
     add<UnusedPass, Stage::Last>},
    {"merge", Stage::Last, "superfluous yield points go", add<MergePass, Stage::Last>},
    {"atomicity", Stage::Last, "accesses to shared memory report themselves", add<AtomicityPass, Stage::Last>},
    {"split", Stage::Last, "interruptible versions can suspend", add<SplitPass, Stage::Last>},
    {"shortcuts", Stage::Last, "look-ups and frames that succeed at once do so inline",
     add<ShortcutsPass, Stage::Last>},
    {"sections", Stage::Last, "functions whose assembly goes back to .text lie there", add<SectionsPass, Stage::Last>},
};

// Prints the module after the pass that -fcharcoal-dump names.
struct Dump : PassInfoMixin<Dump> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    M.print(errs(), nullptr);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// Reports a request that cannot be met as an error of the compiler, and marks the module so that no pass changes it.
static void refuse(Module &M, const Twine &why) {
  M.getContext().emitError(why);
  for (Stage stage : {Stage::Start, Stage::Middle, Stage::Last})
    M.getOrInsertNamedMetadata(markOf(stage));
}

// Checks the target and the name of the pass to print. The layouts of abi/charcoal_abi.h are those of 64-bit targets,
// and calls in tail position must become jumps there. With a misspelt name nothing would be printed, and the user would
// not know why.
struct CheckRequest : PassInfoMixin<CheckRequest> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    const std::string &dump = options().dump;
    if (!dump.empty() && none_of(pipeline, [&](const Entry &entry) { return dump == entry.name; })) {
      std::string names;
      for (const Entry &entry : pipeline)
        names += (names.empty() ? "" : ", ") + std::string(entry.name);
      refuse(M, "invalid value '" + dump + "' in '-fcharcoal-dump=" + dump + "'; it takes " + names);
    }
    if (!isInterruptible(M))
      remark(M, "the functions of this file have only their plain versions; C and C++ have interruptible ones");
    const Triple target(M.getTargetTriple());
    const Triple::ArchType arch = target.getArch();
    if (isInterruptible(M) && (M.getDataLayout().getPointerSizeInBits() != 64 ||
                               (arch != Triple::x86_64 && arch != Triple::aarch64 && arch != Triple::riscv64)))
      refuse(M, "target '" + target.str() +
                    "': interruptible code exists for 64-bit x86, AArch64 and RISC-V only; compile with -fno-charcoal");
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

// After the last pass of a stage. The module is checked after the last stage alone: three checks took 1.4 % of the time
// of -O2. The tests of the passes check it after each pass.
struct EndStage : PassInfoMixin<EndStage> {
  Stage stage;
  explicit EndStage(Stage stage) : stage(stage) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    // A fatal error, so that clang saves what reproduces it and writes no object.
    if (stage == Stage::Last && verifyModule(M, &errs()))
      report_fatal_error("charcoal: the passes left an invalid module '" + M.getName() + "'");
    M.getOrInsertNamedMetadata(markOf(stage));
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

static void addStage(ModulePassManager &passes, Stage stage) {
  if (options().disabled)
    return;
  if (stage == Stage::Start) {
    passes.addPass(CheckRequest());
    // After `duplicate` the reports of -finstrument-functions would name interruptible versions, which the program does
    // not know.
    passes.addPass(createModuleToFunctionPassAdaptor(EntryExitInstrumenterPass(/*PostInlining=*/false)));
  }
  for (const Entry &entry : pipeline)
    if (entry.stage == stage) {
      entry.add(passes);
      if (options().dump == entry.name)
        passes.addPass(Dump());
    }
  passes.addPass(EndStage(stage));
}

static void registerPasses(PassBuilder &builder) {
  builder.registerPipelineStartEPCallback(
      [](ModulePassManager &passes, OptimizationLevel) { addStage(passes, Stage::Start); });
  builder.registerPeepholeEPCallback([](FunctionPassManager &passes, OptimizationLevel) {
    if (options().disabled)
      return;
    passes.addPass(DevirtualizeToPlain());
    passes.addPass(MergeInBlocks());
  });
  builder.registerCGSCCOptimizerLateEPCallback(
      [](CGSCCPassManager &passes, OptimizationLevel) { passes.addPass(AsyncsReturnInFunctions()); });
  builder.registerOptimizerEarlyEPCallback([](ModulePassManager &passes, OptimizationLevel level, ThinOrFullLTOPhase) {
    passes.addPass(AsyncsReturn());
    if (level != OptimizationLevel::O0)
      addStage(passes, Stage::Middle);
  });
  builder.registerOptimizerLastEPCallback([](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase phase) {
    // In the link step of LTO the passes have run already, when the files were compiled.
    if (phase != ThinOrFullLTOPhase::ThinLTOPostLink && phase != ThinOrFullLTOPhase::FullLTOPostLink)
      addStage(passes, Stage::Last);
  });
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
      outs() << left_justify(nameOf(entry.stage), 7) << entry.name << ": " << entry.summary << '\n';
}

} // namespace charcoal

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "charcoal", "0.1", charcoal::registerPasses};
}
