/* Reads the symbol tables of the program's files. See symbols.h. It opens and reads files in a thread of the program's,
 * perhaps in a signal handler of the runtime's, and must not end that thread if it has been cancelled. */
#define _GNU_SOURCE
#include "report/symbols.h"
#include "frames/runtime_calls.h"
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- /proc/self/maps: "begin-end rwxp offset device inode   path" ---- */

static uintptr_t hex(const char **at) {
  uintptr_t n = 0;
  for (;; ++*at) {
    char c = **at;
    if (c >= '0' && c <= '9')
      n = n * 16 + (uintptr_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      n = n * 16 + (uintptr_t)(c - 'a' + 10);
    else
      return n;
  }
}

/* Whether the line's mapping contains the address; then `place` and the mapping's offset in its file are set. */
static bool is_line_of(const char *line, uintptr_t address, struct ch_place *place, uintptr_t *file_offset) {
  place->begin = hex(&line);
  line += *line == '-';
  place->end = hex(&line);
  if (address < place->begin || address >= place->end)
    return false;
  if (strlen(line) < 7)
    return false;
  line += 6;
  *file_offset = hex(&line);
  const char *path = strchr(line, '/');
  size_t n = path ? strlen(path) : 0;
  if (n >= sizeof place->module)
    n = 0;
  memcpy(place->module, path ? path : "", n);
  place->module[n] = 0;
  return true;
}

static bool find_mapping(uintptr_t address, struct ch_place *place, uintptr_t *file_offset) {
  int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  char line[512], buffer[1024];
  size_t used = 0;
  bool found = false;
  for (ssize_t n; !found && (n = read(fd, buffer, sizeof buffer)) > 0;)
    for (ssize_t i = 0; i < n && !found; i++)
      if (buffer[i] == '\n') {
        line[used] = 0;
        found = is_line_of(line, address, place, file_offset);
        used = 0;
      } else if (used < sizeof line - 1) {
        line[used++] = buffer[i];
      }
  close(fd);
  return found;
}

/* ---- the file ---- */

struct file {
  const char *bytes;
  size_t size;
};

static const void *part(const struct file *f, size_t at, size_t size) {
  return at <= f->size && size <= f->size - at ? f->bytes + at : NULL;
}

/* The address as the file has it. */
static uintptr_t address_in_file(const struct file *f, const ElfW(Ehdr) * head, uintptr_t file_offset) {
  for (unsigned i = 0; i < head->e_phnum; i++) {
    const ElfW(Phdr) *p = part(f, head->e_phoff + i * sizeof *p, sizeof *p);
    if (p && p->p_type == PT_LOAD && file_offset >= p->p_offset && file_offset < p->p_offset + p->p_filesz)
      return file_offset - p->p_offset + p->p_vaddr;
  }
  return file_offset;
}

static void take_suffix(char *text, const char *suffix) {
  const size_t length = strlen(text), end = strlen(suffix);
  if (length > end && strcmp(text + length - end, suffix) == 0)
    text[length - end] = 0;
}

void ch_name_as_written(char *symbol) {
  take_suffix(symbol, ".framed");
  take_suffix(symbol, ".int");
  take_suffix(symbol, ".variadic");
}

static void copy_name(const struct file *f, size_t at, char *to, size_t room) {
  size_t n = 0;
  for (; n < room - 1 && at + n < f->size && f->bytes[at + n]; n++)
    to[n] = f->bytes[at + n];
  to[n] = 0;
  ch_name_as_written(to);
}

static void find_symbol(const struct file *f, const ElfW(Ehdr) * head, unsigned type, struct ch_place *place) {
  for (unsigned i = 0; i < head->e_shnum; i++) {
    const ElfW(Shdr) *s = part(f, head->e_shoff + i * sizeof *s, sizeof *s);
    if (!s || (s->sh_type != SHT_SYMTAB && s->sh_type != SHT_DYNSYM) || s->sh_link >= head->e_shnum)
      continue;
    const ElfW(Shdr) *names = part(f, head->e_shoff + s->sh_link * sizeof *s, sizeof *s);
    const ElfW(Sym) *symbols = part(f, s->sh_offset, s->sh_size);
    if (!names || !symbols)
      continue;
    for (size_t k = 0; k < s->sh_size / sizeof *symbols; k++)
      if (ELF64_ST_TYPE(symbols[k].st_info) == type && symbols[k].st_shndx != SHN_UNDEF &&
          place->offset >= symbols[k].st_value && place->offset < symbols[k].st_value + symbols[k].st_size) {
        copy_name(f, names->sh_offset + symbols[k].st_name, place->function, sizeof place->function);
        return;
      }
  }
}

/* file_offset: of a function's code, whose address is not known yet. */
static void look_into_file(struct ch_place *place, unsigned type, uintptr_t file_offset) {
  int fd = place->module[0] ? open(place->module, O_RDONLY | O_CLOEXEC) : -1;
  struct stat status;
  if (fd < 0)
    return;
  struct file f = {MAP_FAILED, 0};
  if (fstat(fd, &status) == 0 && status.st_size > 0) {
    f.size = (size_t)status.st_size;
    f.bytes = mmap(NULL, f.size, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  close(fd);
  if (f.bytes == MAP_FAILED)
    return;
  const ElfW(Ehdr) *head = part(&f, 0, sizeof *head);
  if (head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_shentsize == sizeof(ElfW(Shdr)) &&
      head->e_phentsize == sizeof(ElfW(Phdr))) {
    if (type == STT_FUNC)
      place->offset = address_in_file(&f, head, file_offset);
    find_symbol(&f, head, type, place);
  }
  munmap((void *)f.bytes, f.size);
}

bool ch_place_of(const void *address, struct ch_place *place) {
  uintptr_t start;
  CH_NO_CANCELLATION;
  *place = (struct ch_place){0};
  if (!find_mapping((uintptr_t)address, place, &start))
    return false;
  start += (uintptr_t)address - place->begin;
  place->offset = start;
  look_into_file(place, STT_FUNC, start);
  return true;
}

/* ---- objects: what is not initialized is in no file, so the mappings do not say whose it is ---- */

struct search {
  uintptr_t address;
  struct ch_place *place;
};

static int look_into_module(struct dl_phdr_info *info, size_t size, void *data) {
  struct search *s = data;
  (void)size;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    const char *file = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    if (p->p_type != PT_LOAD || s->address - (info->dlpi_addr + p->p_vaddr) >= p->p_memsz ||
        strlen(file) >= sizeof s->place->module)
      continue;
    strcpy(s->place->module, file);
    s->place->offset = s->address - info->dlpi_addr;
    look_into_file(s->place, STT_OBJECT, 0);
    return 1;
  }
  return 0;
}

bool ch_object_of(const void *address, struct ch_place *place) {
  CH_NO_CANCELLATION;
  *place = (struct ch_place){0};
  dl_iterate_phdr(look_into_module, &(struct search){(uintptr_t)address, place});
  return place->function[0] != 0;
}
