/* Counts the captures into frames and native stacks, and reports a function that returns too early. See captures.h. */
#include "frames/captures.h"
#include "report/symbols.h"
#include "sched/domain.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ch_checks;

struct capture {
  struct capture *next;
  struct ch_branch *branch;
  struct ch_frame *frame; /* NULL: it is on `stack` */
  struct ch_stack *stack; /* NULL: the stack is gone */
  const void *pointer;
  const char *site;
  const void *spawner; /* an address in the function that spawned the activity */
};

static __thread struct capture *captures;

static void note(struct ch_branch *b, const void *pointer, const char *site, const void *spawner) {
  struct ch_frame *f = ch_heap_frame_of(pointer);
  if (f && !(f->info->flags & CH_FRAME_HOME))
    return;
  char here;
  if (!f && !((const char *)pointer > &here && (const char *)pointer < ch_domain.stack->high))
    return;
  struct capture *c = malloc(sizeof *c);
  if (!c)
    return;
  *c = (struct capture){captures, b, f, ch_domain.stack, pointer, site, spawner};
  captures = c;
  if (f)
    f->held++;
}

void ch_captures_spawned(struct ch_branch *b, size_t size, const char *site, const void *spawner) {
  char *record = ch_branch_record(b);
  for (size_t at = 0; at + sizeof(void *) <= size; at += sizeof(void *)) {
    const void *p;
    memcpy(&p, record + at, sizeof p);
    note(b, p, site, spawner);
  }
  if (b->flags & CH_LONG && ch_branch_prefix(b)->handle)
    note(b, ch_branch_prefix(b)->handle, site, spawner);
}

static void forget(struct ch_branch *b, const void *pointer) {
  for (struct capture **at = &captures; *at;) {
    struct capture *c = *at;
    if (c->branch == b && (!pointer || c->pointer == pointer)) {
      if (c->frame)
        c->frame->held--;
      *at = c->next;
      free(c);
    } else {
      at = &c->next;
    }
  }
}
void ch_captures_activity_ends(struct ch_branch *b) { forget(b, NULL); }
void ch_captures_forget(struct ch_branch *b, const void *pointer) { forget(b, pointer); }

static _Noreturn void report(const struct capture *c, const char *where) {
  fflush(stdout);
  fprintf(stderr,
          "charcoal: %s returned while an activity that knows the address of one of its locals is alive\n"
          "charcoal: the activity was spawned at %s; give it a copy, or wait for its end before returning "
          "(a message from it is not its end)\n",
          where, c->site ? c->site : "an unknown place");
  fflush(NULL);
  _exit(CH_EXIT_MISUSE);
}

/* It returned some time ago, from where nobody knows. */
CH_COLD static _Noreturn void report_spawner(const struct capture *c) {
  struct ch_place place;
  bool known = ch_place_of((const char *)c->spawner - 1, &place) && place.function[0];
  char where[160];
  snprintf(where, sizeof where, "%s, or a function inlined into it,", place.function);
  report(c, known ? where : "a plain function");
}

void ch_captures_local_ends(const void *local, size_t size, const char *where) {
  for (struct capture *c = captures; c; c = c->next)
    if ((const char *)c->pointer >= (const char *)local && (const char *)c->pointer < (const char *)local + size)
      report(c, where);
}

void ch_captures_before_run(struct ch_branch *b) {
  ch_domain.stack->in_use = __builtin_frame_address(0);
  for (struct capture *c = captures; c; c = c->next)
    if (c->branch == b && !c->frame && (!c->stack || (const char *)c->pointer < c->stack->in_use))
      report_spawner(c);
}

void ch_captures_stack_ends(const struct ch_stack *s) {
  for (struct capture *c = captures; c; c = c->next)
    if (c->stack == s)
      c->stack = NULL;
}

void ch_captures_frame_ends(struct ch_frame *f) {
  for (struct capture *c = captures; c; c = c->next)
    if (c->frame == f) {
      const struct ch_frame_info *info = f->info;
      char where[512];
      uint32_t line = info->lines && f->point ? info->lines[f->point - 1] : 0;
      snprintf(where, sizeof where, info->file && line ? "%s (%s, after line %u)" : "%s",
               info->name ? info->name : "a function", info->file, line);
      report(c, where);
    }
}
