/* Reads settings from the environment. See settings.h. */
#include "frames/settings.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
