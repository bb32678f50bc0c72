// The listings of CFA's chapter on waituntil, in C's words. In virtual time.
#include <charcoal.h>
#include <charcoal/channel.h>
#include <charcoal/future.h>
#include <charcoal/locks.h>
#include <stdio.h>

#define MS 1000000

// Section "Bathroom": N stalls, each with its own lock, M people who take the first that is free.
static void bathroom(void) {
  static ch_mutex stall[3];
  static int taken[3];
  int used = 0, inside = 0, most = 0;
  for (int s = 0; s < 3; s++)
    ch_mutex_init(&stall[s], 0);
  do
    for (int person = 0; person < 20; person++)
      async {
        int mine = -1;
#define STALL(n)                                                                                                       \
  waituntil (ch_hold(&stall[n])) {                                                                                     \
    mine = n;                                                                                                          \
    if (taken[n]++ || ++inside > 3)                                                                                    \
      puts("occupied");                                                                                                \
    most = inside > most ? inside : most;                                                                              \
    ch_sleep(MS);                                                                                                      \
    taken[n]--, inside--;                                                                                              \
  }
        STALL(0) or STALL(1) or STALL(2)
        used += mine >= 0;
      }
  finish;
  printf("bathroom: %d people, at most %d at a time, free %d\n", used, most,
         !ch_try_lock(&stall[0]) && !ch_try_lock(&stall[1]) && !ch_try_lock(&stall[2]));
}

// Figure "Occam's guard to if statement equivalence".
static int with_guard(int predicate, ch_sem *a, ch_sem *b) {
  when (predicate) waituntil (ch_sem_wait(a)) return 'A';
  or waituntil (ch_sem_wait(b)) return 'B';
  return 0;
}
static int with_if(int predicate, ch_sem *a, ch_sem *b) {
  if (predicate) {
    waituntil (ch_sem_wait(a)) return 'A';
    or waituntil (ch_sem_wait(b)) return 'B';
  } else {
    waituntil (ch_sem_wait(b)) return 'B';
  }
  return 0;
}
static void guards(void) {
  int same = 0;
  for (int m = 0; m < 4; m++) {
    ch_sem a1 = CH_SEM_INIT(m & 1), b1 = CH_SEM_INIT(1), a2 = CH_SEM_INIT(m & 1), b2 = CH_SEM_INIT(1);
    same += with_guard(m >> 1, &a1, &b1) == with_if(m >> 1, &a2, &b2) && a1.count == a2.count && b1.count == b2.count;
  }
  printf("guards: %d of 4 the same\n", same);
}

// Figure "Example of CFA's waituntil statement".
static void example(void) {
  static future(int) done;
  static channel(int) values;
  ch_mutex lock;
  int i = 0, result = 0;
  ch_mutex_init(&lock, 0);
  ch_lock(&lock);
  activate { ch_send(&values, &(int){7}); }
  activate { ch_sleep(MS), ch_future_set(&done, 8); }
  ch_activity other;
  activate [&other] {
    waituntil (ch_hold(&lock)) puts("never");
    or when (i == 0) waituntil (ch_recv(&values, &i)) printf("example: received %d, ", i);
    and waituntil (ch_get(&done, &result)) printf("then %d, ", result);
  }
  ch_activity_wait(&other);
  printf("unlocked %d\n", ch_unlock(&lock));
}

// Listing "the waituntil unconditionally waits for C and one of either A or B".
static void brackets(void) {
  ch_sem a = CH_SEM_INIT(0), b = CH_SEM_INIT(1), c = CH_SEM_INIT(0);
  activate { ch_sleep(MS), ch_sem_post(&c); }
  (waituntil (ch_sem_wait(&a)) puts("never");
   or waituntil (ch_sem_wait(&b)) printf("brackets: B ");)
  and waituntil (ch_sem_wait(&c)) puts("C");
}

// Listing of timeouts.
static void timeouts(void) {
  int64_t begin = ch_now();
  waituntil (ch_sleep(1 * MS)) {}
  waituntil (ch_sleep(1 * MS)) {} or waituntil (ch_sleep(2 * MS)) {}
  waituntil (ch_sleep(1)) {} and waituntil (ch_sleep(2 * MS)) {}
  printf("timeouts: %d ms\n", (int)((ch_now() - begin) / MS));
}

// Listing of both operators over channels: what was received has run its body, of losing pairs, too.
static void pairs(void) {
  static channel(int) in[4];
  int got[4] = {0}, bodies = 0;
  for (int k = 0; k < 4; k++)
    ch_channel_init(&in[k], 1);
  ch_send(&in[0], &(int){1}), ch_send(&in[2], &(int){3});
  activate { ch_sleep(MS), ch_send(&in[3], &(int){4}), ch_send(&in[1], &(int){2}); }
  waituntil (ch_recv(&in[0], &got[0])) bodies++;
  and waituntil (ch_recv(&in[1], &got[1])) bodies++;
  or waituntil (ch_recv(&in[2], &got[2])) bodies++;
  and waituntil (ch_recv(&in[3], &got[3])) bodies++;
  size_t kept = 0;
  ch_sleep(2 * MS);
  for (int k = 0; k < 4; k++)
    kept += ch_length(&in[k]);
  printf("pairs: %d bodies, %d %d %d %d, %d kept\n", bodies, got[0], got[1], got[2], got[3], (int)kept);
}

// The work loop of section "Channel Benchmark", and six-way waits that end when all are closed.
static void consumers(void) {
  static channel(int) chans[6];
  long sum = 0, ended = 0;
  for (int k = 0; k < 6; k++)
    ch_channel_init(&chans[k], 2);
  do {
    for (int consumer = 0; consumer < 3; consumer++)
      async {
        int v, e[6] = {0};
        while (!(e[0] && e[1] && e[2] && e[3] && e[4] && e[5])) {
#define FROM(k) when (!e[k]) waituntil (e[k] = ch_recv(&chans[k], &v)) { if (!e[k]) sum += v; }
          FROM(0) or FROM(1) or FROM(2) or FROM(3) or FROM(4) or FROM(5)
        }
        ended++;
      }
    for (int k = 0; k < 6; k++)
      async (k) {
        for (int i = 1; i <= 50; i++)
          ch_send(&chans[k], &i);
        ch_close(&chans[k]);
      }
  } finish;
  printf("consumers: %ld ended, sum %ld\n", ended, sum);
}

// Section "Future Benchmark".
static void futures(void) {
  static future(int) a, b, c;
  int va, vb, vc, or_ = 0, and_ = 0, andor = 0, orand = 0;
  ch_future_set(&b, 2), ch_future_set(&c, 3);
  activate { ch_sleep(MS), ch_future_set(&a, 1); }
  waituntil (ch_get(&a, &va)) or_ += va; or waituntil (ch_get(&b, &vb)) or_ += vb; or waituntil (ch_get(&c, &vc)) or_ += vc;
  waituntil (ch_get(&a, &va)) andor += va; and waituntil (ch_get(&b, &vb)) andor += vb;
  or waituntil (ch_get(&c, &vc)) andor += vc;
  (waituntil (ch_get(&a, &va)) orand += va; or waituntil (ch_get(&b, &vb)) orand += vb;)
  and waituntil (ch_get(&c, &vc)) orand += vc;
  waituntil (ch_get(&a, &va)) and_ += va; and waituntil (ch_get(&b, &vb)) and_ += vb;
  and waituntil (ch_get(&c, &vc)) and_ += vc;
  printf("futures: or %d, andor %d, orand %d, and %d\n", or_, andor, orand, and_);
}

int main(void) {
  bathroom();
  guards();
  example();
  brackets();
  timeouts();
  pairs();
  consumers();
  futures();
}
