// See wrapped.h. The names of symbols stand in object files and archives as plain text that ends with a zero.
#include "wrapped.h"
#include "charcoal_abi.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace charcoal::driver {

using Names = std::set<std::string>;

static void addNames(const std::string &text, const std::string &prefix, Names &names) {
  for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1))
    names.insert(text.substr(at, text.find('\0', at) - at));
}

// The files that the linker reads, as far as the command line says which they are.
static std::vector<std::string> linkedFiles(const Request &request) {
  std::vector<std::string> files = request.files;
  for (const std::string &library : request.libraries)
    for (const std::string &folder : request.libraryFolders) {
      const bool exact = library[0] == ':';
      files.push_back(folder + "/" + (exact ? library.substr(1) : "lib" + library + ".a"));
    }
  files.erase(std::remove_if(files.begin(), files.end(),
                             [](const std::string &file) {
                               std::error_code error;
                               return !std::filesystem::is_regular_file(file, error);
                             }),
              files.end());
  return files;
}

std::vector<std::string> optionsForWrapped(const Request &request) {
  std::vector<std::string> result;
  if (request.wrapped.empty())
    return result;
  Names direct, asking; // by what follows the prefix: the wrapped function and its signature
  for (const std::string &file : linkedFiles(request)) {
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    for (const std::string &symbol : request.wrapped) {
      addNames(text, CH_DIRECT_PREFIX + symbol + ".", direct);
      addNames(text, CH_EXTERNAL_PREFIX + symbol + ".", asking);
    }
  }
  for (const std::string &name : direct) {
    const std::string other = CH_EXTERNAL_PREFIX + name.substr(sizeof CH_DIRECT_PREFIX - 1);
    if (asking.count(other) != 0) // else no other module calls it
      result.push_back("-Wl,--defsym=" + name + "=" + other);
  }
  return result;
}

} // namespace charcoal::driver
