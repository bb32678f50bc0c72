/* Hand-overs: when one branch posts, signals or ends, and another has waited for that, the other one knows what the
 * first did before (a happens-before order).
 *
 * If a branch posts a semaphore of which it has taken a unit itself, the semaphore is a lock, and the post is the end
 * of a critical section. Such a post hands nothing over, because two critical sections in a row are not one atomic
 * section. Mutexes hand nothing over for the same reason.
 *
 * The memory for this is bounded: each object and each branch knows of the latest CH_KNOWLEDGE_MAX other branches, and
 * only the latest objects are kept. What has been forgotten can lead to a wrong finding. */
#include "atomicity/watcher.h"

void ch_learn(struct ch_knowledge *k, uint32_t who, uint64_t time) {
  unsigned oldest = 0;
  for (unsigned i = 0; i < k->count; i++) {
    if (k->of[i].who == who) {
      if (time > k->of[i].time)
        k->of[i].time = time;
      return;
    }
    if (k->of[i].time < k->of[oldest].time)
      oldest = i;
  }
  unsigned at = k->count < CH_KNOWLEDGE_MAX ? k->count++ : oldest;
  k->of[at].who = who;
  k->of[at].time = time;
}

void ch_learn_all(struct ch_knowledge *k, const struct ch_knowledge *from) {
  for (unsigned i = 0; i < from->count; i++)
    ch_learn(k, from->of[i].who, from->of[i].time);
}

bool ch_knows(const struct ch_knowledge *k, uint32_t who, uint64_t time) {
  for (unsigned i = 0; i < k->count; i++)
    if (k->of[i].who == who)
      return time <= k->of[i].time;
  return false;
}

/* ---- objects ---- */

#define OBJECTS 1024
struct object {
  const void *address;
  struct ch_knowledge knowledge;
};
static __thread struct object *objects; /* OBJECTS, direct-mapped */

static struct object *object_at(const void *address) {
  if (!objects && !(objects = ch_pages_take(OBJECTS * sizeof *objects)))
    return NULL;
  return &objects[(uintptr_t)address * 0x9e3779b97f4a7c15u >> 54];
}
_Static_assert(OBJECTS == 1 << 10, "ten bits choose an object");

void ch_tell(const void *address) {
  struct ch_watcher *h = &ch_watcher;
  struct object *o = object_at(address);
  if (!o || !h->current)
    return;
  if (o->address != address)
    *o = (struct object){.address = address};
  ch_learn_all(&o->knowledge, &h->current->knowledge);
  ch_learn(&o->knowledge, h->current->id, h->now);
  h->current->shown = h->now;
  h->now++;
}

static void hear(const void *address) {
  struct object *o = object_at(address);
  if (o && o->address == address)
    ch_learn_all(&ch_watcher.current->knowledge, &o->knowledge);
}

static bool gives_back(struct ch_watched *w, const void *semaphore) {
  for (unsigned i = 0; i < CH_HELD; i++)
    if (w->held[i] == semaphore) {
      w->held[i] = NULL;
      return true;
    }
  return false;
}

void ch_atomicity_post(const void *object) {
  struct ch_watched *w = ch_watcher.current;
  if (w && !gives_back(w, object))
    ch_tell(object);
}

void ch_atomicity_wait(const void *object, int failed) {
  if (ch_watcher.current && !failed)
    hear(object);
}

void ch_atomicity_take(const void *object, int failed) {
  struct ch_watched *w = ch_watcher.current;
  if (!w || failed)
    return;
  hear(object);
  w->held[w->holds++ % CH_HELD] = object;
}
