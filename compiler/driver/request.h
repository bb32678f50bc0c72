// Reads from a command line of clang what the driver has to know. It rejects nothing, because clang checks every
// option itself.
#ifndef CHARCOAL_DRIVER_REQUEST_H
#define CHARCOAL_DRIVER_REQUEST_H

#include <set>
#include <string>
#include <vector>

namespace charcoal::driver {

struct Request {
  bool compileOnly = false;         // -c, -S, -E, -fsyntax-only …: no link step
  bool hasInput = false;            // names at least one file, library or stdin
  bool onlyHeaders = true;          // all inputs are headers, which clang precompiles
  bool shared = false;              // -shared
  bool relocatable = false;         // -r
  bool isStatic = false;            // -static, -static-pie
  bool noLibraries = false;         // -nostdlib, -nostartfiles, -nodefaultlibs
  bool optimizes = false;           // the last -O is not -O0
  bool externalAssembler = false;   // -fno-integrated-as, -save-temps: intermediate files
  bool positionChosen = false;      // the user said something about position-independent code
  bool isAbsolute = false;          // -fno-pie, -fno-pic: the code may contain addresses
  bool pieChosen = false;           // -pie, -no-pie, -static-pie
  bool sectionsChosen = false;      // the user said something about -ffunction-sections or --gc-sections
  std::string target;               // --target=, -target; empty: this machine
  std::string linker;               // -fuse-ld=, --ld-path=
  std::vector<std::string> wrapped; // --wrap: the linker puts __wrap_X in X's place
  std::vector<std::string> files;   // inputs that are named as files
  std::string output;               // -o
  bool printsCommands = false;      // -###
  bool optimizesAtLink = false;     // -flto
  bool emulatesTls = false;         // -femulated-tls
  bool pseudoProbes = false;        // -fpseudo-probe-for-profiling
  bool leavesOutPasses = false;     // -Xclang -disable-llvm-passes
  bool makesNoCode = false;         // -emit-llvm, -E, -fsyntax-only
  bool threadSanitizer = false;     // -fsanitize=thread

  std::set<std::string> foreignSanitizers; // of -fsanitize=: those that the runtime is not made for

  std::vector<std::string> libraries, libraryFolders; // -l, -L
  std::vector<std::string> linkerWords;               // of -Wl, and -Xlinker

  bool links() const { return !compileOnly && hasInput && !onlyHeaders; }

  // The processor of the target, by the name that LLVM has for it; empty: this machine's.
  std::string processor() const;
};

Request readRequest(const std::vector<std::string> &arguments);

// Replaces each @file by the words in it, as clang would; an unreadable one is left for clang to report.
std::vector<std::string> expandResponseFiles(const std::vector<std::string> &arguments, int depth = 0);

} // namespace charcoal::driver

#endif
