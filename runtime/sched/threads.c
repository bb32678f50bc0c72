/* Starts further domains, each in a new thread. The structure that describes the start lies in memory of the starter;
 * the last thing that the thread does with it is to schedule `ended`. */
#include "reactor/inbox.h"
#include "reactor/reactor.h"
#include "sched/domain.h"
#include "wait/wait.h"

#include "charcoal/lowlevel.h"
#include "frames/out_of_memory.h"
#include <errno.h>
#include <pthread.h>

struct start {
  ch_waiter ended;
  void (*fn)(void *);
  void *argument;
};
_Static_assert(sizeof(struct start) <= sizeof(ch_thread), "the public type leaves room for it");

/* Calls fn if it has no interruptible version. */
static int call_plainly(void *argument) { return ((void (*)(void *))ch_tls.callee)(argument), CH_DONE; }

/* Written by hand according to the ABI. The call of fn is the last thing here, so nothing has to be saved. */
static int body(void *record) {
  struct start *s = *(struct start **)record;
  int (*fn_int)(void *) = (int (*)(void *))ch_version_of((void *)s->fn, (void *)call_plainly);
  return fn_int(s->argument);
}

static void *run(void *start) {
  struct start *s = start;
  if (!ch_domain_run((void *)body, &s, sizeof s, "ch_domain_start", false))
    ch_out_of_memory("a domain of ch_domain_start");
  ch_domain_end();
  ch_waiter_schedule(&s->ended);
  return NULL;
}

int ch_domain_start(ch_thread *thread, void (*fn)(void *), void *argument) {
  struct start *s = (struct start *)thread;
  if (!ch_is_in_domain())
    return EPERM;
  ch_reactor_has_ring(); /* chooses the reactor of all domains */
  if (ch_reactor == &ch_reactor_simulated)
    return ENOTSUP;
  if (!ch_inbox_here()) /* the end of the new thread comes through it */
    return ENOMEM;
  *s = (struct start){.fn = fn, .argument = argument};
  pthread_attr_t attributes;
  pthread_t id;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  int error = pthread_create(&id, &attributes, run, s);
  pthread_attr_destroy(&attributes);
  return error;
}

static ch_waiter *end_of(ch_thread *thread) { return &((struct start *)thread)->ended; }

int ch_domain_join(ch_thread *thread) { return ch_waiter_wait(end_of(thread)); }

struct ch_int_result ch_domain_join_int(ch_thread *) CH_INT_NAME(ch_domain_join);
struct ch_int_result ch_domain_join_int(ch_thread *thread) { return ch_waiter_wait_int(end_of(thread)); }

static const struct ch_clause_type join_type = {.what = "the end of a domain",
                                                .by = CH_BY_OTHERS,
                                                .enlist = ch_waiter_enlist,
                                                .withdraw = ch_waiter_withdraw,
                                                .ready = ch_waiter_is_ready,
                                                .at_once = ch_waiter_at_once};

void ch_domain_join__clause(struct ch_domain_join__clause *c, ch_thread *thread) {
  c->clause = (struct ch_clause){.type = &join_type, .object = end_of(thread)};
}
