// See library.h.
#include "library.h"
#include "suspension_markers.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <dlfcn.h>

using namespace llvm;

namespace charcoal {

// Lines like `  "read.int";`, as the linker takes them.
static StringSet<> readList() {
  StringSet<> names;
  Dl_info self;
  if (!dladdr(reinterpret_cast<void *>(&readList), &self) || !self.dli_fname)
    return names;
  SmallString<256> path(self.dli_fname);
  sys::path::remove_filename(path);
  sys::path::append(path, "charcoal.replacements");
  auto file = MemoryBuffer::getFile(path);
  if (!file)
    return names;
  SmallVector<StringRef, 128> lines;
  (*file)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    StringRef name = line.split('"').second.split('"').first;
    if (!name.consume_back(VersionSuffix))
      continue;
    name.consume_back(VariadicInfix);
    names.insert(name);
  }
  return names;
}

bool libraryReplaces(StringRef name) {
  static const StringSet<> names = readList();
  return names.contains(name);
}

} // namespace charcoal
