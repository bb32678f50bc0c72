// flags: -fno-builtin
// skip: address (AddressSanitizer has an allocator of its own)
// outcome: own_allocator.expected
/* An allocator in place of the C library's, in several activities. It holds a lock while it works; two of its names are
 * aliases. The runtime needs memory for whoever waits. */
#define _GNU_SOURCE
#include <charcoal.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct block {
  struct block *next;
  size_t size;
} *unused;
static char *top, *end;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void enter(void) {
  pthread_mutex_lock(&lock);
  if (inside++)
    _exit(3); /* somebody has come in beside the lock */
}
static void leave(void) {
  inside--;
  pthread_mutex_unlock(&lock);
}

static char *fresh(size_t size) {
  const size_t all = (size_t)1 << 30;
  if (!top) {
    top = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    end = top + all;
  }
  char *p = top;
  top += size + 16;
  return top > end ? NULL : p;
}
static size_t size_of(const void *p) { return ((const size_t *)p)[-2]; }
static void *sized(char *p, size_t size) {
  ((size_t *)p)[-2] = size;
  return p;
}

void *malloc(size_t n) {
  const size_t size = n ? (n + 15) & ~(size_t)15 : 16;
  enter();
  struct block **at = &unused;
  while (*at && (*at)->size != size)
    at = &(*at)->next;
  void *p = *at;
  if (p) {
    *at = (*at)->next;
    p = sized(p, size);
  } else if ((p = fresh(size))) {
    p = sized((char *)p + 16, size);
  }
  leave();
  return p;
}
void free(void *p) {
  if (!p)
    return;
  enter();
  *(struct block *)p = (struct block){unused, size_of(p)};
  unused = p;
  leave();
}
void *calloc(size_t n, size_t each) {
  void *p = malloc(n * each);
  return p ? memset(p, 0, n * each) : NULL;
}
void *realloc(void *old, size_t n) {
  void *p = malloc(n);
  if (p && old) {
    memcpy(p, old, size_of(old) < n ? size_of(old) : n);
    free(old);
  }
  return p;
}
static void *aligned(size_t align, size_t n) {
  const size_t size = (n + 15) & ~(size_t)15;
  enter();
  char *p = fresh(size + 2 * align);
  if (p)
    p = sized((char *)(((uintptr_t)p + 16 + align - 1) & -align), size);
  leave();
  return p;
}
void *memalign(size_t align, size_t n) __attribute__((alias("aligned")));
void *aligned_alloc(size_t align, size_t n) __attribute__((alias("aligned")));
int posix_memalign(void **to, size_t align, size_t n) { return (*to = aligned(align, n)) ? 0 : ENOMEM; }

static unsigned deep(unsigned n) {
  char *text = malloc(n * 7 + 1);
  memset(text, (int)n, n * 7 + 1);
  unsigned r = n ? deep(n - 1) + (unsigned char)text[n] : 0;
  free(text);
  return r;
}

static unsigned work(void) {
  struct list {
    struct list *next;
    char text[40];
  } *all = NULL;
  unsigned sum = 0;
  for (int i = 0; i < 300; i++) {
    struct list *l = malloc(sizeof *l);
    l->next = all;
    snprintf(l->text, sizeof l->text, "%d", i);
    all = l;
    if (i % 3 == 0) {
      all = l->next;
      free(l);
    }
  }
  while (all) {
    struct list *next = all->next;
    sum = sum * 31 + (unsigned)atoi(all->text);
    free(all);
    all = next;
  }
  void *page = aligned_alloc(4096, 100);
  sum += (uintptr_t)page % 4096;
  free(page);
  return sum + deep(60);
}

int main(void) {
  ch_activity activities[4];
  unsigned sums[4];
  for (int i = 0; i < 4; i++)
    activate [&activities[i]] (i) {
      sums[i] = work();
      usleep(1000);
      sums[i] += work();
    }
  for (int i = 0; i < 4; i++) {
    ch_activity_wait(&activities[i]);
    printf("%u\n", sums[i]);
  }
}
