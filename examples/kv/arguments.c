/* What the commands read: words, numbers, ranges, and the entries of keys. */
#include "commands.h"

const char wrong_kind[] = "WRONGTYPE Operation against a key holding the wrong kind of value";
const char no_integer[] = "ERR value is not an integer or out of range";
const char syntax[] = "ERR syntax error";

bool integer(struct text t, long long *n) {
  bool negative = t.size > 1 && *t.at == '-';
  size_t first = negative;
  *n = 0;
  if (t.size <= first || (t.at[first] == '0' && t.size > 1))
    return false;
  for (size_t i = first; i < t.size; i++) {
    int digit = t.at[i] - '0';
    if (digit < 0 || digit > 9 || __builtin_mul_overflow(*n, 10, n) ||
        __builtin_add_overflow(*n, negative ? -digit : digit, n))
      return false;
  }
  return true;
}

bool integer_or_error(struct client *c, int i, long long *n) {
  if (integer(argument(c, i), n))
    return true;
  add_error(&c->out, "%s", no_integer);
  return false;
}

struct entry *find_kind(struct client *c, int i, enum kind kind, bool *fine) {
  struct entry *e = find(argument(c, i));
  *fine = !e || e->kind == kind;
  if (!*fine)
    add_error(&c->out, "%s", wrong_kind);
  return e;
}

struct entry *find_or_make(struct client *c, int i, enum kind kind) {
  bool fine;
  struct entry *e = find_kind(c, i, kind, &fine);
  return !fine ? NULL : e ? e : make(argument(c, i), kind);
}

bool range_of(struct client *c, long long *first, long long *last) {
  return integer_or_error(c, 2, first) && integer_or_error(c, 3, last);
}

void place_range(long long size, long long *first, long long *last) {
  *first = *first < 0 ? (*first + size < 0 ? 0 : *first + size) : *first;
  *last = *last < 0 ? *last + size : *last >= size ? size - 1 : *last;
}
