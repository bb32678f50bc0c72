// See request.h.
#include "request.h"
#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

namespace charcoal::driver {

static bool startsWith(const std::string &text, const std::string &prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

static bool endsWith(const std::string &text, const std::string &suffix) {
  return text.size() >= suffix.size() && text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

// Options of clang whose value is the next argument.
static bool takesNext(const std::string &argument) {
  static const std::set<std::string> options = {"-o",
                                                "-x",
                                                "-I",
                                                "-L",
                                                "-D",
                                                "-U",
                                                "-F",
                                                "-B",
                                                "-T",
                                                "-u",
                                                "-z",
                                                "-e",
                                                "-A",
                                                "-G",
                                                "-y",
                                                "-l",
                                                "-MF",
                                                "-MT",
                                                "-MQ",
                                                "-MJ",
                                                "-include",
                                                "-include-pch",
                                                "-imacros",
                                                "-isystem",
                                                "-iquote",
                                                "-idirafter",
                                                "-iprefix",
                                                "-iwithprefix",
                                                "-iwithprefixbefore",
                                                "-isysroot",
                                                "-iframework",
                                                "-ivfsoverlay",
                                                "-isystem-after",
                                                "-cxx-isystem",
                                                "-Xclang",
                                                "-Xlinker",
                                                "-Xassembler",
                                                "-Xpreprocessor",
                                                "-Xanalyzer",
                                                "-mllvm",
                                                "-mthread-model",
                                                "-target",
                                                "-arch",
                                                "-gcc-toolchain",
                                                "-rpath",
                                                "-Tbss",
                                                "-Tdata",
                                                "-Ttext",
                                                "--param",
                                                "--sysroot",
                                                "--config",
                                                "--serialize-diagnostics",
                                                "-serialize-diagnostics",
                                                "-dumpdir",
                                                "-working-directory",
                                                "--include-directory",
                                                "--define-macro",
                                                "--output",
                                                "--language",
                                                "--library-directory",
                                                "--undefine-macro",
                                                "-Xopenmp-target",
                                                "-Xarch_host",
                                                "-Xarch_device",
                                                "-framework",
                                                "-install_name",
                                                "-exported_symbols_list",
                                                "--for-linker",
                                                "--for-assembler",
                                                "--prefix"};
  return options.count(argument) != 0;
}

static bool stopsBeforeLink(const std::string &argument) {
  static const std::set<std::string> options = {"-c",
                                                "-S",
                                                "-E",
                                                "-M",
                                                "-MM",
                                                "-fsyntax-only",
                                                "--compile",
                                                "--assemble",
                                                "--preprocess",
                                                "--analyze",
                                                "--precompile",
                                                "-emit-ast",
                                                "--analyzer-no-default-checks",
                                                "-verify-pch",
                                                "-module-file-info",
                                                "-extract-api",
                                                "--dependencies",
                                                "--user-dependencies",
                                                "-emit-interface-stubs",
                                                "-fdriver-only",
                                                "-rewrite-objc"};
  return options.count(argument) != 0 || startsWith(argument, "--print-supported") || argument == "--supported-cpus";
}

static bool isAboutPosition(const std::string &argument) {
  static const std::set<std::string> options = {"-fpic",    "-fPIC",    "-fpie",    "-fPIE",
                                                "-fno-pic", "-fno-PIC", "-fno-pie", "-fno-PIE"};
  return options.count(argument) != 0;
}

static bool isHeader(const std::string &file, const std::string &language) {
  if (!language.empty() && language != "none")
    return endsWith(language, "-header");
  for (const char *suffix : {".h", ".hh", ".H", ".hp", ".hpp", ".hxx", ".h++"})
    if (endsWith(file, suffix))
      return true;
  return false;
}

// Appends the words of a -Wl, argument, without its commas.
static void splitAtCommas(const std::string &text, std::vector<std::string> &words) {
  for (size_t from = 0; from <= text.size();) {
    size_t comma = std::min(text.find(',', from), text.size());
    words.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
}

// The symbols of --wrap=X, --wrap X and the same with one dash.
static std::vector<std::string> wrappedSymbols(const std::vector<std::string> &linkerWords) {
  std::vector<std::string> result;
  for (size_t i = 0; i < linkerWords.size(); ++i) {
    const std::string word = startsWith(linkerWords[i], "--") ? linkerWords[i].substr(1) : linkerWords[i];
    if (startsWith(word, "-wrap="))
      result.push_back(word.substr(6));
    else if (word == "-wrap" && i + 1 < linkerWords.size())
      result.push_back(linkerWords[++i]);
  }
  return result;
}

static void readForeignSanitizers(const std::string &argument, std::set<std::string> &found) {
  for (const char *name : {"dataflow", "numerical"}) {
    if (startsWith(argument, "-fsanitize=") && argument.find(name) != std::string::npos)
      found.insert(name);
    else if (argument == std::string("-fno-sanitize=") + name || argument == "-fno-sanitize=all")
      found.erase(name);
  }
}

std::string Request::processor() const {
  const std::string name = target.substr(0, target.find('-'));
  return name == "arm64" ? "aarch64" : name == "amd64" ? "x86_64" : name;
}

Request readRequest(const std::vector<std::string> &arguments) {
  Request request;
  std::string language;   // the last -x
  bool onlyFiles = false; // after `--`
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (onlyFiles || argument == "-" || argument.empty() || argument[0] != '-') {
      request.hasInput = true;
      request.files.push_back(argument);
      request.onlyHeaders &= isHeader(argument, language);
      continue;
    }
    const std::string next = takesNext(argument) && i + 1 < arguments.size() ? arguments[++i] : "";
    if (startsWith(argument, "-Wl,"))
      splitAtCommas(argument.substr(4), request.linkerWords);
    else if (argument == "-Xlinker" || argument == "--for-linker")
      request.linkerWords.push_back(next);
    readForeignSanitizers(argument, request.foreignSanitizers);
    request.makesNoCode |= argument == "-emit-llvm" || argument == "-E" || argument == "-fsyntax-only";
    request.leavesOutPasses |=
        argument == "-Xclang" && (next == "-disable-llvm-passes" || next == "-disable-llvm-optzns");
    if (stopsBeforeLink(argument))
      request.compileOnly = true;
    else if (argument == "--")
      onlyFiles = true;
    else if (argument == "-###")
      request.printsCommands = true;
    else if (argument == "-o" || argument == "--output")
      request.output = next;
    else if (startsWith(argument, "--output="))
      request.output = argument.substr(9);
    else if (startsWith(argument, "-o") && argument.size() > 2 && !startsWith(argument, "-object"))
      request.output = argument.substr(2);
    else if (argument == "-x" || argument == "--language")
      language = next;
    else if (startsWith(argument, "-x"))
      language = argument.substr(2);
    else if (argument == "-shared" || argument == "--shared")
      request.shared = true;
    else if (argument == "-r" || next == "-r" || argument == "-Wl,-r" || next == "--relocatable")
      request.relocatable = true;
    else if (argument == "-static" || argument == "--static" || argument == "-static-pie") {
      request.isStatic = true;
      request.pieChosen |= argument == "-static-pie";
    } else if (argument == "-nostdlib" || argument == "--no-standard-libraries" || argument == "-nostartfiles" ||
               argument == "-nodefaultlibs")
      request.noLibraries = true;
    else if (isAboutPosition(argument)) {
      request.positionChosen = true;
      request.isAbsolute = startsWith(argument, "-fno-");
    } else if (argument == "-pie" || argument == "--pie" || argument == "-no-pie" || argument == "--no-pie" ||
               argument == "-nopie")
      request.pieChosen = true;
    else if (argument == "-femulated-tls" || argument == "-fno-emulated-tls")
      request.emulatesTls = argument == "-femulated-tls";
    else if (argument == "-fpseudo-probe-for-profiling" || argument == "-fno-pseudo-probe-for-profiling")
      request.pseudoProbes = argument == "-fpseudo-probe-for-profiling";
    else if (startsWith(argument, "-fsanitize=") && argument.find("thread") != std::string::npos)
      request.threadSanitizer = true;
    else if (argument == "-fno-sanitize=thread")
      request.threadSanitizer = false;
    else if (argument == "-fno-sanitize=all")
      request.threadSanitizer = false;
    else if (startsWith(argument, "-flto") || argument == "-fno-lto")
      request.optimizesAtLink = argument != "-fno-lto";
    else if (startsWith(argument, "-O"))
      request.optimizes = argument != "-O0";
    else if (argument == "-fno-integrated-as" || startsWith(argument, "-save-temps") ||
             startsWith(argument, "--save-temps"))
      request.externalAssembler = true;
    else if (startsWith(argument, "--target="))
      request.target = argument.substr(9);
    else if (argument == "-target")
      request.target = next;
    else if (startsWith(argument, "-fuse-ld=") || startsWith(argument, "--ld-path="))
      request.linker = argument.substr(argument.find('=') + 1);
    if (argument.find("function-sections") != std::string::npos || argument.find("gc-sections") != std::string::npos ||
        next.find("gc-sections") != std::string::npos ||
        startsWith(argument, "-fembed-bitcode")) // which clang does not take together with -ffunction-sections
      request.sectionsChosen = true;
    const std::string value = argument.size() > 2 ? argument.substr(2) : next;
    if (startsWith(argument, "-L"))
      request.libraryFolders.push_back(value);
    if (startsWith(argument, "-l") && !value.empty()) {
      request.hasInput = true;
      request.onlyHeaders = false;
      request.libraries.push_back(value);
    }
  }
  request.wrapped = wrappedSymbols(request.linkerWords);
  return request;
}

// Splits like a shell without expansions: quotes group, a backslash takes the next character as it is.
static std::vector<std::string> words(const std::string &text) {
  std::vector<std::string> result;
  std::string word;
  bool inWord = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < text.size() && quote != '\'')
      word += text[++i], inWord = true;
    else if (quote && c == quote)
      quote = 0;
    else if (quote)
      word += c;
    else if (c == '"' || c == '\'')
      quote = c, inWord = true;
    else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (inWord)
        result.push_back(word);
      word.clear(), inWord = false;
    } else
      word += c, inWord = true;
  }
  if (inWord)
    result.push_back(word);
  return result;
}

std::vector<std::string> expandResponseFiles(const std::vector<std::string> &arguments, int depth) {
  std::vector<std::string> result;
  for (const std::string &argument : arguments) {
    std::ifstream file;
    if (argument.size() > 1 && argument[0] == '@' && depth < 20)
      file.open(argument.substr(1), std::ios::binary);
    if (!file.is_open()) {
      result.push_back(argument);
      continue;
    }
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (std::string &word : expandResponseFiles(words(text), depth + 1))
      result.push_back(std::move(word));
  }
  return result;
}

} // namespace charcoal::driver
