/* Reads the settings in CHARCOAL_ATOMICITY: words with a colon or a space between them (docs/guide/tools.md). */
#define _GNU_SOURCE
#include "atomicity/watcher.h"
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_KINDS (1u << CH_LOST_UPDATE | 1u << CH_STALE_CHECK | 1u << CH_OVERWRITTEN | 1u << CH_HALF_WRITTEN)
#define ALL_KINDS ((1u << CH_FINDINGS) - 1)

struct ch_atomicity_settings ch_atomicity_settings = {
    .kinds = DEFAULT_KINDS, .window = 2, .reports = 50, .exit_code = 66, .memory = (size_t)1 << 30};

static _Noreturn void wrong(const char *word, const char *why) {
  fprintf(
      stderr,
      "charcoal: in CHARCOAL_ATOMICITY '%s' %s; write off, kinds=LIST, window=PAUSES, reports=COUNT, "
      "exitcode=STATUS, memory=MIB, log=PATH or suppressions=FILE, with ':' between them; LIST is all, or some of "
      "lost-update, stale-check, overwritten, overwritten-elsewhere, unrepeatable-read, dirty-read and half-written, "
      "with ',' between them\n",
      word, why);
  _exit(CH_EXIT_MISUSE);
}

static unsigned long number(const char *word, const char *digits, unsigned long most) {
  char *end;
  errno = 0;
  unsigned long n = strtoul(digits, &end, 10);
  if (*digits < '0' || *digits > '9' || *end || errno || n > most)
    wrong(word, "has no number in its range");
  return n;
}

static unsigned kinds_named(char *names, const char *word) {
  static const char *const all[CH_FINDINGS] = {"lost-update",           "stale-check",       "overwritten",
                                               "overwritten-elsewhere", "unrepeatable-read", "dirty-read",
                                               "half-written"};
  if (strcmp(names, "all") == 0)
    return ALL_KINDS;
  unsigned kinds = 0;
  char *rest;
  for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    unsigned i = 0;
    while (i < CH_FINDINGS && strcmp(name, all[i]) != 0)
      i++;
    if (i == CH_FINDINGS)
      wrong(word, "names a kind that does not exist");
    kinds |= 1u << i;
  }
  return kinds;
}

/* ---- suppressions ---- */

struct suppression {
  struct suppression *next;
  enum { FILES, FUNCTIONS, VARIABLES } of;
  char pattern[];
};
static struct suppression *suppressions;

static void add_suppression(char *line, const char *path, unsigned number) {
  static const char *const words[] = {"file:", "function:", "variable:"};
  line[strcspn(line, "\r\n")] = 0;
  line += strspn(line, " \t");
  if (!*line || *line == '#')
    return;
  for (unsigned i = 0; i < 3; i++)
    if (strncmp(line, words[i], strlen(words[i])) == 0) {
      const char *pattern = line + strlen(words[i]);
      struct suppression *s = malloc(sizeof *s + strlen(pattern) + 1);
      if (!s)
        abort();
      s->next = suppressions;
      s->of = (__typeof__(s->of))i;
      strcpy(s->pattern, pattern);
      suppressions = s;
      return;
    }
  fprintf(stderr,
          "charcoal: '%3$s' at %1$s:%2$u is no suppression; write file:PATTERN, function:PATTERN or variable:PATTERN, "
          "or begin the line with '#'\n",
          path, number, line);
  _exit(CH_EXIT_MISUSE);
}

static void read_suppressions(const char *path) {
  FILE *file = fopen(path, "re");
  if (!file) {
    fprintf(stderr, "charcoal: the file '%s', suppressions of CHARCOAL_ATOMICITY, cannot be read: %s\n", path,
            strerror(errno));
    _exit(CH_EXIT_MISUSE);
  }
  char *line = NULL;
  size_t room = 0;
  for (unsigned number = 1; getline(&line, &room, file) >= 0; number++)
    add_suppression(line, path, number);
  free(line);
  fclose(file);
}

static bool matches(const struct suppression *s, const struct ch_access_place *p) {
  const char *text = s->of == FILES ? p->file : s->of == FUNCTIONS ? p->function : p->variable;
  if (text && fnmatch(s->pattern, text, 0) == 0)
    return true;
  const char *name = s->of == FILES && text ? strrchr(text, '/') : NULL; /* the file's name without its folder */
  return name && fnmatch(s->pattern, name + 1, 0) == 0;
}

bool ch_is_suppressed(const struct ch_access_place *place) {
  for (const struct suppression *s = suppressions; s; s = s->next)
    for (const struct ch_access_place *p = place; p; p = p->inside)
      if (matches(s, p))
        return true;
  return false;
}

/* ---- all of them ---- */

static void set(char *word) {
  struct ch_atomicity_settings *to = &ch_atomicity_settings;
  char whole[256];
  snprintf(whole, sizeof whole, "%s", word);
  if (strcmp(word, "off") == 0) {
    to->off = true;
    return;
  }
  char *value = strchr(word, '=');
  if (!value)
    wrong(whole, "is not known");
  *value++ = 0;
  if (strcmp(word, "kinds") == 0)
    to->kinds = kinds_named(value, whole);
  else if (strcmp(word, "window") == 0)
    to->window = (unsigned)number(whole, value, 1u << 30);
  else if (strcmp(word, "reports") == 0)
    to->reports = (unsigned)number(whole, value, 1u << 30);
  else if (strcmp(word, "exitcode") == 0)
    to->exit_code = (int)number(whole, value, 255);
  else if (strcmp(word, "memory") == 0)
    to->memory = number(whole, value, 1ul << 40) << 20;
  else if (strcmp(word, "log") == 0)
    to->log = strdup(value);
  else if (strcmp(word, "suppressions") == 0)
    read_suppressions(value);
  else
    wrong(whole, "is not known");
}

void ch_atomicity_read_settings(void) {
  const char *text = getenv("CHARCOAL_ATOMICITY");
  char *words = text ? strdup(text) : NULL, *rest;
  if (!words)
    return;
  for (char *word = strtok_r(words, ": ", &rest); word; word = strtok_r(NULL, ": ", &rest))
    set(word);
  free(words);
}
