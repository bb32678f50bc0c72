// See renamed.h.
#include "renamed.h"
#include "charcoal_abi.h"
#include "inputs.h"
#include "symbols.h"
#include <algorithm>
#include <set>

namespace charcoal::driver {

namespace {

bool startsWith(const std::string &text, const std::string &prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

// Takes the suffix off the text. Returns false if the text does not end with it, or is nothing else.
bool takeSuffix(std::string &text, const std::string &suffix) {
  if (text.size() <= suffix.size() || text.compare(text.size() - suffix.size(), suffix.size(), suffix) != 0)
    return false;
  text.resize(text.size() - suffix.size());
  return true;
}

// The symbols of --defsym: the linker takes the value given for them, whatever defines them.
std::set<std::string> givenValues(const std::vector<std::string> &linkerWords) {
  std::set<std::string> result;
  for (size_t i = 0; i < linkerWords.size(); ++i) {
    const std::string &word = linkerWords[i];
    const size_t dashes = startsWith(word, "--") ? 2 : 1;
    if (!startsWith(word.substr(std::min(dashes, word.size())), "defsym"))
      continue;
    std::string rest = word.substr(dashes + 6);
    if (rest.empty() && i + 1 < linkerWords.size())
      rest = "=" + linkerWords[++i];
    if (rest.size() > 1)
      result.insert(rest.substr(1, rest.find('=', 1) - 1));
  }
  return result;
}

struct Version {
  std::string function;
  std::string symbol; // f.int, or f.variadic.int
};

// The interruptible versions of the object's functions that other files call directly (`kind` Defined), or those that
// the object calls if somebody has them (Undefined).
std::vector<Version> versionsOf(const ObjectSymbols &object, ObjectSymbols::Kind kind) {
  std::vector<Version> result;
  for (const auto &[symbol, is] : object.symbols) {
    std::string function = symbol;
    if (is != kind || !takeSuffix(function, ".int"))
      continue;
    const std::string begin = kind == ObjectSymbols::Defined ? CH_DIRECT_PREFIX : CH_EXTERNAL_PREFIX;
    const std::string prefix = begin + function + ".";
    takeSuffix(function, ".variadic");
    auto at = object.symbols.lower_bound(prefix);
    for (; at != object.symbols.end() && startsWith(at->first, prefix); ++at)
      if (at->second != ObjectSymbols::Undefined && (kind == ObjectSymbols::Undefined || at->second == kind)) {
        result.push_back({function, symbol});
        break;
      }
  }
  return result;
}

std::string message(const std::string &object, const Version &version, const std::string &what) {
  return "'" + object + "': " + what + ", but its interruptible version '" + version.symbol +
         "' was not: calls of one function would reach two; do the same with the symbols '" + version.symbol +
         "' and '" CH_DIRECT_PREFIX + version.function + ".*', or compile the file with -fno-charcoal";
}

// Whether the linker takes the first of several definitions, instead of reporting them.
bool allowsSeveral(const std::vector<std::string> &linkerWords) {
  return std::any_of(linkerWords.begin(), linkerWords.end(), [](const std::string &word) {
    return word == "muldefs" || word == "-zmuldefs" || word.find("-allow-multiple-definition") != std::string::npos;
  });
}

} // namespace

std::string whatIsRenamed(const Request &request) {
  const bool several = allowsSeveral(request.linkerWords);
  std::vector<ObjectSymbols> objects;
  for (const std::string &file : linkedFiles(request))
    for (ObjectSymbols &object : symbolsOf(file, several ? "" : "charcoal."))
      objects.push_back(std::move(object));
  std::set<std::string> called;
  for (const ObjectSymbols &object : objects)
    for (const Version &version : versionsOf(object, ObjectSymbols::Undefined)) {
      if (!object.has(version.function))
        return message(object.name, version, "'" + version.function + "', which it calls, was renamed");
      called.insert(version.function);
    }
  const std::set<std::string> given = givenValues(request.linkerWords);
  const bool anybodyMayCall = compilesFirst(request); // those objects do not exist yet
  for (const ObjectSymbols &object : objects)
    for (const Version &version : versionsOf(object, ObjectSymbols::Defined)) {
      const std::string &function = version.function;
      if (given.count(function) != 0)
        return message(object.name, version, "'" + function + "' was given another value by --defsym");
      if (!object.defines(function) && (anybodyMayCall || called.count(function) != 0))
        return message(object.name, version, "'" + function + "' was renamed or made local");
      for (const ObjectSymbols &other : objects)
        if (several && &other != &object && other.symbols.count(function) != 0 &&
            other.symbols.at(function) == ObjectSymbols::Defined && !other.defines(version.symbol))
          return message(object.name, version, "'" + function + "' is defined once more, in '" + other.name + "'");
    }
  return "";
}

} // namespace charcoal::driver
