/* Measures a channel between two threads, made of a mutex and condition variables; charcoal.c describes the cases. If
 * the channel has no room, a sender waits until its message has been received. */
#include "../common/measure.h"
#include <pthread.h>

enum { MOST = 128 };

struct numbers {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  unsigned long room, slots[MOST], sent, taken;
};
#define EMPTY {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER}
static struct numbers there = EMPTY, back = EMPTY;
static unsigned long count;

static void put(struct numbers *c, unsigned long x) {
  pthread_mutex_lock(&c->lock);
  while (c->room && c->sent - c->taken == c->room)
    pthread_cond_wait(&c->changed, &c->lock);
  c->slots[c->sent++ % MOST] = x;
  pthread_cond_signal(&c->changed);
  while (!c->room && c->sent != c->taken)
    pthread_cond_wait(&c->changed, &c->lock);
  pthread_mutex_unlock(&c->lock);
}

static unsigned long take(struct numbers *c) {
  pthread_mutex_lock(&c->lock);
  while (c->sent == c->taken)
    pthread_cond_wait(&c->changed, &c->lock);
  unsigned long x = c->slots[c->taken++ % MOST];
  pthread_cond_signal(&c->changed);
  pthread_mutex_unlock(&c->lock);
  return x;
}

static void *answer(void *unused) {
  for (unsigned long i = 0; i < count; i++)
    put(&back, 3 * take(&there) + 1);
  return unused;
}
static void *send_count(void *unused) {
  for (unsigned long i = 0; i < count; i++)
    put(&there, i);
  return unused;
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  count = strtoul(argv[2], NULL, 10);
  int pingpong = !strcmp(name, "pingpong");
  unsigned long sum = 0;
  pthread_t other;
  if (!pingpong && strncmp(name, "buffered", 8) != 0)
    unknown_case(name);
  there.room = pingpong ? 0 : MOST;
  double start = now_ns();
  if (pthread_create(&other, NULL, pingpong ? answer : send_count, NULL))
    return 1;
  for (unsigned long i = 0; i < count; i++) {
    if (pingpong)
      put(&there, i);
    sum += take(pingpong ? &back : &there);
  }
  double elapsed = now_ns() - start;
  pthread_join(other, NULL);
  expect(sum, pingpong ? 3 * (count * (count - 1) / 2) + count : count * (count - 1) / 2);
  report("time", elapsed / (double)count, "ns", sum);
}
