// See inputs.h.
#include "inputs.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace charcoal::driver {

namespace fs = std::filesystem;

static bool isFile(const std::string &path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// The folders in which linkers look after those of -L.
static std::vector<std::string> usualFolders() {
  std::vector<std::string> result;
  const char *given = std::getenv("LIBRARY_PATH");
  const std::string text = given ? given : "";
  for (size_t from = 0; from < text.size();) {
    const size_t colon = std::min(text.find(':', from), text.size());
    if (colon > from)
      result.push_back(text.substr(from, colon - from));
    from = colon + 1;
  }
  for (const char *base : {"/usr/local/lib", "/usr/lib", "/lib"})
    result.push_back(base);
  return result;
}

bool compilesFirst(const Request &request) {
  static const char *const sources[] = {".c", ".i", ".s", ".S", ".cc", ".cpp", ".cxx", ".C", ".bc", ".ll"};
  return std::any_of(request.files.begin(), request.files.end(), [](const std::string &file) {
    const std::string suffix = fs::path(file).extension();
    return file == "-" ||
           std::any_of(std::begin(sources), std::end(sources), [&](const char *s) { return suffix == s; });
  });
}

std::vector<std::string> linkedFiles(const Request &request) {
  std::vector<std::string> files = request.files, folders = request.libraryFolders, libraries = request.libraries;
  // The words of -Wl, and -Xlinker: each may be a file, or an -L or -l.
  for (size_t i = 0; i < request.linkerWords.size(); ++i) {
    const std::string &word = request.linkerWords[i];
    const std::string option = word.substr(0, 2);
    const bool takesNext = word.size() == 2 && i + 1 < request.linkerWords.size();
    if (option == "-L" || option == "-l")
      (option == "-L" ? folders : libraries).push_back(takesNext ? request.linkerWords[++i] : word.substr(2));
    else if (!word.empty() && word[0] != '-')
      files.push_back(word);
  }
  for (const std::string &folder : usualFolders())
    folders.push_back(folder);
  for (const std::string &library : libraries)
    for (const std::string &folder : folders) {
      const std::string name = library[0] == ':' ? library.substr(1) : "lib" + library + ".a";
      if (isFile(folder + "/" + name)) {
        files.push_back(folder + "/" + name);
        break;
      }
    }
  files.erase(std::remove_if(files.begin(), files.end(), [](const std::string &file) { return !isFile(file); }),
              files.end());
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

} // namespace charcoal::driver
