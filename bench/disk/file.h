/* The file of the disk benchmark has 256 MiB. Each of its blocks of 4 KiB begins with a number that follows from the
 * block's place.
 *
 * CASE is SIZE-DEPTH, as in 4k-64: reads of that size at random places, as many at a time as the depth says. They
 * bypass the page cache (O_DIRECT), unless `cached` follows: then the file is in the page cache when the reads begin.
 * COUNT is the number of reads. The file is BENCH_FILE, or charcoal-bench-file in TMPDIR or /var/tmp; it is made if it
 * does not exist. */
#ifndef BENCH_FILE_H
#define BENCH_FILE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../common/measure.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES (256UL << 20)
enum { BLOCK = 4096, MOST_DEPTH = 1024 };

struct work {
  int fd;
  unsigned depth;
  size_t size; /* of one read */
  unsigned long count, next, done;
  uint64_t sum, right_sum;
  char *buffers; /* depth of them */
  double start, start_cpu;
};

static inline void stop(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static inline uint64_t mark(uint64_t block) { return (block + 1) * 0x9E3779B97F4A7C15u; }

/* Where read number `i` reads. */
static inline off_t place(const struct work *w, unsigned long i) {
  uint64_t x = (i + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return (off_t)((x ^ x >> 31) % (FILE_BYTES / w->size) * w->size);
}

static inline void make_file(const char *path) {
  char *megabyte = malloc(1 << 20), temporary[1000];
  snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
  int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || !megabyte)
    stop(temporary);
  memset(megabyte, 'x', 1 << 20);
  for (uint64_t block = 0; block < FILE_BYTES / BLOCK; block += 256) {
    for (uint64_t i = 0; i < 256; i++) {
      uint64_t m = mark(block + i);
      memcpy(megabyte + i * BLOCK, &m, sizeof m);
    }
    if (write(fd, megabyte, 1 << 20) != 1 << 20)
      stop(temporary);
  }
  if (fsync(fd) || close(fd) || rename(temporary, path))
    stop(path);
  free(megabyte);
}

static inline double cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* For programs of one thread, each of which begins with it: the last core is theirs. Where this was measured a read
 * cost half as much CPU time on the core that takes the disk's interrupts (there the last one) as on the other, so who
 * is moved in the middle of a run is measured by chance. */
static inline void stay_on_one_core(void) {
  cpu_set_t set;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  CPU_ZERO(&set);
  CPU_SET((size_t)(cores > 1 ? cores - 1 : 0), &set);
  sched_setaffinity(0, sizeof set, &set); /* where it is forbidden, the kernel's choice will do */
}

static inline struct work prepare(int argc, char **argv) {
  struct work w = {0};
  char fallback[500], mode[16] = "";
  const char *name = argument_case(argc, argv), *path = getenv("BENCH_FILE"), *folder = getenv("TMPDIR");
  unsigned kilobytes;
  struct stat s;
  if (sscanf(name, "%uk-%u-%15s", &kilobytes, &w.depth, mode) < 2 || w.depth < 1 || w.depth > MOST_DEPTH ||
      (kilobytes != 4 && kilobytes != 64) || (mode[0] && strcmp(mode, "cached")))
    unknown_case(name);
  w.size = kilobytes << 10;
  w.count = strtoul(argv[2], NULL, 10);
  if (!path) {
    snprintf(fallback, sizeof fallback, "%s/charcoal-bench-file", folder ? folder : "/var/tmp");
    path = fallback;
  }
  if (stat(path, &s) || (unsigned long)s.st_size != FILE_BYTES)
    make_file(path);
  w.fd = open(path, O_RDONLY | (mode[0] ? 0 : O_DIRECT));
  if (w.fd < 0)
    stop(path);
  w.buffers = aligned_alloc(BLOCK, w.depth * w.size);
  if (!w.buffers)
    stop("memory");
  memset(w.buffers, 0, w.depth * w.size);
  for (off_t at = 0; mode[0] && at < (off_t)FILE_BYTES; at += (off_t)w.size)
    if (pread(w.fd, w.buffers, w.size, at) != (ssize_t)w.size)
      stop(path);
  for (unsigned long i = 0; i < w.count; i++)
    w.right_sum += mark((uint64_t)place(&w, i) / BLOCK);
  w.start = now_ns();
  w.start_cpu = cpu_ns();
  return w;
}

/* To be called for each read that has ended, with its result. */
static inline void account(struct work *w, const char *buffer, ssize_t got) {
  uint64_t m;
  if (got != (ssize_t)w->size) {
    errno = got < 0 ? (int)-got : EIO;
    stop("read");
  }
  memcpy(&m, buffer, sizeof m);
  w->sum += m;
  w->done++;
}

static inline void report_reads(const struct work *w) {
  double cpu = cpu_ns() - w->start_cpu, elapsed = now_ns() - w->start;
  expect(w->done, w->count);
  expect(w->sum, w->right_sum);
  printf("{\"metric\": \"time\", \"value\": %.6g, \"unit\": \"us/read\", \"check\": \"%llu\", \"more\": "
         "[{\"metric\": \"cpu\", \"value\": %.6g, \"unit\": \"us CPU/read\"}]}\n",
         elapsed / 1e3 / (double)w->count, (unsigned long long)w->sum, cpu / 1e3 / (double)w->count);
}

#endif
