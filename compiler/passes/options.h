// The options of the passes, and the remarks and errors that they print.
//
// The driver turns each -fcharcoal-… option into `-mllvm -charcoal-…`, which LLVM parses after it has
// loaded the plugin; options() reads the result. Nothing here changes after the first pass has run.
#ifndef CHARCOAL_PASSES_OPTIONS_H
#define CHARCOAL_PASSES_OPTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <functional>
#include <string>

namespace llvm {
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace charcoal {

// Where yield checks may stand: nowhere, at calls, or at calls and on the back edges of loops.
enum class Yields { None, Calls, Loops };

struct Options {
  bool stress = false;           // -fcharcoal-stress: every yield point really suspends
  Yields yields = Yields::Calls; // -fcharcoal-yields=none|calls|loops
  bool remarks = false;          // -Rcharcoal: say what fell back to the plain version, and why
  std::string dump;              // -fcharcoal-dump=<stage>: print the module after this stage; empty: nothing
  bool checks = false;           // -fcharcoal-checks: law 7's check of dangling captures
  bool atomicity = false;        // -fcharcoal-atomicity: accesses to shared memory report themselves
  bool asksForVersions = false;  // calls between modules ask at run time which version there is
  bool disabled = false;         // the passes leave the module alone
  bool printPipeline = false;    // --charcoal-print-pipeline
};

const Options &options();

// What a module comes from, and whether it is C++ with exceptions, which may pass its functions. C and C++ get
// interruptible versions. The front end says which it is before any pass runs. If it has not run (-save-temps, .bc and
// .ll files), the names in the module decide.
enum class Language { C, CPlusPlus, Other };
void setLanguage(Language, bool exceptions);
Language languageOf(const llvm::Module &);
bool mayPassExceptions(const llvm::Module &);

// Prints "file:line:col: remark: text [-Rcharcoal]" when options().remarks; the place is that of the
// instruction, or of the function's definition, or the beginning of the file. Costs nothing otherwise.
void remark(const llvm::Function &, const llvm::Twine &text);
void remark(const llvm::Module &, const llvm::Twine &text);
void remark(const llvm::Instruction &, const llvm::Twine &text);

// Prints "file:line:col: error: text" and makes the compilation fail. For the user's mistakes that only
// a pass can see.
void error(const llvm::Function &, const llvm::Twine &text);
void error(const llvm::Instruction &, const llvm::Twine &text);

// Where remarks go. The front end installs clang's own printer, so that they look like clang's; without
// one (opt, the linker in LTO) they are printed plainly. `line` is 0 where no place is known.
using RemarkSink = std::function<void(llvm::StringRef file, unsigned line, unsigned column, llvm::StringRef text)>;
void setRemarkSink(RemarkSink);

} // namespace charcoal

#endif
