/* The case domains-N with threads: each mailbox has a mutex and a condition variable. The initiator sends all
 * proposals, and then receives all votes. */
#include "mailbox.h"
#include <pthread.h>

struct mailbox {
  pthread_mutex_t lock;
  pthread_cond_t arrived;
  struct letters letters;
};

static void put(struct mailbox *b, struct message m) {
  pthread_mutex_lock(&b->lock);
  put_letter(&b->letters, &m);
  pthread_mutex_unlock(&b->lock);
  pthread_cond_signal(&b->arrived);
}

static struct message take(struct mailbox *b) {
  pthread_mutex_lock(&b->lock);
  while (is_empty(&b->letters))
    pthread_cond_wait(&b->arrived, &b->lock);
  struct message m = take_letter(&b->letters);
  pthread_mutex_unlock(&b->lock);
  return m;
}

struct member {
  pthread_t thread;
  struct participant participant;
  struct mailbox in, out;
};

static void *serve(void *argument) {
  struct member *me = argument;
  while (!me->participant.ended) {
    struct message m = take(&me->in), reply;
    if (reply_to(&me->participant, &m, &reply))
      put(&me->out, reply);
  }
  return NULL;
}

static void commit(struct member *members, int n, uint64_t number) {
  int commit = 1;
  for (int i = 0; i < n; i++)
    put(&members[i].in, (struct message){{PROPOSAL, number}});
  for (int i = 0; i < n; i++)
    commit &= take(&members[i].out).word[2] == 1;
  for (int i = 0; i < n; i++)
    put(&members[i].in, (struct message){{commit ? COMMIT : ABORT, number}});
}

int main(int argc, char **argv) {
  static struct member members[MOST];
  const char *name = argument_case(argc, argv);
  unsigned long count = strtoul(argv[2], NULL, 10);
  struct stopwatch watch = {0};
  uint64_t sum = 0;
  int n = participants_of(name, "domains");
  if (!n)
    unknown_case(name);
  for (int i = 0; i < n; i++) {
    members[i].participant.index = i;
    pthread_mutex_init(&members[i].in.lock, NULL);
    pthread_mutex_init(&members[i].out.lock, NULL);
    pthread_cond_init(&members[i].in.arrived, NULL);
    pthread_cond_init(&members[i].out.arrived, NULL);
    if (pthread_create(&members[i].thread, NULL, serve, &members[i]))
      return perror("pthread_create"), 1;
  }
  lap(&watch, 0);
  for (unsigned long number = 1; number <= count; number++) {
    commit(members, n, number);
    lap(&watch, number);
  }
  for (int i = 0; i < n; i++) {
    put(&members[i].in, (struct message){{END}});
    sum += take(&members[i].out).word[1];
    pthread_join(members[i].thread, NULL);
  }
  expect(sum, right_sum(count, n));
  report("time", watch.best / BATCH, "ns/operation", sum);
}
