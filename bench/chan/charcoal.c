/* Measures channels. CASE is one of these:
 *
 *   pingpong      a message goes to and fro over two channels without room
 *   buffered      messages follow each other through a channel with room for 128
 *   buffered-2dom the same, from another domain
 *   skynet        COUNT leaves, a power of ten, below a tree of activities, each of which has ten and sends the sum of
 *                 theirs
 *   skynet-async  the same tree of async calls, whose channels have room for what the ten send
 *   ring          COUNT activities with a channel each; a number is sent round, to which each adds 1. Also their memory
 *   sieve         the first COUNT primes by a chain of activities, one for each prime */
#include "../common/measure.h"
#include <charcoal.h>
#include <charcoal/channel.h>

typedef channel(unsigned long) numbers;
static unsigned long count;
static numbers there, back;
static double begin, bytes_each; /* bytes_each: where memory is measured too */

static void send_count(void *out) {
  for (unsigned long i = 0; i < count; i++) ch_send((numbers *)out, &i);
}

static unsigned long long pingpong(void) {
  unsigned long long sum = 0;
  unsigned long y;
  activate {
    unsigned long x;
    while (ch_recv(&there, &x) == 0) {
      x = 3 * x + 1;
      ch_send(&back, &x);
    }
  }
  for (unsigned long i = 0; i < count; i++) {
    ch_send(&there, &i);
    ch_recv(&back, &y);
    sum += y;
  }
  ch_close(&there);
  expect(sum, 3ull * count * (count - 1) / 2 + count);
  return sum;
}

static unsigned long long buffered(int domains) {
  unsigned long long sum = 0;
  unsigned long x;
  ch_thread other;
  if (domains ? ch_channel_init_shared(&there, 128) : ch_channel_init(&there, 128)) exit(1);
  if (domains && ch_domain_start(&other, send_count, &there)) exit(1);
  if (!domains)
    activate send_count(&there);
  for (unsigned long i = 0; i < count; i++) {
    ch_recv(&there, &x);
    sum += x;
  }
  if (domains) ch_domain_join(&other);
  expect(sum, (unsigned long long)count * (count - 1) / 2);
  return sum;
}

static void sky(numbers *out, unsigned long first, unsigned long size) {
  if (size == 1) {
    ch_send(out, &first);
    return;
  }
  numbers sums = {0};
  unsigned long sum = 0, x;
  for (unsigned long i = 0; i < 10; i++)
    activate sky(&sums, first + i * (size / 10), size / 10);
  for (int i = 0; i < 10; i++) {
    ch_recv(&sums, &x);
    sum += x;
  }
  ch_send(out, &sum);
}

static void sky_async(numbers *out, unsigned long first, unsigned long size) {
  if (size == 1) {
    ch_send(out, &first);
    return;
  }
  numbers sums;
  unsigned long sum = 0, x;
  if (ch_channel_init(&sums, 10)) exit(1);
  do {
    for (unsigned long i = 0; i < 10; i++)
      async sky_async(&sums, first + i * (size / 10), size / 10);
    for (int i = 0; i < 10; i++) {
      ch_recv(&sums, &x);
      sum += x;
    }
  }
  finish;
  ch_channel_destroy(&sums);
  ch_send(out, &sum);
}

static unsigned long long skynet(int with_async) {
  unsigned long sum, size = count;
  while (size > 1 && size % 10 == 0) size /= 10;
  if (size != 1) {
    fprintf(stderr, "the number of leaves has to be a power of ten\n");
    exit(2);
  }
  if (with_async)
    activate sky_async(&there, 0, count);
  else
    activate sky(&there, 0, count);
  ch_recv(&there, &sum);
  expect(sum, (unsigned long long)count * (count - 1) / 2);
  return sum;
}

static unsigned long long ring(void) {
  double before = resident_bytes();
  static numbers *links;
  unsigned long zero = 0, n;
  links = calloc(count + 1, sizeof *links);
  if (!links) exit(1);
  for (unsigned long i = 0; i < count; i++)
    activate (i) {
      unsigned long x;
      ch_recv(&links[i], &x);
      x++;
      ch_send(&links[i + 1], &x);
    }
  ch_reschedule(); /* all wait now */
  bytes_each = (resident_bytes() - before) / (double)count;
  ch_send(&links[0], &zero);
  ch_recv(&links[count], &n);
  expect(n, count);
  return n;
}

static void filter(numbers *in, numbers *out, unsigned long prime) {
  unsigned long x;
  while (ch_recv(in, &x) == 0)
    if (x % prime && ch_send(out, &x))
      break;
  ch_close(in);
}
static unsigned long long sieve(void) {
  numbers *links = calloc(count + 1, sizeof *links);
  unsigned long long sum = 0;
  unsigned long prime = 0;
  activate (links) {
    for (unsigned long i = 2; ch_send(&links[0], &i) == 0; i++) {}
  }
  for (unsigned long n = 0; n < count; n++) {
    ch_recv(&links[n], &prime);
    sum += prime;
    activate filter(&links[n], &links[n + 1], prime);
  }
  ch_close(&links[count]);
  return sum; /* of the first so many primes; the runner compares it with the peers' */
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  count = strtoul(argv[2], NULL, 10);
  unsigned long long answer = 0;
  begin = now_ns();
  if (!strcmp(name, "pingpong")) answer = pingpong();
  else if (!strcmp(name, "buffered")) answer = buffered(0);
  else if (!strcmp(name, "buffered-2dom")) answer = buffered(1);
  else if (!strcmp(name, "skynet")) answer = skynet(0);
  else if (!strcmp(name, "skynet-async")) answer = skynet(1);
  else if (!strcmp(name, "ring")) answer = ring();
  else if (!strcmp(name, "sieve")) answer = sieve();
  else unknown_case(name);
  report_with_memory((now_ns() - begin) / (double)count, bytes_each, answer);
}
