/* The memory of polls: blocks of a page each, so that a poll's address leads to its block. After a peak only one empty
 * block is kept. */
#define _GNU_SOURCE
#include "reactor/uring/uring.h"
#include <sys/mman.h>

enum { BLOCK = 4096 };
struct block {
  struct block *next, **at; /* in roomy or full */
  struct ch_poll *spare;    /* the list of its free polls; NULL: there are none */
  unsigned used;
  struct ch_poll polls[(BLOCK - 4 * sizeof(void *)) / sizeof(struct ch_poll)];
};
_Static_assert(sizeof(struct block) <= BLOCK, "a block is a page");
static __thread struct block *roomy, *full;

static void list(struct block *b, struct block **first) {
  b->at = first;
  b->next = *first;
  if (b->next)
    b->next->at = &b->next;
  *first = b;
}

static void unlist(struct block *b) {
  *b->at = b->next;
  if (b->next)
    b->next->at = b->at;
}

static bool make_block(void) {
  struct block *b = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (b == MAP_FAILED)
    return false;
  for (size_t i = sizeof b->polls / sizeof *b->polls; i-- > 0;) {
    b->polls[i].next = b->spare;
    b->spare = &b->polls[i];
  }
  list(b, &roomy);
  return true;
}

struct ch_poll *ch_poll_take(void) {
  if (!roomy && !make_block())
    return NULL;
  struct block *b = roomy;
  struct ch_poll *p = b->spare;
  b->spare = p->next;
  b->used++;
  if (!b->spare) {
    unlist(b);
    list(b, &full);
  }
  return p;
}

void ch_poll_free(struct ch_poll *p) {
  struct block *b = (struct block *)((uintptr_t)p & -(uintptr_t)BLOCK);
  if (!b->spare) {
    unlist(b);
    list(b, &roomy);
  }
  p->next = b->spare;
  b->spare = p;
  if (--b->used == 0 && (roomy != b || b->next)) {
    unlist(b);
    munmap(b, BLOCK);
  }
}

static void free_all(struct block **first) {
  while (*first) {
    struct block *gone = *first;
    *first = gone->next;
    munmap(gone, BLOCK);
  }
}

void ch_polls_end(void) {
  free_all(&roomy);
  free_all(&full);
}
