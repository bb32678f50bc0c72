/* The text that a dump has of one activity: its name, what it waits for, and where, with its scopes and branches below.
 * A writer without a descriptor takes only the hash of the text. Then names, addresses, objects and times are left out,
 * so that activities which differ in nothing else have the same hash. */
#ifndef CHARCOAL_REPORT_TEXT_H
#define CHARCOAL_REPORT_TEXT_H

#include "report/about.h"

/* Writes all that there is to say of one branch or scope. A visitor for ch_dump_tree; `data` is the writer. */
CH_HIDDEN void ch_text_part(struct ch_branch *, struct ch_finish *, unsigned depth, void *data);

/* Writes its address and its name. */
CH_HIDDEN void ch_text_name(struct ch_writer *, struct ch_branch *);
/* Writes which object it waits for. */
CH_HIDDEN void ch_text_object(struct ch_writer *, const struct ch_branch *, const struct ch_about *);
/* Write " at" and the place. They write nothing if it is NULL, or not known. */
CH_HIDDEN void ch_text_site(struct ch_writer *, const char *site);
CH_HIDDEN void ch_text_place(struct ch_writer *, const struct ch_spot *);

/* Writes a line about things that are still to come, of which there are `count` from the same place. Only the first few
 * have lines; `data` is the struct ch_text_awaited. */
struct ch_text_awaited {
  struct ch_writer *to;
  unsigned indent, lines;
  uint64_t more; /* how many things have no line of their own */
};
CH_HIDDEN void ch_text_awaited(uint32_t count, const char *site, const char *source, void *data);

#endif
