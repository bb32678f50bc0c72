/* A bounded channel in memory that two processes share. The benchmarks of message passing run over it in all systems.
 *
 * It is made as Barrelfish makes it on machines with coherent caches: a ring of cache lines, each of which holds a
 * message and, in the same line, its number, so that a message costs the transfer of one line. One process sends, one
 * receives.
 *
 * Invariants: 1. the slot of message n (from 1) is n modulo SLOTS, and its `number` is n once the message is whole; 2.
 * `taken` is at most the number of messages that were received; 3. at most SLOTS messages are under way. */
#ifndef BENCH_CHANNEL_H
#define BENCH_CHANNEL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS = 16 };

struct message {
  uint64_t word[7];
};

struct slot {
  _Alignas(64) _Atomic uint64_t number;
  struct message message;
};

struct channel {
  struct slot slots[SLOTS];
  _Alignas(64) _Atomic uint64_t taken; /* written by the receiver, every few messages */
};

/* One end of a pair of channels, private to its process. */
struct end {
  struct channel *out, *in;
  uint64_t sent, room; /* messages sent; how many may have been sent before `taken` must be looked at again */
  uint64_t received;
};

static inline int try_send(struct end *e, const struct message *m) {
  if (e->sent == e->room) {
    e->room = atomic_load_explicit(&e->out->taken, memory_order_acquire) + SLOTS;
    if (e->sent == e->room)
      return 0;
  }
  uint64_t number = ++e->sent;
  struct slot *s = &e->out->slots[number % SLOTS];
  s->message = *m;
  atomic_store_explicit(&s->number, number, memory_order_release);
  return 1;
}

static inline int has_message(const struct end *e) {
  uint64_t number = e->received + 1;
  return atomic_load_explicit(&e->in->slots[number % SLOTS].number, memory_order_acquire) == number;
}

static inline int has_room(const struct end *e) {
  return e->sent < atomic_load_explicit(&e->out->taken, memory_order_acquire) + SLOTS;
}

static inline int try_receive(struct end *e, struct message *m) {
  if (!has_message(e))
    return 0;
  uint64_t number = ++e->received;
  *m = e->in->slots[number % SLOTS].message;
  if (number % (SLOTS / 4) == 0)
    atomic_store_explicit(&e->in->taken, number, memory_order_release);
  return 1;
}

/* `pairs` pairs of channels that a child of fork shares with its parent. */
static inline struct channel (*share_channels(int pairs))[2] {
  void *shared = mmap(NULL, sizeof(struct channel[2]) * (size_t)pairs, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (shared == MAP_FAILED) {
    perror("mmap");
    exit(1);
  }
  return shared;
}

static inline void be_on_core(int core) {
  cpu_set_t set;
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
    return;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

#endif
