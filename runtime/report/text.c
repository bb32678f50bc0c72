/* The text that a dump has of one activity. See text.h. */
#include "report/text.h"
#include "activity/activity.h"
#include "posix/locks/holder.h"
#include "report/dump.h"
#include "report/symbols.h"
#include "sched/domain.h"
#include "sched/native.h"
#include <string.h>

extern __typeof__(ch_lock_reported) ch_lock_reported __attribute__((weak)); /* it is on a floor above */

/* ---- what it waits for ---- */

void ch_text_site(struct ch_writer *o, const char *site) {
  if (site) {
    ch_put(o, " at ");
    ch_put(o, site);
  }
}

void ch_text_name(struct ch_writer *o, struct ch_branch *b) {
  ch_put_pointer(o, b);
  const char *name = ch_branch_name(b);
  if (b == ch_domain.host)
    ch_put(o, " of the thread's own code");
  if (name || b->flags & CH_MAIN) {
    ch_put(o, " \"");
    ch_put(o, name ? name : ch_domain.is_program ? "main" : "the thread's first");
    ch_put(o, "\"");
  }
}

/* Which one it is: left out where activities are compared. */
void ch_text_object(struct ch_writer *o, const struct ch_branch *b, const struct ch_about *about) {
  if (o->fd < 0)
    return;
  const void *object = about->object ? about->object : ch_about_semaphore(b);
  struct ch_branch *activity = ch_about_activity(b);
  if (about->fd >= 0) {
    ch_put(o, " ");
    ch_put_number(o, (uint64_t)about->fd);
  } else if (activity) {
    ch_put(o, " ");
    ch_text_name(o, activity);
  } else if (object) {
    struct ch_place place;
    if (ch_object_of(object, &place)) {
      ch_put(o, " ");
      ch_put(o, place.function);
    }
    ch_put(o, " ");
    ch_put_pointer(o, object);
  }
}

static void put_holder_name(struct ch_writer *o, const struct ch_branch *b) {
  if (!ch_heap_malloc && ch_heap_has_freed(b)) {
    ch_put(o, "an activity that has ended");
    return;
  }
  ch_put(o, "activity ");
  if (!ch_heap_malloc && ch_heap_holds(b))
    ch_text_name(o, (struct ch_branch *)(uintptr_t)b);
  else
    ch_put_pointer(o, b);
}

/* Who has the lock that it waits for. */
static void put_holder(struct ch_writer *o, const struct ch_branch *b) {
  struct ch_lock_report lock;
  struct ch_place place;
  if (o->fd < 0 || !ch_lock_reported || !ch_lock_reported(b, &lock) || !lock.holder)
    return;
  ch_put(o, ", which ");
  put_holder_name(o, lock.holder);
  ch_put(o, " has");
  if (lock.taken_at && ch_place_of((const char *)lock.taken_at - 1, &place) && place.function[0]) {
    ch_put(o, ", taken in ");
    ch_put(o, place.function);
  }
}

/* In a sentence; NULL: as ch_about_wait says. */
static const char *const phrases[] = {
    [CH_ON_SEMAPHORE] = "a semaphore",
    [CH_ON_ACTIVITY] = "the end of an activity",
    [CH_ON_FINISH] = "a finish",
    [CH_ON_TURN] = "its turn",
    [CH_ON_CONTAINED] = "its contained activities to finish",
    [CH_ON_OTHERS] = "all other activities to finish",
};

static void put_waited(struct ch_writer *o, const struct ch_branch *b) {
  struct ch_about about;
  const char *call = ch_about_call(b);
  for (unsigned n = 0; ch_about_wait(b, n, &about); n++) {
    ch_put(o, n ? " or " : "waits for ");
    ch_put(o, b->state == CH_WAITING && phrases[b->what] ? phrases[b->what] : about.what);
    ch_text_site(o, about.site);
    ch_text_object(o, b, &about);
    if (about.holder && o->fd >= 0) {
      ch_put(o, ", which ");
      put_holder_name(o, about.holder);
      ch_put(o, " has");
    }
    const char *in = call ? call : about.call;
    if (in && about.fd >= 0) {
      ch_put(o, " (");
      ch_put(o, in);
      ch_put(o, ")");
    } else if (in && about.call) {
      ch_put(o, " ");
      ch_put(o, in);
    }
  }
  put_holder(o, b);
}

#define AWAITED_LINES 8

void ch_text_awaited(uint32_t count, const char *site, const char *source, void *data) {
  struct ch_text_awaited *a = data;
  if (a->lines == AWAITED_LINES) {
    a->more += count;
    return;
  }
  a->lines++;
  ch_put_spaces(a->to, a->indent);
  ch_put(a->to, "outstanding: ");
  ch_put_number(a->to, count);
  ch_put(a->to, " made");
  ch_text_site(a->to, site);
  if (source) {
    ch_put(a->to, ", triggered by: ");
    ch_put(a->to, source);
  }
  ch_put(a->to, "\n");
}

/* What is still to come of the sets for which it waits. */
static void put_awaited(struct ch_writer *o, const struct ch_branch *b, unsigned indent) {
  struct ch_text_awaited awaited = {o, indent, 0, 0};
  struct ch_about about;
  if (b->state != CH_SELECTING)
    return;
  for (unsigned n = 0; ch_about_wait(b, n, &about); n++)
    if (about.awaited)
      about.awaited(about.clause, ch_text_awaited, &awaited);
  if (awaited.more) {
    ch_put_spaces(o, indent);
    ch_put(o, "outstanding: ");
    ch_put_number(o, awaited.more);
    ch_put(o, " more\n");
  }
}

static void put_state(struct ch_writer *o, struct ch_branch *b) {
  switch (b->state) {
  case CH_NEW:
    ch_put(o, "not begun");
    if (b->link.prev) {
      ch_put(o, ", spawned at ");
      ch_put(o, (const char *)b->link.prev);
    }
    break;
  case CH_READY:
    ch_put(o, ch_is_running(b) ? "running" : "runnable");
    break;
  default:
    put_waited(o, b);
  }
  if (b->flags & CH_NATIVE)
    ch_put(o, ", in plain code");
}

/* ---- where ---- */

void ch_text_place(struct ch_writer *o, const struct ch_spot *spot) {
  ch_text_site(o, spot->file);
  if (spot->file && spot->line) {
    ch_put(o, ":");
    ch_put_number(o, spot->line);
  }
}

static void put_spot(struct ch_writer *o, unsigned indent, unsigned number, const struct ch_spot *spot) {
  ch_put_spaces(o, indent);
  ch_put(o, "#");
  ch_put_number(o, number);
  ch_put(o, " ");
  ch_put(o, spot->function ? spot->function : "?");
  ch_text_place(o, spot);
}

static unsigned put_native_frames(struct ch_writer *o, struct ch_branch *b, unsigned indent) {
  void *pcs[CH_NATIVE_FRAMES];
  unsigned n = ch_dump_native(b, pcs);
  for (unsigned i = 0; i < n; i++) {
    struct ch_place place;
    bool known = ch_place_of((char *)pcs[i] - 1, &place);
    put_spot(o, indent, i, &(struct ch_spot){.function = known && place.function[0] ? place.function : NULL});
    if (known) {
      const char *slash = strrchr(place.module, '/');
      ch_put(o, " (");
      ch_put(o, slash ? slash + 1 : place.module);
      ch_put(o, " ");
      ch_put_hex(o, place.offset);
      ch_put(o, ")");
    }
    ch_put(o, "\n");
  }
  return n;
}

static void put_frames(struct ch_writer *o, struct ch_branch *b, unsigned indent) {
  if (b->state == CH_NEW)
    return;
  unsigned number = 0;
  const struct ch_frame *f = b->top;
  if (b->flags & CH_NATIVE && ch_native_is_waiting(b)) {
    number = put_native_frames(o, b, indent);
    f = f->parent;
  } else {
    f = ch_about_top(f);
  }
  struct ch_spot spot;
  for (; f && !ch_is_chain_end(f); f = f->parent)
    for (unsigned n = 0; ch_about_frame(f->info, f->point, n, &spot); n++) {
      put_spot(o, indent, number++, &spot);
      ch_put(o, "\n");
    }
}

static void put_scope(struct ch_writer *o, struct ch_finish *s, unsigned indent) {
  ch_put_spaces(o, indent);
  ch_put(o, s->barrier ? "in noncancellable" : "in finish");
  ch_text_site(o, s->site);
  if (s->marked)
    ch_put(o, ", cancelled");
  ch_put(o, "\n");
}

/* ---- all of it ---- */

void ch_text_part(struct ch_branch *b, struct ch_finish *s, unsigned depth, void *data) {
  struct ch_writer *o = data;
  unsigned indent = 2 + 4 * depth;
  if (s) {
    put_scope(o, s, indent);
  } else {
    if (depth > 0) {
      ch_put_spaces(o, indent);
      ch_put(o, "async: ");
    }
    put_state(o, b);
    if (depth == 0 && b->flags & CH_MARKED)
      ch_put(o, ", cancelled");
    if (depth == 0 && o->fd >= 0) {
      int64_t age = ch_dump_age(b);
      if (age >= 0) {
        ch_put(o, ", for ");
        ch_put_time(o, age);
      }
    }
    ch_put(o, "\n");
    put_awaited(o, b, depth ? indent + 2 : indent);
    put_frames(o, b, depth ? indent + 2 : indent);
  }
}
