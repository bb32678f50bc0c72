/* The part that all programs of random_program.py share. What a program does ends up in `sum`. */
#ifdef __CHARCOAL__
#include <charcoal.h>
#endif
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NI __attribute__((noinline))
#define RARE(x) __builtin_expect(!!(x), 0)
#define MOST(x) __builtin_expect(!!(x), 1)
#define BYTE(object, i) (((unsigned char *)&(object))[(unsigned)(i) % sizeof(object)])

static unsigned volatile zero;
static unsigned sum = 1, fuel;

/* The innermost block that is left by a jump, over whatever has been called there, when `in` more values have been
 * noted. */
static struct escape {
  jmp_buf *to; /* NULL: there is none */
  unsigned in;
  struct escape *outer;
} escape_now;

NI static void escape(void) {
  struct escape *outer = escape_now.outer;
  longjmp(outer->to && sum % 4 == 0 ? *outer->to : *escape_now.to, 1);
}

static unsigned hash(unsigned x) { return x * 2654435761u >> 7; }
NI static void note(unsigned x) {
  sched_yield();
  sum = sum * 31 + x;
  if (escape_now.to && escape_now.in-- == 0)
    escape();
}
NI static unsigned wait_for(unsigned x) {
  sched_yield();
  return x + zero;
}
static int spent(void) { return fuel == 0 || fuel-- == 0; }
static void note_word(unsigned long *word) { note((unsigned)*word); }
NI static _Noreturn void jump(jmp_buf back) { longjmp(back, 1); }

/* The memory of a local that whoever is called may change while a block runs. */
static struct loan {
  unsigned char *bytes;
  size_t size;
} lent_now;

NI static struct loan lend(void *object, size_t size) {
  struct loan before = lent_now;
  lent_now = (struct loan){object, size};
  return before;
}
NI static void take_back(struct loan before) { lent_now = before; }

NI static void touch(void *object, size_t size) {
  unsigned char *bytes = object;
  for (size_t i = 0; i < size; i++)
    note(bytes[i]);
  bytes[wait_for(sum) % size] ^= 1;
  if (lent_now.bytes)
    lent_now.bytes[sum % lent_now.size] ^= 1;
}

NI static unsigned variadic(const char *kinds, ...) {
  va_list list, again;
  va_start(list, kinds);
  va_copy(again, list);
  unsigned found = 0;
  for (int pass = 0; pass < 2; pass++) {
    va_list *from = pass ? &again : &list;
    for (const char *kind = kinds; *kind; kind++) {
      if (*kind == 'u')
        found += va_arg(*from, unsigned);
      else if (*kind == 'd')
        found += (unsigned)(long)va_arg(*from, double);
      else if (*kind == 'l')
        found += (unsigned)(long)va_arg(*from, long double);
      else {
        struct word0 word = va_arg(*from, struct word0);
        touch(&word, sizeof word);
        found += BYTE(word, wait_for(found));
      }
      note(found);
    }
  }
  va_end(list);
  va_end(again);
  return found;
}
