/* POSIX threads of the program itself: they call compiled functions, lock, wait, use thread-locals and keys, are
 * cancelled. */
// flags: -pthread
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#define NI __attribute__((noinline))
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static long total;
static int turn;
static __thread int mine;
static pthread_key_t key;
static int destroyed;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int onces;
NI static long work(int d, long x) {
  mine += d;
  return d == 0 ? x : work(d - 1, x * 3 % 1000003 + d);
}
static void gone(void *p) { __atomic_add_fetch(&destroyed, (int)(long)p, __ATOMIC_SEQ_CST); }
static void init(void) {
  onces++;
  work(3, 1);
}
static void *run(void *p) {
  long id = (long)p;
  mine = 0;
  pthread_once(&once, init);
  pthread_setspecific(key, (void *)(id + 1));
  long s = 0;
  for (int i = 0; i < 200; i++) {
    s = work(5, s + id);
    pthread_mutex_lock(&m);
    total += s % 7;
    pthread_mutex_unlock(&m);
  }
  return (void *)(s + mine);
}
static void *turns(void *p) {
  int id = (int)(long)p;
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&m);
    while (turn % 3 != id)
      pthread_cond_wait(&c, &m);
    turn++;
    total = total * 3 % 10007 + work(id, 1);
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
  }
  return 0;
}
static int cleaned;
static void clean(void *p) {
  cleaned += *(int *)p;
  work(2, 1);
}
static sem_t ready;
static void *forever(void *p) {
  int v = 5;
  pthread_cleanup_push(clean, &v);
  sem_post(&ready);
  for (;;) {
    pthread_testcancel();
    work(2, (long)p);
  }
  pthread_cleanup_pop(0);
  return 0;
}
static void *leaves(void *p) {
  int v = 7;
  pthread_cleanup_push(clean, &v);
  work(2, 1);
  pthread_exit(p);
  pthread_cleanup_pop(0);
  return 0;
}
int main(void) {
  pthread_t t[4];
  void *r;
  pthread_key_create(&key, gone);
  long sum = 0;
  for (long i = 0; i < 4; i++)
    pthread_create(&t[i], 0, run, (void *)i);
  for (int i = 0; i < 4; i++) {
    pthread_join(t[i], &r);
    sum += (long)r;
  }
  printf("%ld %ld %d %d %d\n", sum, total, destroyed, mine != 0, onces);
  total = 1;
  for (long i = 0; i < 3; i++)
    pthread_create(&t[i], 0, turns, (void *)i);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], 0);
  printf("%ld %d\n", total, turn);
  sem_init(&ready, 0, 0);
  pthread_create(&t[0], 0, forever, 0);
  sem_wait(&ready);
  pthread_cancel(t[0]);
  pthread_join(t[0], &r);
  printf("%d %d\n", r == PTHREAD_CANCELED, cleaned);
  pthread_create(&t[0], 0, leaves, (void *)9L);
  pthread_join(t[0], &r);
  printf("%ld %d\n", (long)r, cleaned);
}
