// The symbol tables of object files and archives, as the linker reads them.
#ifndef CHARCOAL_DRIVER_SYMBOLS_H
#define CHARCOAL_DRIVER_SYMBOLS_H

#include <map>
#include <string>
#include <vector>

namespace charcoal::driver {

// The symbols of one object file that the linker compares by name; local ones are not among them.
struct ObjectSymbols {
  enum Kind { Undefined, Weak, Defined };
  std::string name; // the file's, with that of the archive's member in parentheses
  std::map<std::string, Kind> symbols;

  bool has(const std::string &symbol) const { return symbols.count(symbol) != 0; }
  bool defines(const std::string &symbol) const {
    const auto found = symbols.find(symbol);
    return found != symbols.end() && found->second != Undefined;
  }
};

// The objects in a file that have a symbol whose name begins with `marker`: the file itself, or members of an archive.
// What is not ELF for a 64-bit target is left out.
std::vector<ObjectSymbols> symbolsOf(const std::string &file, const std::string &marker);

} // namespace charcoal::driver

#endif
