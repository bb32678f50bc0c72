/* The other cases of charcoal.c. overlap: P1 and C1 select A or B, P2 sends to B and C2 receives from it (paper 003,
 * section 5.8). overlap-fair: the same with `waituntil fair`. mixed: one wait for a message, a time, a descriptor or a
 * lock, of which the message comes. */
#include <charcoal/locks.h>
#include <stdbool.h>
#include <unistd.h>

static channel(long) a, b;
static int sending = 2;
static unsigned long long received;
static ch_latch ended;

static void sent_all(void) {
  if (--sending > 0) return;
  ch_close(&a);
  ch_close(&b);
}

static void send_either(long n, bool fair) {
  for (long i = 0; i < n; i++)
    if (fair) {
      waituntil fair (ch_send(&a, &i)) {} or waituntil (ch_send(&b, &i)) {}
    } else {
      waituntil (ch_send(&a, &i)) {} or waituntil (ch_send(&b, &i)) {}
    }
  sent_all();
}

static void receive_either(bool fair) {
  int error = 0;
  long x;
  while (!error) {
    x = 0;
    if (fair) {
      waituntil fair (error = ch_recv(&a, &x)) {} or waituntil (error = ch_recv(&b, &x)) {}
    } else {
      waituntil (error = ch_recv(&a, &x)) {} or waituntil (error = ch_recv(&b, &x)) {}
    }
    received += (unsigned long long)x;
  }
  ch_latch_done(&ended);
}

static void send_one(long n) {
  for (long i = 0; i < n; i++) ch_send(&b, &i);
  sent_all();
}

static void receive_one(void) {
  long x;
  while (ch_recv(&b, &x) == 0) received += (unsigned long long)x;
  ch_latch_done(&ended);
}

static unsigned long long overlap(unsigned long n, bool fair) {
  long each = (long)n / 2;
  ch_latch_init(&ended, 2, 0);
  activate send_either(each, fair);
  activate send_one(each);
  activate receive_either(fair);
  activate receive_one();
  ch_latch_wait(&ended);
  expect(received, (unsigned long long)each * (unsigned long long)(each - 1));
  return received;
}

static unsigned long long mixed(unsigned long n) {
  static ch_mutex lock;
  int ends[2], others = 0;
  char byte;
  long x = 0;
  if (pipe(ends)) exit(1);
  activate send_one((long)n);
  sending = 1;
  activate {
    ch_lock(&lock);
    ch_latch_wait(&ended);
    ch_unlock(&lock);
  }
  ch_latch_init(&ended, 1, 0);
  ch_reschedule(); /* the lock is taken */
  for (unsigned long i = 0; i < n; i++) {
    waituntil (ch_recv(&b, &x)) { received += (unsigned long long)x; }
    or waituntil (ch_sleep(INT64_C(1000000000000))) { others++; }
    or waituntil (read(ends[0], &byte, 1)) { others++; }
    or waituntil (ch_lock(&lock)) { others++; }
  }
  ch_latch_done(&ended);
  expect((unsigned)others, 0);
  expect(received, (unsigned long long)n * (n - 1) / 2);
  return received;
}

static bool measure_another(const char *name, unsigned long n) {
  bool fair = !strcmp(name, "overlap-fair"), ordered = !strcmp(name, "overlap");
  if (!fair && !ordered && strcmp(name, "mixed") != 0) return false;
  double start = now_ns();
  unsigned long long answer = fair || ordered ? overlap(n, fair) : mixed(n);
  report("time", (now_ns() - start) / (double)n, "ns/message", answer);
  return true;
}
