// charcoal-cc: stock clang with Charcoal's plugins, headers and runtime.
//
// Called by its other name, charcoal-c++, it works as clang++.
//
// It takes its own options out of the command line, adds what the compilation needs and, if clang is going to link,
// what the link needs, and then runs clang. All other options are clang's and are passed on unchanged. It finds its
// files (bin, lib, include) relative to this executable, so a build folder works like an installation.
#include "foreign_functions.h"
#include "options.h"
#include "renamed.h"
#include "request.h"
#include "run.h"
#include "wrapped.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace charcoal::driver;
namespace fs = std::filesystem;

namespace {

using Arguments = std::vector<std::string>;

void append(Arguments &to, const Arguments &more) { to.insert(to.end(), more.begin(), more.end()); }

// For the compiler proper alone: the assembler would reject it.
void passToFrontEnd(Arguments &to, const std::string &option) { append(to, {"-Xclang", "-mllvm", "-Xclang", option}); }

Arguments compileArguments(const CharcoalOptions &charcoal, const Request &request, const fs::path &tree) {
  Arguments result = {"--start-no-unused-arguments"};
  append(result, {"-fplugin=" + (tree / "lib/charcoal-syntax.so").string(),
                  "-fpass-plugin=" + (tree / "lib/charcoal-plugin.so").string()});
  append(result, {"-isystem", (tree / "include").string(), "-D__CHARCOAL__=1"});
  if (charcoal.dialect)
    append(result, {"-include", "charcoal/dialect.h"});
  if (charcoal.stress)
    passToFrontEnd(result, "-charcoal-stress");
  if (charcoal.yields != "calls")
    passToFrontEnd(result, "-charcoal-yields=" + charcoal.yields);
  if (charcoal.remarks) {
    passToFrontEnd(result, "-charcoal-remarks");
    result.push_back("-Rpass=^charcoal$"); // makes clang keep places without -g
  }
  // Functions that --wrap names are not bound before the link, and optimization at link time finds the versions by
  // itself.
  if (request.optimizesAtLink || !request.wrapped.empty())
    passToFrontEnd(result, "-charcoal-ask-for-versions");
  if (!charcoal.dump.empty())
    passToFrontEnd(result, "-charcoal-dump=" + charcoal.dump);
  for (const std::string &warning : charcoal.warnings)
    append(result, {"-Xclang", "-plugin-arg-charcoal", "-Xclang", warning});
  if (charcoal.checks.value_or(!request.optimizes))
    passToFrontEnd(result, "-charcoal-checks");
  if (charcoal.atomicity) {
    passToFrontEnd(result, "-charcoal-atomicity");
    result.push_back("-gline-tables-only"); // reports name places; a -g of the user's own comes later and wins
  }
  if (charcoal.printPipeline)
    passToFrontEnd(result, "-charcoal-print-pipeline");
  // An executable addresses ch_tls directly; a shared object has to look it up.
  if (request.shared && !request.positionChosen)
    result.push_back("-fPIC");
  if (!request.sectionsChosen)
    append(result, {"-ffunction-sections", "-fdata-sections"}); // each version goes with its description
  result.push_back("--end-no-unused-arguments");
  return result;
}

// In a static program these options link the C library's definitions of the functions that the runtime interposes
// (runtime/frames/interposed.h).
Arguments optionsForCLibrary() {
  Arguments result;
  for (const char *name : {"pthread_mutex_trylock", "pthread_mutex_clocklock", "pthread_mutex_unlock",
                           "pthread_rwlock_tryrdlock", "pthread_rwlock_trywrlock", "pthread_rwlock_clockrdlock",
                           "pthread_rwlock_clockwrlock", "pthread_cond_wait", "pthread_once", "sem_clockwait"})
    result.push_back(std::string("-Wl,-u,___") + name);
  for (const char *name :
       {"_pthread_join", "_pthread_timedjoin_np", "_pthread_clockjoin_np", "pthread_exit", "thrd_join", "mq_receive",
        "mq_timedreceive", "mq_send", "mq_timedsend", "sigwait", "sigwaitinfo", "sigtimedwait", "new_sem_wait"})
    result.push_back(std::string("-Wl,-u,__") + name);
  return result;
}

bool isLld(const Request &request) { return request.linker.find("lld") != std::string::npos; }

// Where the runtime for the program's processor lies; for another processor than this one scripts/build-for makes it.
fs::path runtimeFolder(const Request &request, const fs::path &tree) {
  const std::string processor = request.processor();
  return processor.empty() || processor == CHARCOAL_PROCESSOR ? tree / "lib" : tree / "lib" / processor;
}

Arguments linkArguments(const Request &request, const fs::path &runtime) {
  Arguments result = {"--start-no-unused-arguments"};
  const bool lld = isLld(request);
  // main passes the address of its interruptible version, so such code is never independent of its position, as clang's
  // happens to be if the program takes no address.
  if (request.isAbsolute && !request.pieChosen && !request.shared && !request.relocatable)
    result.push_back("-no-pie");
  if (!request.sectionsChosen)
    result.push_back("-Wl,--gc-sections");
  if (!request.sectionsChosen && lld)
    result.push_back("-Wl,-z,nostart-stop-gc"); // as other linkers do: a section to which __start_X refers stays
  // --wrap=X concerns the interruptible version of X, too. lld does not wrap weak references, so with lld X gets no
  // interruptible version. For what another compiler has made of X nobody has one, so that with either linker the calls
  // find none.
  const std::string replacements = (runtime / "charcoal.replacements").string();
  for (const Arguments &symbols : {request.wrapped, foreignFunctionsOf(request, replacements)})
    for (const std::string &symbol : symbols)
      for (const char *suffix : {".int", ".variadic.int"})
        result.push_back(lld ? "-Wl,--defsym=" + symbol + suffix + "=0" : "-Wl,--wrap=" + symbol + suffix);
  append(result, optionsForWrapped(request));
  if (!request.noLibraries && request.shared) {
    append(result, {"-Wl,--push-state,--as-needed", "-Xlinker", (runtime / "libcharcoal.so").string(),
                    "-Wl,--pop-state", "-Xlinker", "-rpath", "-Xlinker", runtime.string()});
  } else if (!request.noLibraries) {
    append(result, {"-Wl,--whole-archive", "-Xlinker", (runtime / "libcharcoal.a").string(), "-Wl,--no-whole-archive"});
    if (request.threadSanitizer) // its weak functions of these names come before the runtime's, which are weak, too
      for (const char *name : {"pthread_cond_signal", "pthread_cond_broadcast", "cnd_signal", "cnd_broadcast"})
        result.push_back(std::string("-Wl,--defsym=") + name + "=ch_in_front_of_" + name);
    if (request.isStatic) {
      append(result, optionsForCLibrary());
    } else { // shared objects find the one runtime in the executable, and the replacements of C library calls
      result.push_back("-Wl,--export-dynamic-symbol=ch_*");
      if (fs::exists(replacements))
        append(result, {"-Wl,--dynamic-list", "-Xlinker", replacements});
    }
  } else if (!request.shared) {
    append(result, {"-Xlinker", (runtime / "charcoal.plain.a").string()});
  }
  result.push_back("--end-no-unused-arguments");
  return result;
}

std::string quoted(const Arguments &arguments) {
  std::string result;
  for (const std::string &argument : arguments) {
    result += '"';
    for (char c : argument) {
      if (c == '"' || c == '\\')
        result += '\\';
      result += c;
    }
    result += "\"\n";
  }
  return result;
}

fs::path ownTree() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  return self.parent_path().parent_path();
}

bool complain(const fs::path &missing) {
  std::fprintf(stderr,
               "charcoal-cc: error: '%s' is missing; build or install Charcoal again, or compile with -fno-charcoal\n",
               missing.c_str());
  return false;
}

// Reports options that work only together with -fno-charcoal. Returns false if there is one.
bool isPossible(const Request &request) {
  if (request.emulatesTls && request.hasInput) {
    std::fprintf(stderr,
                 "charcoal-cc: error: '-femulated-tls': the scheduler's state is the thread's own; leave it out, or "
                 "compile with -fno-charcoal\n");
    return false;
  }
  // LLVM puts a probe between a call that must become a jump, such as those at the entries of interruptible versions,
  // and the return after it.
  if (request.pseudoProbes && request.hasInput) {
    std::fprintf(stderr,
                 "charcoal-cc: error: '-fpseudo-probe-for-profiling': interruptible functions cannot have such probes; "
                 "leave it out, or compile with -fno-charcoal\n");
    return false;
  }
  if (request.leavesOutPasses && !request.makesNoCode && request.hasInput) {
    std::fprintf(
        stderr,
        "charcoal-cc: error: '-disable-llvm-passes': without passes no function becomes interruptible; leave it "
        "out, or compile with -fno-charcoal\n");
    return false;
  }
  if (!request.foreignSanitizers.empty() && request.hasInput) {
    std::fprintf(stderr,
                 "charcoal-cc: error: '-fsanitize=%s': the runtime is not made for it; compile with -fno-charcoal\n",
                 request.foreignSanitizers.begin()->c_str());
    return false;
  }
  // lld's link-time optimization takes the address of an X.int that is nowhere defined for a distance, not for null.
  if (!request.wrapped.empty() && request.links() && isLld(request) && request.optimizesAtLink) {
    std::fprintf(stderr,
                 "charcoal-cc: error: '--wrap=%s': lld cannot wrap interruptible calls when it optimizes; link without "
                 "-flto, or compile with -fno-charcoal\n",
                 request.wrapped[0].c_str());
    return false;
  }
  if (request.links())
    if (const std::string renamed = whatIsRenamed(request); !renamed.empty()) {
      std::fprintf(stderr, "charcoal-cc: error: %s\n", renamed.c_str());
      return false;
    }
  return true;
}

bool treeIsComplete(const fs::path &tree, const Request &request) {
  for (const char *file : {"lib/charcoal-syntax.so", "lib/charcoal-plugin.so"})
    if (!fs::exists(tree / file))
      return complain(tree / file);
  const fs::path folder = runtimeFolder(request, tree);
  const fs::path runtime = folder / (request.noLibraries ? "charcoal.plain.a"
                                     : request.shared    ? "libcharcoal.so"
                                                         : "libcharcoal.a");
  const bool needsNone = !request.links() || request.relocatable || (request.noLibraries && request.shared);
  if (needsNone || fs::exists(runtime))
    return true;
  if (folder == tree / "lib")
    return complain(runtime);
  const std::set<std::string> possible = {"x86_64", "aarch64", "riscv64"};
  if (!possible.count(request.processor()))
    return true; // the passes refuse to compile for it
  std::fprintf(stderr,
               "charcoal-cc: error: target '%s': the runtime for it, '%s', is missing; make it with `make runtime "
               "TARGET=%s` where Charcoal was built, or compile with -fno-charcoal\n",
               request.target.c_str(), runtime.c_str(), request.target.c_str());
  return false;
}

} // namespace

int main(int argc, char **argv) {
  const char *named = std::getenv("CHARCOAL_CLANG");
  const std::string clang = named && *named ? named : CHARCOAL_CLANG_DEFAULT;
  Arguments given(argv + 1, argv + argc);
  // A command as -### prints them: it has all that it needs. This option has to be the first.
  if (!given.empty() && given[0].compare(0, 4, "-cc1") == 0) {
    given.insert(given.begin(), clang);
    return become(given);
  }
  if (argc > 0 && fs::path(argv[0]).filename() == "charcoal-c++")
    given.insert(given.begin(), "--driver-mode=g++");
  Arguments arguments = expandResponseFiles(given);
  const size_t expanded = arguments.size();
  std::optional<CharcoalOptions> charcoal = takeCharcoalOptions(arguments);
  if (!charcoal)
    return 1;
  const bool hadResponseFile = expandResponseFiles(given) != given;
  if (charcoal->printPipeline)
    append(arguments, {"-x", "c", "-c", "/dev/null", "-o", "/dev/null"});
  const Request request = readRequest(arguments);
  // Long lists go back into a file: the system limits a command line, not a file.
  const bool longList = hadResponseFile && expanded > 1000;

  Arguments command = {clang};
  const fs::path tree = ownTree();
  if (!charcoal->enabled) { // a sequential program still finds the header, which removes the dialect
    append(command,
           {"--start-no-unused-arguments", "-isystem", (tree / "include").string(), "--end-no-unused-arguments"});
  } else {
    if (!treeIsComplete(tree, request) || !isPossible(request))
      return 1;
    append(command, compileArguments(*charcoal, request, tree));
    if (request.links() && !request.relocatable) {
      // Before `--`, after which everything is a file.
      Arguments::iterator end = arguments.begin();
      while (end != arguments.end() && *end != "--")
        ++end;
      const Arguments link = linkArguments(request, runtimeFolder(request, tree));
      arguments.insert(end, link.begin(), link.end());
    }
  }
  const bool leavesTemporaries = request.links() || request.externalAssembler;
  if (!longList)
    append(command, arguments);
  if (!longList && (!leavesTemporaries || request.printsCommands))
    return become(command);
  return runGuarded(command, request.output.empty() ? "a.out" : request.output, longList ? quoted(arguments) : "");
}
