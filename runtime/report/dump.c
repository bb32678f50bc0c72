/* ch_dump: the backtrace of every live activity. Writes with write(2) from a small buffer and takes no memory, so that
 * it works in a signal handler and at a deadlock. A free block is told from a live one by its first word alone
 * (frames/allocator.h), which the allocator's users write last when they take a block. */
#define _GNU_SOURCE
#include "activity/activity.h"
#include "frames/large.h"
#include "report/debug.h"
#include "report/report.h"
#include "sched/strangers.h"
#include "wait/wait.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct out {
  int fd;
  size_t used;
  char text[512];
};

static void flush(struct out *o) {
  for (size_t at = 0; at < o->used;) {
    ssize_t n = write(o->fd, o->text + at, o->used - at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    at += (size_t)n;
  }
  o->used = 0;
}
static void put(struct out *o, const char *s) {
  for (; *s; s++) {
    if (o->used == sizeof o->text)
      flush(o);
    o->text[o->used++] = *s;
  }
}
static void put_number(struct out *o, uint64_t n, unsigned base) {
  char digits[24], *at = digits + sizeof digits;
  *--at = 0;
  do
    *--at = "0123456789abcdef"[n % base];
  while (n /= base);
  if (base == 16)
    put(o, "0x");
  put(o, at);
}
static void put_pointer(struct out *o, const void *p) { put_number(o, (uintptr_t)p, 16); }

/* ---- what it waits for ---- */

static const char *const waits[] = {"waits for a semaphore", "waits for an activity to finish", "waits for a finish",
                                    "waits for its turn", "waits for its contained activities to finish"};

static void put_site(struct out *o, const char *site) {
  if (site) {
    put(o, " at ");
    put(o, site);
  }
}

static void put_waited(struct out *o, struct ch_branch *b) {
  if (b->state == CH_WAITING) {
    put(o, waits[b->what]);
    if (b->what == CH_ON_FINISH)
      put_site(o, ((struct ch_finish *)b->link.next)->site);
    return;
  }
  struct ch_clause *all = (struct ch_clause *)b->link.prev;
  put(o, "waits for ");
  for (unsigned i = 0; i < all->count; i++) {
    if (i)
      put(o, " or ");
    put(o, all[i].type->what);
    if (strcmp(all[i].type->what, "descriptor") == 0) {
      put(o, " ");
      put_number(o, (uintptr_t)all[i].object, 10);
    } else if (all[i].object) {
      put(o, " ");
      put_pointer(o, all[i].object);
    }
  }
}

static void put_state(struct out *o, struct ch_branch *b) {
  switch (b->state) {
  case CH_NEW:
    put(o, "not begun");
    if (b->link.prev) {
      put(o, ", spawned at ");
      put(o, (const char *)b->link.prev);
    }
    break;
  case CH_READY:
    put(o, "runnable");
    break;
  case CH_RUNNING:
    put(o, "running");
    break;
  default:
    put_waited(o, b);
  }
  if (b->flags & CH_NATIVE)
    put(o, ", in plain code");
}

static void put_indent(struct out *o, unsigned columns) {
  while (columns-- > 0)
    put(o, " ");
}

static void put_frames(struct out *o, struct ch_branch *b, unsigned indent) {
  if (b->state == CH_NEW)
    return;
  unsigned number = 0;
  for (struct ch_frame *f = b->top; f && !ch_is_chain_end(f); f = f->parent) {
    const struct ch_frame_info *info = f->info;
    put_indent(o, indent);
    put(o, "#");
    put_number(o, number++, 10);
    put(o, " ");
    put(o, info->name ? info->name : info->flags & CH_FRAME_ENTRY ? "a call that has not begun" : "?");
    if (info->file) {
      put(o, " at ");
      put(o, info->file);
      if (info->lines && f->point >= 1 && f->point <= info->points) {
        put(o, ":");
        put_number(o, info->lines[f->point - 1], 10);
      }
    }
    put(o, "\n");
  }
}

/* ---- activities, their scopes and their branches ---- */

static void put_scope(struct out *o, struct ch_finish *s, unsigned indent) {
  put_indent(o, indent);
  put(o, s->barrier ? "in noncancellable" : "in finish");
  put_site(o, s->site);
  if (s->marked)
    put(o, ", cancelled");
  put(o, "\n");
}

static void put_branch(struct out *o, struct ch_branch *b, unsigned indent) {
  put_indent(o, indent);
  put(o, "async: ");
  put_state(o, b);
  put(o, "\n");
  put_frames(o, b, indent + 2);
}

/* The tree below an activity, without recursion, for it may be deep: under each branch its own scopes, innermost first;
 * under each scope the branches that were started in it. */
static void put_scopes(struct out *o, struct ch_branch *first) {
  struct ch_branch *b = first;
  struct ch_finish *s = b->scope;
  unsigned indent = 2;
  for (;;) {
    struct ch_finish *home = b == first ? NULL : ch_async_of(b)->home;
    if (s != home) {
      put_scope(o, s, indent);
      if (ch_list_empty(&s->branches)) {
        s = s->outer;
        continue;
      }
      b = &ch_async_at(s->branches.next)->branch;
      indent += 4;
    } else if (b == first) {
      return;
    } else if (ch_async_of(b)->siblings.next != &home->branches) {
      b = &ch_async_at(ch_async_of(b)->siblings.next)->branch;
    } else {
      b = home->owner;
      s = home->outer;
      indent -= 4;
      continue;
    }
    put_branch(o, b, indent);
    s = b->scope;
  }
}

static void put_activity(struct out *o, struct ch_branch *b) {
  put(o, "activity ");
  put_pointer(o, b);
  const char *name = ch_branch_name(b);
  if (name || b->flags & CH_MAIN) {
    put(o, " \"");
    put(o, name ? name : "main");
    put(o, "\"");
  }
  put(o, ": ");
  put_state(o, b);
  if (b->flags & CH_MARKED)
    put(o, ", cancelled");
  put(o, "\n");
  put_frames(o, b, 2);
  if (b->scope && b->state != CH_NEW)
    put_scopes(o, b);
  for (struct ch_link *n = ch_domain.strays.next; n && n != &ch_domain.strays; n = n->next)
    if (ch_activity_of(&ch_async_at(n)->branch) == b)
      put_branch(o, &ch_async_at(n)->branch, 6);
}

static void visit_short(void *block, void *out) { put_activity(out, block); }
static void visit_long(void *block, void *out) {
  put_activity(out, (struct ch_branch *)((struct ch_prefix *)block + 1));
}

void ch_dump(int fd) {
  if (!ch_domain.error)
    return;
  int saved = errno;
  struct out o = {.fd = fd};
  put(&o, "charcoal: live activities: ");
  put_number(&o, ch_domain.live, 10);
  put(&o, "\n");
  ch_heap_walk(CH_KIND_ACTIVITY, visit_short, &o);
  ch_heap_walk(CH_KIND_LONG, visit_long, &o);
  flush(&o);
  errno = saved;
}

/* ---- on SIGQUIT ---- */

static __thread struct ch_debug own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ch_debug *next_to_dump;

/* One domain after the other, each on its own thread. */
static void on_signal(int signal) {
  struct ch_debug *turn = __atomic_load_n(&next_to_dump, __ATOMIC_ACQUIRE);
  if (!turn || turn != &own) {
    turn = __atomic_load_n(&ch_debug, __ATOMIC_ACQUIRE);
    __atomic_store_n(&next_to_dump, turn, __ATOMIC_RELEASE);
    if (!turn)
      return;
    if (turn != &own) {
      pthread_kill(turn->thread, signal);
      return;
    }
  }
  ch_dump(2);
  __atomic_store_n(&next_to_dump, own.next, __ATOMIC_RELEASE);
  if (own.next)
    pthread_kill(own.next->thread, signal);
}

static void hook_signal(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  ch_own_handler(on_signal);
  sigaction(SIGQUIT, &action, NULL);
}

/* Only the domain that forked is there. */
static void in_child(void) {
  if (!ch_debug)
    return;
  own.next = NULL;
  own.thread = pthread_self();
  ch_debug = own.domain ? &own : NULL;
  next_to_dump = NULL;
}

void ch_report_start(void) {
  static bool begun;
  const char *checks = getenv("CHARCOAL_CHECK"), *dump = getenv("CHARCOAL_DUMP");
  own = (struct ch_debug){
      NULL, &ch_domain, &ch_tls, ch_heap_arenas(), ch_large_list(), ch_names_table(), pthread_self(),
  };
  pthread_mutex_lock(&lock);
  own.next = ch_debug;
  __atomic_store_n(&ch_debug, &own, __ATOMIC_RELEASE);
  if (!begun && checks && strcmp(checks, "1") == 0)
    ch_checks = 1;
  if (!begun)
    pthread_atfork(NULL, NULL, in_child);
  if (!begun && dump && strcmp(dump, "1") == 0)
    hook_signal();
  begun = true;
  pthread_mutex_unlock(&lock);
}

/* A dump that is on its way to this thread ends here. */
void ch_report_end(void) {
  pthread_mutex_lock(&lock);
  struct ch_debug **at = &ch_debug;
  while (*at != &own)
    at = &(*at)->next;
  __atomic_store_n(at, own.next, __ATOMIC_RELEASE);
  own.domain = NULL;
  struct ch_debug *self = &own;
  __atomic_compare_exchange_n(&next_to_dump, &self, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
}
