/* Notes of the checks: objects that are found by either of two keys, however many there are.
 *
 * A note is the first member of whatever is noted, in memory of the caller's own. A table belongs to one thread. It is
 * known by a pointer, which is NULL while there are no notes. Invariant: there are at least as many chains for each key
 * as notes, if there was memory for them.
 */
#ifndef CHARCOAL_FRAMES_NOTES_H
#define CHARCOAL_FRAMES_NOTES_H

#include "frames/attributes.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CH_NOTE_KEYS = 2 };

struct ch_note {
  struct ch_note *next[CH_NOTE_KEYS], **at[CH_NOTE_KEYS]; /* in its chains; `at`: what leads to it there */
  uintptr_t key[CH_NOTE_KEYS];
};

struct ch_notes;

/* Adds a note, whose keys are set. False: there is no memory, and it has not been added. */
CH_HIDDEN bool ch_notes_add(struct ch_notes **, struct ch_note *);
CH_HIDDEN void ch_notes_take_out(struct ch_notes **, struct ch_note *);
/* A note with this key, and the next one. NULL: there is none. */
CH_HIDDEN struct ch_note *ch_notes_first(const struct ch_notes *, unsigned which, uintptr_t key);
CH_HIDDEN struct ch_note *ch_notes_after(const struct ch_note *, unsigned which);
CH_HIDDEN size_t ch_notes_count(const struct ch_notes *);
/* Calls visit(note, data) for each note. It may not add or take out any. */
CH_HIDDEN void ch_notes_visit(const struct ch_notes *, void (*visit)(struct ch_note *, void *), void *data);

#endif
