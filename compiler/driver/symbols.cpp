// See symbols.h.
#include "symbols.h"
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace charcoal::driver {

namespace {

// A file in memory, for as long as this lives.
class Mapping {
public:
  explicit Mapping(const std::string &path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status{};
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
      void *memory = mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
      if (memory != MAP_FAILED)
        bytes = {static_cast<const char *>(memory), size_t(status.st_size)};
    }
    if (fd >= 0)
      close(fd);
  }
  ~Mapping() {
    if (!bytes.empty())
      munmap(const_cast<char *>(bytes.data()), bytes.size());
  }
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;
  std::string_view bytes;
};

// Copies the structure that stands there, because members of archives need not be aligned. Returns false if the file
// ends before its end.
template <typename T> bool readAt(std::string_view bytes, uint64_t at, T &to) {
  if (at > bytes.size() || sizeof(T) > bytes.size() - at)
    return false;
  std::memcpy(&to, bytes.data() + at, sizeof(T));
  return true;
}

std::string_view textAt(std::string_view bytes, uint64_t at) {
  return at < bytes.size() ? bytes.substr(at, bytes.substr(at).find('\0')) : std::string_view();
}

void readObject(std::string_view bytes, const std::string &name, const std::string &marker,
                std::vector<ObjectSymbols> &result) {
  Elf64_Ehdr head;
  if (!readAt(bytes, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_type != ET_REL)
    return;
  Elf64_Shdr section;
  uint64_t count = head.e_shnum;
  if (count == 0 && readAt(bytes, head.e_shoff, section))
    count = section.sh_size; // more than the header has room for
  ObjectSymbols object{name, {}};
  bool isMarked = false;
  for (uint64_t i = 0; i < count && readAt(bytes, head.e_shoff + i * sizeof section, section); ++i) {
    Elf64_Shdr names;
    if (section.sh_type != SHT_SYMTAB || !readAt(bytes, head.e_shoff + section.sh_link * sizeof names, names))
      continue;
    Elf64_Sym symbol;
    for (uint64_t k = section.sh_info; k < section.sh_size / sizeof symbol; ++k) { // local symbols come first
      if (!readAt(bytes, section.sh_offset + k * sizeof symbol, symbol))
        break;
      const std::string_view text = textAt(bytes, names.sh_offset + symbol.st_name);
      isMarked |= text.substr(0, marker.size()) == marker;
      object.symbols[std::string(text)] = symbol.st_shndx == SHN_UNDEF                ? ObjectSymbols::Undefined
                                          : ELF64_ST_BIND(symbol.st_info) == STB_WEAK ? ObjectSymbols::Weak
                                                                                      : ObjectSymbols::Defined;
    }
  }
  if (isMarked)
    result.push_back(std::move(object));
}

// As in <ar.h>: each member has a header of text, 60 bytes long. A thin archive names files that lie elsewhere.
void readArchive(std::string_view bytes, bool isThin, const std::string &file, const std::string &marker,
                 std::vector<ObjectSymbols> &result) {
  constexpr uint64_t HeaderSize = 60;
  std::string_view longNames;
  for (uint64_t at = 8; at + HeaderSize <= bytes.size();) {
    const std::string_view header = bytes.substr(at, HeaderSize);
    const uint64_t size = std::strtoull(std::string(header.substr(48, 10)).c_str(), nullptr, 10);
    std::string name(header.substr(0, header.find_last_not_of(' ', 15) + 1));
    const bool isTable = name == "/" || name == "//" || name == "/SYM64/";
    const bool isInside = !isThin || isTable;
    const std::string_view member =
        isInside && at + HeaderSize < bytes.size() ? bytes.substr(at + HeaderSize, size) : std::string_view();
    at += HeaderSize + (isInside ? size + (size & 1) : 0);
    if (name == "//")
      longNames = member;
    if (isTable)
      continue;
    if (name.size() > 1 && name[0] == '/') {
      const std::string_view rest =
          longNames.substr(std::min<uint64_t>(longNames.size(), std::strtoull(name.c_str() + 1, nullptr, 10)));
      name = rest.substr(0, rest.find('\n'));
    }
    if (!name.empty() && name.back() == '/')
      name.pop_back();
    const std::string full = file + "(" + name + ")";
    if (isInside) {
      readObject(member, full, marker, result);
    } else {
      const bool isAbsolute = !name.empty() && name[0] == '/';
      const Mapping other(isAbsolute ? name : file.substr(0, file.rfind('/') + 1) + name);
      readObject(other.bytes, full, marker, result);
    }
  }
}

} // namespace

std::vector<ObjectSymbols> symbolsOf(const std::string &file, const std::string &marker) {
  std::vector<ObjectSymbols> result;
  const Mapping mapping(file);
  const std::string_view magic = mapping.bytes.substr(0, 8);
  if (magic == "!<arch>\n" || magic == "!<thin>\n")
    readArchive(mapping.bytes, magic == "!<thin>\n", file, marker, result);
  else
    readObject(mapping.bytes, file, marker, result);
  return result;
}

} // namespace charcoal::driver
