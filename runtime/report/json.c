/* A dump for programs: one object of JSON for each activity, on a line of its own. */
#include "report/dump.h"
#include "activity/activity.h"
#include "posix/locks/holder.h"
#include "report/symbols.h"
#include "sched/native.h"

extern __typeof__(ch_lock_reported) ch_lock_reported __attribute__((weak)); /* it is on a floor above */

static void put_key(struct ch_writer *w, const char *key) {
  ch_put(w, ",");
  ch_put_json(w, key);
  ch_put(w, ":");
}
static void put_text(struct ch_writer *w, const char *key, const char *text) {
  if (text) {
    put_key(w, key);
    ch_put_json(w, text);
  }
}
static void put_count(struct ch_writer *w, const char *key, uint64_t n) {
  put_key(w, key);
  ch_put_number(w, n);
}
static void put_address(struct ch_writer *w, const char *key, const void *p) {
  put_key(w, key);
  ch_put(w, "\"");
  ch_put_pointer(w, p);
  ch_put(w, "\"");
}

struct awaited {
  struct ch_writer *to;
  bool any;
};
static void put_awaited(uint32_t count, const char *site, const char *source, void *data) {
  struct awaited *a = data;
  ch_put(a->to, a->any ? ",{\"number\":" : "{\"number\":");
  a->any = true;
  ch_put_number(a->to, count);
  put_text(a->to, "made", site);
  put_text(a->to, "source", source);
  ch_put(a->to, "}");
}

static void put_waits(struct ch_writer *w, const struct ch_branch *b) {
  struct ch_about about;
  const char *call = ch_about_call(b);
  put_text(w, "call", call);
  put_key(w, "for");
  ch_put(w, "[");
  for (unsigned n = 0; ch_about_wait(b, n, &about); n++) {
    ch_put(w, n ? ",{\"what\":" : "{\"what\":");
    ch_put_json(w, about.what);
    if (about.fd >= 0)
      put_count(w, "descriptor", (uint64_t)about.fd);
    const void *object = about.object ? about.object : ch_about_semaphore(b);
    object = object ? object : ch_about_activity(b);
    if (object) {
      put_address(w, "object", object);
      struct ch_place place;
      if (ch_object_of(object, &place))
        put_text(w, "symbol", place.function);
    }
    put_text(w, "operation", about.call);
    put_text(w, "site", about.site);
    if (about.awaited) {
      struct awaited awaited = {w, false};
      put_key(w, "outstanding");
      ch_put(w, "[");
      about.awaited(about.clause, put_awaited, &awaited);
      ch_put(w, "]");
    }
    ch_put(w, "}");
  }
  ch_put(w, "]");
  struct ch_lock_report lock;
  struct ch_place place;
  if (!ch_lock_reported || !ch_lock_reported(b, &lock) || !lock.holder)
    return;
  put_address(w, "holder", lock.holder);
  if (lock.taken_at && ch_place_of((const char *)lock.taken_at - 1, &place))
    put_text(w, "taken", place.function);
}

static void put_frame(struct ch_writer *w, bool first, const struct ch_spot *spot) {
  ch_put(w, first ? "{\"function\":" : ",{\"function\":");
  ch_put_json(w, spot->function ? spot->function : "?");
  put_text(w, "file", spot->file);
  if (spot->line)
    put_count(w, "line", spot->line);
}

static void put_frames(struct ch_writer *w, struct ch_branch *b) {
  bool first = true;
  const struct ch_frame *f = b->top;
  put_key(w, "frames");
  ch_put(w, "[");
  if (b->flags & CH_NATIVE && ch_native_is_waiting(b)) {
    void *pcs[CH_NATIVE_FRAMES];
    unsigned n = ch_dump_native(b, pcs);
    for (unsigned i = 0; i < n; i++) {
      struct ch_place place;
      bool known = ch_place_of((char *)pcs[i] - 1, &place);
      put_frame(w, first, &(struct ch_spot){.function = known && place.function[0] ? place.function : NULL});
      if (known) {
        put_text(w, "module", place.module);
        put_count(w, "offset", place.offset);
      }
      ch_put(w, "}");
      first = false;
    }
    f = f->parent;
  } else {
    f = ch_about_top(f);
  }
  struct ch_spot spot;
  for (; f && !ch_is_chain_end(f); f = f->parent)
    for (unsigned n = 0; ch_about_frame(f->info, f->point, n, &spot); n++) {
      put_frame(w, first, &spot);
      ch_put(w, "}");
      first = false;
    }
  ch_put(w, "]");
}

static void put_branch(struct ch_writer *w, struct ch_branch *b) {
  static const char *const states[] = {"", "new", "runnable", "waiting", "waiting"};
  put_text(w, "state", ch_is_running(b) ? "running" : states[b->state]);
  if (b->state == CH_NEW) {
    put_text(w, "spawned", (const char *)b->link.prev);
    return;
  }
  int64_t age = ch_dump_age(b);
  if (age >= 0)
    put_count(w, "ns", (uint64_t)age);
  if (b->state == CH_WAITING || b->state == CH_SELECTING)
    put_waits(w, b);
  if (b->flags & CH_NATIVE)
    ch_put(w, ",\"plain\":true");
  put_frames(w, b);
}

struct below {
  struct ch_writer *w;
  bool any;
};

static void put_part(struct ch_branch *b, struct ch_finish *s, unsigned depth, void *data) {
  struct below *below = data;
  struct ch_writer *w = below->w;
  if (b && depth == 0) {
    put_branch(w, b);
    ch_put(w, ",\"below\":[");
    return;
  }
  ch_put(w, below->any ? ",{\"depth\":" : "{\"depth\":");
  below->any = true;
  ch_put_number(w, depth);
  if (s) {
    put_text(w, "scope", s->barrier ? "noncancellable" : "finish");
    put_text(w, "site", s->site);
    if (s->marked)
      ch_put(w, ",\"cancelled\":true");
  } else {
    put_branch(w, b);
  }
  ch_put(w, "}");
}

static void put_activity(struct ch_branch *b, void *data) {
  struct ch_writer *w = data;
  const char *name = ch_branch_name(b);
  ch_put(w, "{\"activity\":\"");
  ch_put_pointer(w, b);
  ch_put(w, "\"");
  put_text(w, "name", name ? name : b->flags & CH_MAIN ? "main" : NULL);
  if (b->flags & CH_MARKED)
    ch_put(w, ",\"cancelled\":true");
  struct below below = {.w = w};
  ch_dump_tree(b, put_part, &below);
  ch_put(w, "]}\n");
}

void ch_dump_json_of_domain(struct ch_writer *w) { ch_dump_activities(put_activity, w); }
