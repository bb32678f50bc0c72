/* Finds the function, file and line of an address by asking addr2line. See place.h. */
#define _GNU_SOURCE
#include "report/place.h"
#include "frames/runtime_calls.h"
#include "report/symbols.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern __typeof__(dladdr) dladdr __attribute__((weak));
extern const ElfW(Ehdr) __ehdr_start __attribute__((weak, visibility("hidden")));

/* The file that the address is in, and the address there. The program's own file is named by the process, for whoever
 * started it may have called it by a name that is no path. */
static bool module_of(const void *place, const char **file, uintptr_t *address) {
  static char program[32];
  Dl_info info;
  const ElfW(Ehdr) *header = &__ehdr_start;
  snprintf(program, sizeof program, "/proc/%d/exe", (int)getpid());
  *file = program;
  if (dladdr && dladdr(place, &info) && info.dli_fbase) {
    header = info.dli_fbase;
    if (info.dli_fname && strchr(info.dli_fname, '/'))
      *file = info.dli_fname;
  }
  if (!header)
    return false;
  *address = (uintptr_t)place - 1; /* an address inside the call, because the next one may belong to another line */
  if (header->e_type == ET_DYN)
    *address -= (uintptr_t)header;
  return true;
}

/* What it prints: a line with the function, and one with the file and line. Also called by the handler of a fault, so
 * it takes no memory and no lock. */
static size_t ask(const char *file, uintptr_t address, char *text, size_t room) {
  char number[32];
  char *arguments[] = {"addr2line", "-f", "-s", "-e", (char *)file, number, NULL};
  sigset_t none;
  int ends[2];
  snprintf(number, sizeof number, "0x%lx", (unsigned long)address);
  CH_NO_CANCELLATION;
  if (pipe2(ends, O_CLOEXEC) < 0)
    return 0;
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  sigemptyset(&none);
  pid_t child = vfork();
  if (child == 0) {
    if (ends[1] == 1)
      fcntl(1, F_SETFD, 0); /* the program has no output of its own */
    else
      dup2(ends[1], 1);
    dup2(nowhere, 2);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(arguments[0], arguments);
    _exit(127);
  }
  close(ends[1]);
  if (nowhere >= 0)
    close(nowhere);
  size_t n = 0;
  for (ssize_t r; child > 0 && n + 1 < room && (r = read(ends[0], text + n, room - 1 - n)) > 0;)
    n += (size_t)r;
  close(ends[0]);
  if (child > 0)
    waitpid(child, NULL, 0);
  text[n] = 0;
  return n;
}

bool ch_place_line(const char *file, uintptr_t address, char *text, size_t room) {
  char said[512];
  const char *line = ask(file, address, said, sizeof said) ? strchr(said, '\n') : NULL;
  size_t n = line ? strcspn(++line, " \n") : 0;
  if (n == 0 || n >= room || *line == '?')
    return false;
  memcpy(text, line, n);
  text[n] = 0;
  return text[n - 1] != '?' && !(n > 1 && text[n - 1] == '0' && text[n - 2] == ':');
}

bool ch_place_text(const void *place, char *text, size_t room) {
  const char *file;
  uintptr_t address;
  char said[512];
  if (!module_of(place, &file, &address) || !ask(file, address, said, sizeof said))
    return false;
  char *function = said, *line = strchr(said, '\n');
  if (!line || *function == '?')
    return false;
  *line++ = 0;
  line[strcspn(line, " \n")] = 0;
  ch_name_as_written(function);
  snprintf(text, room, *line && *line != '?' ? "%s at %s" : "%s", function, line);
  return true;
}
