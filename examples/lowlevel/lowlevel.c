/* A source of events of one's own (AC paper, figure 9): a name service that answers from another thread.
 *
 * When an answer comes, the *bottom half* is called, which leaves the answer in the channel and gives way to the
 * activity that waits for it. Programs call lookup_response, the *top half*. It blocks and can be cancelled.
 * Cancellation is exact: an answer that nobody has taken stays in the channel for the next caller.
 *
 *   lowlevel [ANSWERS]      prints what it found, and ends with status 1 if that is wrong */
#include <charcoal.h>
#include <charcoal/lowlevel.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum state { EMPTY, BH_WAITING, TH_WAITING, TH_CANCELLED };

struct channel {
  ch_spinlock lock;    /* protects the other fields */
  enum state state;    /* whether one half waits for the other */
  ch_sem bottom, top;  /* let in one bottom half, and one top half, at a time */
  ch_waiter receiver;  /* where the top half is suspended */
  int address;         /* the answer */
  struct ch_inbox *to; /* the domain that reads the channel */
};

/* ---- the bottom half: an activity for each message that comes in ---- */

static void bottom_half(struct channel *c, int address) {
  noncancellable { ch_sem_wait(&c->bottom); } /* until the previous answer has been taken */
  ch_spin_acquire(&c->lock);
  c->address = address;
  if (c->state == EMPTY) { /* no top half waits */
    c->state = BH_WAITING;
    ch_spin_release(&c->lock);
  } else {
    ch_yield_to(&c->receiver); /* the top half goes on, and has the lock now */
  }
}

/* ---- the top half ---- */

static void cancel_receive(void *channel) {
  struct channel *c = channel;
  ch_spin_acquire(&c->lock);
  if (c->state == TH_WAITING) {
    c->state = TH_CANCELLED;
    ch_waiter_schedule(&c->receiver); /* the top half goes on, and has the lock now */
  } else {
    ch_spin_release(&c->lock);
  }
}

/* 0 and the next answer, or ECANCELED and none was taken. */
static int lookup_response(struct channel *c, int *address) {
  int result = ch_sem_wait(&c->top);
  if (result)
    return result;
  ch_spin_acquire(&c->lock);
  if (c->state == EMPTY) { /* nothing has come yet */
    ch_cancel_item item;
    c->state = TH_WAITING;
    result = ch_cancel_add(&item, cancel_receive, c);
    if (result == 0) {
      ch_waiter_suspend_unlock(&c->receiver, &c->lock);
      /* An answer was delivered, or the scope was cancelled; either has taken the lock and hands it to us. */
      ch_cancel_remove(&item);
      if (c->state == TH_CANCELLED)
        result = ECANCELED;
    }
  }
  if (result == 0) {
    *address = c->address;
    ch_sem_post(&c->bottom);
  }
  c->state = EMPTY;
  ch_spin_release(&c->lock);
  ch_sem_post(&c->top);
  return result;
}

/* ---- the name service: a thread that knows nothing of activities ---- */

struct message {
  struct channel *channel;
  int address;
};

static void arrive(void *message) {
  struct message m = *(struct message *)message;
  free(message);
  activate (m) { bottom_half(m.channel, m.address); }
}

static void answer(struct channel *c, int address) {
  struct message *m = malloc(sizeof *m);
  if (!m)
    abort();
  *m = (struct message){c, address};
  if (ch_post(c->to, arrive, m))
    abort();
}

struct service {
  struct channel *channel;
  int answers;
};

static void *serve(void *service) {
  struct service *s = service;
  for (int i = 0; i < s->answers; i++) {
    if (i % 100 == 50) {
      struct timespec pause = {0, 100000};
      nanosleep(&pause, NULL);
    }
    answer(s->channel, i);
  }
  return NULL;
}

/* ---- using it ---- */

static void expect(int condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "lowlevel: %s\n", what);
  exit(1);
}

int main(int argc, char **argv) {
  int answers = argc > 1 ? atoi(argv[1]) : 1000, got = 0, timed_out = 0, address;
  static struct channel channel;
  struct channel *c = &channel;
  ch_sem_init(&c->bottom, 1);
  ch_sem_init(&c->top, 1);
  c->to = ch_inbox();
  expect(c->to != NULL, "no way in for other threads");

  /* Nobody answers: the deadline ends the wait. */
  int result = -1;
  within (1000000) do { result = lookup_response(c, &address); } finish;
  expect(result == ECANCELED, "a cancelled lookup says so");

  /* An answer that came after the cancel is the next one's. */
  answer(c, 42);
  expect(lookup_response(c, &address) == 0 && address == 42, "an answer after a cancelled lookup is not lost");

  /* All answers, each once, although a deadline comes in between now and then. (Bottom halves are activities, which may
   * overtake each other on their way to the lock that puts them in order.) */
  char *seen = calloc((size_t)answers + 1, 1);
  struct service service = {c, answers};
  pthread_t thread;
  expect(pthread_create(&thread, NULL, serve, &service) == 0, "no thread");
  while (got < answers) {
    result = -1;
    within (50000) do { result = lookup_response(c, &address); } finish;
    if (result == ECANCELED) {
      timed_out++;
    } else {
      expect(address >= 0 && address < answers && !seen[address], "an answer came twice");
      seen[address] = 1;
      got++;
    }
  }
  pthread_join(thread, NULL);
  free(seen);
  printf("%d answers, each once; the wait for one timed out %s\n", got, timed_out ? "now and then" : "never");
  return 0;
}
