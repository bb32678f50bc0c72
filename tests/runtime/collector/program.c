/* Objects of a conservative collector that only activities know which are set aside; usage: program with|without. */
#include <charcoal.h>
#include <charcoal/lowlevel.h>
#include <gc/gc.h>
#include <gc/gc_mark.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ACTIVITIES = 50, ROUNDS = 20 };

static int collected;

struct object {
  struct object *next;
  long number;
};

static void is_collected(void *object, void *unused) {
  (void)object, (void)unused;
  collected++;
}

static struct object *make(long number, struct object *next) {
  struct object *o = GC_MALLOC(sizeof *o);
  o->number = number;
  o->next = next;
  GC_register_finalizer(o, is_collected, NULL, NULL, NULL);
  return o;
}

static void push(void *begin, size_t size, void *unused) {
  (void)unused;
  GC_push_all_eager(begin, (char *)begin + size);
}
static void push_roots(void) { ch_roots_visit(push, NULL); }

static int right;
static ch_sem go;

static void check(const struct object *o, long first, int n) {
  for (int i = 0; i < n; i++, o = o->next)
    if (!o || o->number != first - i)
      return;
  right++;
}

__attribute__((noinline)) static void keep_in_a_local(long i) {
  struct object *list = make(i, make(i - 1, NULL));
  ch_sem_wait(&go);
  check(list, i, 2);
}

__attribute__((noinline)) static void keep_in_a_local_of_variable_length(int n) {
  struct object *list[n];
  for (int k = 0; k < n; k++)
    list[k] = make(n - k, NULL);
  ch_sem_wait(&go);
  for (int k = 0; k < n; k++)
    check(list[k], n - k, 1);
}

int main(int argc, char **argv) {
  bool with = argc > 1 && strcmp(argv[1], "with") == 0;
  GC_INIT();
  if (with)
    GC_set_push_other_roots(push_roots);
  ch_activity all[ACTIVITIES][3];
  for (int i = 0; i < ACTIVITIES; i++) {
    activate[&all[i][0]](i) { keep_in_a_local(100 + i); }
    activate[&all[i][1]](i) { keep_in_a_local_of_variable_length(1 + i % 5); }
    struct object *captured = make(i, NULL);
    activate[&all[i][2]](i, captured) {
      ch_sem_wait(&go);
      check(captured, i, 1);
    }
  }
  ch_reschedule();
  for (int i = 0; i < ROUNDS; i++) {
    for (int k = 0; k < 1000; k++)
      *(volatile char *)GC_MALLOC(16) = 1;
    GC_gcollect();
  }
  int lost = collected;
  for (int i = 0; i < ACTIVITIES * 3; i++)
    ch_sem_post(&go);
  if (with)
    for (int i = 0; i < ACTIVITIES; i++)
      for (int k = 0; k < 3; k++)
        ch_activity_wait(&all[i][k]);
  printf("%s: %s\n", with ? "with" : "without",
         lost ? "objects were collected that are in use" : "nothing was collected that is in use");
  fflush(stdout);
  _exit(with && (lost || right != ACTIVITIES * 5));
}
