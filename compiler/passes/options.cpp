// The options as LLVM parses them, and the printer of remarks. See options.h.
#include "options.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace llvm;

namespace charcoal {

static Options chosen;

static cl::opt<bool, true> stress("charcoal-stress", cl::location(chosen.stress),
                                  cl::desc("suspend at every yield point"));
static cl::opt<Yields, true> yields("charcoal-yields", cl::location(chosen.yields), cl::init(Yields::Calls),
                                    cl::desc("where yield checks may stand"),
                                    cl::values(clEnumValN(Yields::None, "none", "nowhere"),
                                               clEnumValN(Yields::Calls, "calls", "at calls"),
                                               clEnumValN(Yields::Loops, "loops", "at calls and in loops")));
static cl::opt<bool, true> remarks("charcoal-remarks", cl::location(chosen.remarks),
                                   cl::desc("say what stays plain, and why"));
static cl::opt<std::string, true> dump("charcoal-dump", cl::location(chosen.dump),
                                       cl::desc("print the module after this stage"));
static cl::opt<bool, true> checks("charcoal-checks", cl::location(chosen.checks),
                                  cl::desc("report activities that outlive the locals they captured"));
static cl::opt<bool, true> atomicity("charcoal-atomicity", cl::location(chosen.atomicity),
                                     cl::desc("accesses to shared memory report themselves"));
static cl::opt<bool, true> asksForVersions("charcoal-ask-for-versions", cl::location(chosen.asksForVersions),
                                           cl::desc("calls of other modules' functions ask for their versions"));
static cl::opt<bool, true> disabled("charcoal-disable", cl::location(chosen.disabled),
                                    cl::desc("leave the module alone"));
static cl::opt<bool, true> printPipeline("charcoal-print-pipeline", cl::location(chosen.printPipeline),
                                         cl::desc("print the list of passes"));

const Options &options() { return chosen; }

static std::optional<Language> language;
static bool exceptions;
void setLanguage(Language of, bool withExceptions) {
  language = of;
  exceptions = withExceptions;
}

Language languageOf(const Module &M) {
  if (language)
    return *language;
  Language found = Language::C;
  for (const Function &F : M) {
    if (F.getName().starts_with("_R"))
      return Language::Other; // Rust
    if (F.getName().starts_with("_Z"))
      found = Language::CPlusPlus;
  }
  return found;
}

bool mayPassExceptions(const Module &M) {
  return language ? exceptions : M.getFunction("__gxx_personality_v0") != nullptr;
}

static RemarkSink sink;
void setRemarkSink(RemarkSink to) { sink = std::move(to); }

static void emitRemark(StringRef file, unsigned line, unsigned column, const Twine &text) {
  std::string message = text.str();
  if (sink)
    return sink(file, line, column, message);
  if (!file.empty())
    errs() << file << ':' << line << ':' << column << ": ";
  errs() << "remark: " << message << " [-Rcharcoal]\n";
}

void remark(const Function &function, const Twine &text) {
  if (!chosen.remarks)
    return;
  if (const DISubprogram *place = function.getSubprogram())
    emitRemark(place->getFilename(), place->getLine(), 1, text);
  else
    emitRemark("", 0, 0, "in '" + function.getName() + "': " + text);
}

void remark(const Module &module, const Twine &text) {
  if (chosen.remarks)
    emitRemark(module.getSourceFileName(), 1, 1, text);
}

void remark(const Instruction &instruction, const Twine &text) {
  if (!chosen.remarks)
    return;
  if (const DebugLoc &place = instruction.getDebugLoc())
    emitRemark(place->getFilename(), place.getLine(), place.getCol(), text);
  else
    remark(*instruction.getFunction(), text);
}

void error(const Function &function, const Twine &text) {
  DiagnosticLocation place;
  if (const DISubprogram *subprogram = function.getSubprogram())
    place = DiagnosticLocation(subprogram);
  function.getContext().diagnose(DiagnosticInfoUnsupported(function, text, place));
}

void error(const Instruction &instruction, const Twine &text) {
  const Function &function = *instruction.getFunction();
  if (!instruction.getDebugLoc())
    return error(function, text);
  function.getContext().diagnose(DiagnosticInfoUnsupported(function, text, instruction.getDebugLoc()));
}

} // namespace charcoal
