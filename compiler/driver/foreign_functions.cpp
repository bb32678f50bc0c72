// See foreign_functions.h.
#include "foreign_functions.h"
#include "symbols.h"
#include <fstream>
#include <set>

namespace charcoal::driver {

// Reads lines like `  "read.int";`. Returns the names of the functions.
static std::set<std::string> namesIn(const std::string &path) {
  std::set<std::string> result;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t begin = line.find('"') + 1, end = line.find(".variadic.int\"");
    const size_t length = (end == std::string::npos ? line.find(".int\"") : end) - begin;
    if (begin != 0 && length < line.size())
      result.insert(line.substr(begin, length));
  }
  return result;
}

std::vector<std::string> foreignFunctionsOf(const Request &request, const std::string &replacements) {
  std::set<std::string> found;
  std::vector<ObjectSymbols> objects;
  for (const std::string &file : request.files)
    for (ObjectSymbols &object : symbolsOf(file, ""))
      objects.push_back(std::move(object));
  if (objects.empty())
    return {};
  const std::set<std::string> names = namesIn(replacements);
  std::set<std::string> versions; // which are in some object: then the linker binds the calls
  for (const ObjectSymbols &object : objects) {
    if (object.defines("ch_functions_beneath"))
      return {};
    for (const auto &[symbol, kind] : object.symbols)
      if (kind != ObjectSymbols::Undefined && names.count(symbol) != 0 && !object.defines(symbol + ".int") &&
          !object.defines(symbol + ".variadic.int"))
        found.insert(symbol);
      else if (kind != ObjectSymbols::Undefined)
        versions.insert(symbol);
  }
  std::vector<std::string> result;
  for (const std::string &name : found)
    if (versions.count(name + ".int") == 0 && versions.count(name + ".variadic.int") == 0)
      result.push_back(name);
  return result;
}

} // namespace charcoal::driver
