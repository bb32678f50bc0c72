/* Semaphores: ping-pong in strict turns, a bounded buffer, a limit on concurrency, hand-over in order of arrival. */
// outcome: semaphores.expected
#include <charcoal.h>
#include <stdio.h>
static int pass(int x) {
  yield;
  return x;
}
static void ping_pong(void) {
  ch_sem a = CH_SEM_INIT(1), b = CH_SEM_INIT(0);
  char log[41] = "";
  int n = 0;
  ch_activity p = {0}, q = {0};
  activate [&p] {
    for (int i = 0; i < 20; i++) {
      ch_sem_wait(&a);
      log[n++] = 'i';
      pass(i);
      ch_sem_post(&b);
    }
  }
  activate [&q] {
    for (int i = 0; i < 20; i++) {
      ch_sem_wait(&b);
      log[n++] = 'o';
      pass(i);
      ch_sem_post(&a);
    }
  }
  ch_activity_wait(&p);
  ch_activity_wait(&q);
  printf("%s\n", log);
}
enum { SIZE = 4, ITEMS = 100 };
static int buffer[SIZE], in, out, fullest;
static ch_sem room, items, mutex;
static void put(int v) {
  ch_sem_wait(&room);
  ch_sem_wait(&mutex);
  buffer[in % SIZE] = pass(v);
  in++;
  if (in - out > fullest)
    fullest = in - out;
  ch_sem_post(&mutex);
  ch_sem_post(&items);
}
static int get(void) {
  ch_sem_wait(&items);
  ch_sem_wait(&mutex);
  int v = buffer[out % SIZE];
  yield;
  out++;
  ch_sem_post(&mutex);
  ch_sem_post(&room);
  return v;
}
static void bounded(void) {
  ch_sem_init(&room, SIZE);
  ch_sem_init(&items, 0);
  ch_sem_init(&mutex, 1);
  long sum = 0;
  ch_activity h[5] = {0};
  for (int i = 0; i < 3; i++)
    activate [&h[i]] (i) {
      for (int k = 0; k < ITEMS; k++)
        put(i * ITEMS + k);
    }
  for (int i = 3; i < 5; i++)
    activate [&h[i]] {
      for (int k = 0; k < ITEMS * 3 / 2; k++) {
        int v = get();
        atomic sum += pass(v);
      }
    }
  for (int i = 0; i < 5; i++)
    ch_activity_wait(&h[i]);
  printf("%ld %d %d\n", sum, fullest <= SIZE, in - out);
}
static void limited(void) {
  ch_sem slots = CH_SEM_INIT(3);
  int now = 0, most = 0, done = 0;
  ch_activity h[20] = {0};
  for (int i = 0; i < 20; i++)
    activate [&h[i]] (i) {
      ch_sem_wait(&slots);
      now++;
      if (now > most)
        most = now;
      pass(i);
      ch_reschedule();
      now--;
      done++;
      ch_sem_post(&slots);
    }
  for (int i = 0; i < 20; i++)
    ch_activity_wait(&h[i]);
  printf("%d %d %d\n", most, done, now);
}
static void in_order(void) {
  ch_sem s = CH_SEM_INIT(0), ready = CH_SEM_INIT(0);
  char log[11] = "";
  int n = 0;
  ch_activity h[10] = {0};
  for (int i = 0; i < 10; i++) {
    activate [&h[i]] (i) {
      atomic { ch_sem_post(&ready); }
      ch_sem_wait(&s);
      log[n++] = (char)('0' + i);
    }
    ch_sem_wait(&ready);
    ch_reschedule();
    ch_reschedule();
    ch_reschedule();
  }
  for (int i = 0; i < 10; i++)
    ch_sem_post(&s);
  for (int i = 0; i < 10; i++)
    ch_activity_wait(&h[i]);
  printf("%zu\n", sizeof log - 1 == (size_t)n ? (size_t)n : 0);
  printf("%d %d\n", ch_sem_trywait(&s) != 0, ch_sem_destroy(&s));
}
int main(void) {
  ping_pong();
  bounded();
  limited();
  in_order();
}
