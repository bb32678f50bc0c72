/* Hash tables with chains, one for each key. See notes.h. */
#include "frames/notes.h"
#include <stdlib.h>

struct ch_notes {
  size_t n_chains, n;       /* of each key; n_chains is a power of two */
  struct ch_note *chains[]; /* those of the first key, and then those of the second */
};

static struct ch_note **chain_of(struct ch_notes *t, unsigned which, uintptr_t key) {
  uint64_t hash = (uint64_t)key * 0x9e3779b97f4a7c15;
  return &t->chains[which * t->n_chains + ((hash >> 32) & (t->n_chains - 1))];
}

static void put(struct ch_notes *t, struct ch_note *n) {
  for (unsigned which = 0; which < CH_NOTE_KEYS; which++) {
    n->at[which] = chain_of(t, which, n->key[which]);
    if ((n->next[which] = *n->at[which]))
      n->next[which]->at[which] = &n->next[which];
    *n->at[which] = n;
  }
  t->n++;
}

/* Without memory the table stays as it is. */
static void make_room(struct ch_notes **at) {
  struct ch_notes *old = *at;
  if (old && old->n < old->n_chains)
    return;
  const size_t n_chains = old ? 2 * old->n_chains : 16;
  struct ch_notes *t = calloc(1, sizeof *t + CH_NOTE_KEYS * n_chains * sizeof *t->chains);
  if (!t)
    return;
  t->n_chains = n_chains;
  for (size_t i = 0; old && i < old->n_chains; i++)
    for (struct ch_note *n = old->chains[i], *next; n; n = next) {
      next = n->next[0];
      put(t, n);
    }
  free(old);
  *at = t;
}

bool ch_notes_add(struct ch_notes **at, struct ch_note *n) {
  make_room(at);
  if (!*at)
    return false;
  put(*at, n);
  return true;
}

void ch_notes_take_out(struct ch_notes **at, struct ch_note *n) {
  for (unsigned which = 0; which < CH_NOTE_KEYS; which++)
    if ((*n->at[which] = n->next[which]))
      n->next[which]->at[which] = n->at[which];
  if (--(*at)->n > 0)
    return;
  free(*at);
  *at = NULL;
}

size_t ch_notes_count(const struct ch_notes *t) { return t ? t->n : 0; }

static struct ch_note *with_key(struct ch_note *n, unsigned which, uintptr_t key) {
  while (n && n->key[which] != key)
    n = n->next[which];
  return n;
}
struct ch_note *ch_notes_first(const struct ch_notes *t, unsigned which, uintptr_t key) {
  return t ? with_key(*chain_of((struct ch_notes *)t, which, key), which, key) : NULL;
}
struct ch_note *ch_notes_after(const struct ch_note *n, unsigned which) {
  return with_key(n->next[which], which, n->key[which]);
}

void ch_notes_visit(const struct ch_notes *t, void (*visit)(struct ch_note *, void *), void *data) {
  for (size_t i = 0; t && i < t->n_chains; i++)
    for (struct ch_note *n = t->chains[i]; n; n = n->next[0])
      visit(n, data);
}
