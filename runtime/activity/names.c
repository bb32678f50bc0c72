/* The names of activities, in a table, because most activities have none. Invariant: a branch is in the table exactly
 * while its flag NAMED is set. */
#include "activity/activity.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct ch_name {
  struct ch_name *next;
  struct ch_branch *branch;
  char text[];
};

#define BUCKETS 256
static __thread struct ch_name **buckets; /* NULL until the first name */

void *ch_names_table(void) { return &buckets; }

static struct ch_name **find_in(struct ch_name **table, const struct ch_branch *b) {
  struct ch_name **at = &table[((uintptr_t)b >> 4) % BUCKETS];
  while (*at && (*at)->branch != b)
    at = &(*at)->next;
  return at;
}
static struct ch_name **find(const struct ch_branch *b) { return find_in(buckets, b); }

const char *ch_name_in(struct ch_name **table, const struct ch_branch *b) {
  const struct ch_name *name = table ? *find_in(table, b) : NULL;
  return name ? name->text : NULL;
}

void ch_branch_forget_name(struct ch_branch *b) {
  struct ch_name **at = find(b), *gone = *at;
  CH_INVARIANT(gone, "a branch with the flag NAMED has a name");
  *at = gone->next;
  free(gone);
  b->flags &= (uint8_t)~CH_NAMED;
}

const char *ch_branch_name(struct ch_branch *b) { return b->flags & CH_NAMED ? (*find(b))->text : NULL; }

int ch_set_name(const char *text) {
  if (!ch_is_in_branch())
    return EPERM;
  struct ch_branch *b = ch_activity_of(ch_domain.current);
  size_t n = strlen(text) + 1;
  struct ch_name *new = malloc(sizeof *new + n);
  if (!new)
    return ENOMEM;
  if (!buckets && !(buckets = calloc(BUCKETS, sizeof *buckets))) {
    free(new);
    return ENOMEM;
  }
  if (b->flags & CH_NAMED)
    ch_branch_forget_name(b);
  new->branch = b;
  memcpy(new->text, text, n);
  struct ch_name **at = find(b);
  new->next = NULL;
  *at = new;
  b->flags |= CH_NAMED;
  return 0;
}

void ch_names_end(void) {
  free(buckets);
  buckets = NULL;
}

const char *ch_name(void) { return ch_domain.current ? ch_branch_name(ch_activity_of(ch_domain.current)) : NULL; }
