/* Reads settings from the environment. See settings.h. */
#define _GNU_SOURCE
#include "frames/settings.h"
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char *set(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

void ch_setting_is_ignored(const char *name, const char *value, const char *why) {
  fprintf(stderr, "charcoal: warning: %s='%s' is ignored: %s\n", name, value, why);
}

long ch_setting_number(const char *name, long least, long most, long otherwise) {
  const char *value = set(name);
  char *end, why[80];
  if (!value)
    return otherwise;
  int saved = errno;
  long number = strtol(value, &end, 10); /* what is too large becomes LONG_MAX */
  errno = saved;
  if (!*end && number >= least && number <= most)
    return number;
  snprintf(why, sizeof why, "it takes a number from %ld to %ld", least, most);
  ch_setting_is_ignored(name, value, why);
  return otherwise;
}

int ch_setting_word(const char *name, const char *const words[]) {
  const char *value = set(name);
  char why[80] = "it takes ";
  if (!value)
    return -1;
  for (int i = 0; words[i]; i++) {
    if (strcmp(value, words[i]) == 0)
      return i;
    size_t used = strlen(why);
    snprintf(why + used, sizeof why - used, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
  }
  ch_setting_is_ignored(name, value, why);
  return -1;
}

/* ---- misspelled names ---- */

static const char *const all[] = {"CHARCOAL_ATOMICITY",    "CHARCOAL_CHECK",    "CHARCOAL_DEBUG",  "CHARCOAL_DNS",
                                  "CHARCOAL_DUMP",         "CHARCOAL_EVENTS",   "CHARCOAL_FRAMES", "CHARCOAL_LOOK_US",
                                  "CHARCOAL_REACTOR",      "CHARCOAL_SCHEDULE", "CHARCOAL_STATS",  "CHARCOAL_SLICE_US",
                                  "CHARCOAL_RING_ENTRIES", "CHARCOAL_THREADS",  "CHARCOAL_TRACE"};
enum { ALL = sizeof all / sizeof *all, LONGEST = 32, NEAR = 2 };

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* How many letters have to be added, left out or replaced to make one name of the other. Case counts as nothing. */
static unsigned distance(const char *a, size_t length, const char *b) {
  unsigned row[LONGEST + 1];
  for (unsigned i = 0; i <= length; i++)
    row[i] = i;
  for (unsigned j = 1; b[j - 1]; j++) {
    unsigned diagonal = row[0];
    row[0] = j;
    for (unsigned i = 1; i <= length; i++) {
      const unsigned replaced = diagonal + (toupper((unsigned char)a[i - 1]) != b[j - 1]);
      diagonal = row[i];
      row[i] = least(replaced, least(row[i], row[i - 1]) + 1);
    }
  }
  return row[length];
}

/* The unit of a time is easily forgotten. */
static bool lacks_unit(const char *name, size_t length, const char *setting) {
  return strncasecmp(name, setting, length) == 0 && strcmp(setting + length, "_US") == 0;
}

/* The setting that was meant by the name; NULL: it is one, or is far from all. */
static const char *meant(const char *name, size_t length) {
  const char *found = NULL;
  unsigned nearest = NEAR + 1;
  for (unsigned i = 0; i < ALL; i++) {
    if (strncmp(name, all[i], length) == 0 && !all[i][length])
      return NULL;
    const unsigned is = lacks_unit(name, length, all[i]) ? 1 : distance(name, length, all[i]);
    if (is < nearest) {
      nearest = is;
      found = all[i];
    }
  }
  return found;
}

void ch_settings_misspelled(void) {
  for (char **entry = environ; environ && *entry; entry++) {
    const size_t length = strcspn(*entry, "=");
    if (length > LONGEST || strncasecmp(*entry, "char", 4) != 0 || !(*entry)[length] || !(*entry)[length + 1])
      continue;
    const char *setting = meant(*entry, length);
    if (setting)
      fprintf(stderr, "charcoal: warning: %.*s is ignored: it is no setting; did you mean %s?\n", (int)length, *entry,
              setting);
  }
}
