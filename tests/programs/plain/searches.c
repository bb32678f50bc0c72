/* Loops that end when they have found something, over functions that are inlined (compiler/passes/strips.cpp). */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
  struct item *next;
  int key;
};
static struct text {
  const char *at, *end;
  int line;
} text;
static struct item items[3000], *list;

static int keyOf(const struct item *i) { return i->key; }
static struct item *after(const struct item *i) { return i->next; }
static int peek(struct text *t) { return t->at < t->end ? (unsigned char)*t->at : -1; }
static int take(struct text *t) {
  const int c = peek(t);
  if (c >= 0)
    t->at++;
  if (c == '\n')
    t->line++;
  return c;
}

__attribute__((noinline)) static struct item *find(const int *wanted, unsigned *turns) {
  for (struct item *i = list; i; i = after(i), ++*turns)
    if (keyOf(i) == *wanted)
      return i;
  return NULL;
}

__attribute__((noinline)) static int halve(const struct item *all, int count, int key) {
  int low = 0, high = count - 1;
  while (low <= high) {
    const int middle = (low + high) / 2, found = keyOf(&all[middle]);
    if (found == key)
      return middle;
    if (found < key)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return ~low;
}

__attribute__((noinline)) static uint32_t words(struct text *t, long *longest) {
  uint32_t hash = 1;
  for (;;) {
    while (isspace(peek(t)))
      take(t);
    const char *start = t->at;
    while (isalnum(peek(t)) || peek(t) == '_')
      hash = (hash ^ (uint32_t)take(t)) * 16777619u;
    if (t->at - start > *longest)
      *longest = t->at - start;
    if (t->at == start && take(t) < 0)
      return hash;
  }
}

/* Each turn moves what the next one looks at; the values that are carried are of several kinds. */
__attribute__((noinline)) static double sum(const struct item *i, int most, float f, __int128 *big, short *last) {
  double d = f;
  __int128 b = *big;
  short s = 0;
  unsigned char c = 250;
  do {
    d = d * 0.5 + keyOf(i);
    b = b * 3 + keyOf(i);
    s = (short)(s ^ keyOf(i));
    c++;
    if (s == most)
      break;
  } while ((i = after(i)));
  *big = b;
  *last = (short)(s + c);
  return d;
}

/* The list changes while it is read. */
__attribute__((noinline)) static int unlinkOdd(struct item **at) {
  int removed = 0;
  while (*at) {
    if (keyOf(*at) & 1) {
      *at = after(*at);
      removed++;
    } else {
      at = &(*at)->next;
    }
  }
  return removed;
}

int main(void) {
  enum { count = sizeof items / sizeof *items };
  for (int i = 0; i < count; i++)
    items[i] = (struct item){i + 1 < count ? &items[i + 1] : NULL, i * 3};
  list = items;
  unsigned turns = 0;
  long found = 0;
  for (int i = 0; i < 300; i++) {
    const int key = i * 31;
    struct item *one = find(&key, &turns);
    found += one ? one - items : -1;
    found += halve(items, count, key);
  }
  printf("%ld %u\n", found, turns);

  char *letters = malloc(60000);
  for (int i = 0; i < 60000; i++)
    letters[i] = "abc de_f1\n(ghij)  klmnopqrstuvw;xyz"[(i * 7 + i / 900) % 35];
  long longest = 0;
  text = (struct text){letters, letters + 60000, 1};
  const uint32_t hash = words(&text, &longest);
  printf("%u %ld %d %d\n", hash, longest, text.line, (int)(text.at - letters));

  __int128 big = 1;
  short last = 0;
  const double d = sum(items, 12345, 0.25f, &big, &last);
  printf("%.6f %llu %d\n", d, (unsigned long long)big, last);
  const int removed = unlinkOdd(&list);
  printf("%d\n", removed);
  free(letters);
  return 0;
}
