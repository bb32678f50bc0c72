/* Runs the program: makes a domain, whose first activity is the interruptible version of main. */
#include "sched/anchor.h"
#include "frames/out_of_memory.h"
#include <stdio.h>
#include <stdlib.h>

struct main_call {
  struct ch_int_result (*main_int)(int, char **, char **);
  int argc;
  char **argv, **envp;
};

/* Written by hand according to the ABI. The call of main is the last thing here, so nothing has to be saved: the parent
 * of main's frame is the end of the chain, and its result is where the end of the activity looks for it. */
static int main_body(void *record) {
  struct main_call *call = record;
  struct ch_int_result r = call->main_int(call->argc, call->argv, call->envp);
  if ((int)r.status == CH_DONE)
    *(int *)ch_tls.result = (int)r.value;
  return (int)r.status;
}

/* Plain code of an activity calls main again. There is no plain version to call, because its name is local to its
 * file. */
static int call_again(const struct main_call *call) {
  static const struct ch_frame_info info = {
      .resume = ch_anchor_resume, .name = "main", .size = CH_FRAME_HEADER, .align = 16};
  struct ch_anchor anchor;
  if (ch_tls.atomic_depth != 0) {
    fflush(stdout);
    fprintf(stderr,
            "charcoal: code of another file calls main inside an atomic block; let main call a function of its own, "
            "and call that\n");
    abort();
  }
  ch_anchor_begin(&anchor, &info);
  struct ch_int_result r = call->main_int(call->argc, call->argv, call->envp);
  if ((int)r.status == CH_DONE)
    return (int)r.value;
  const int status = ch_anchor_wait(&anchor, 0, (int)r.status);
  if (status == CH_JUMPED)
    ch_anchor_jump_on();
  if (status == CH_THROWN)
    ch_throw_here();
  return *(int *)ch_tls.result;
}

int ch_main(void *main_int, int argc, char **argv, char **envp) {
  struct main_call call = {(struct ch_int_result (*)(int, char **, char **))main_int, argc, argv, envp};
  if (ch_domain.current && ch_domain.current != ch_domain.host)
    return call_again(&call);
  if (!ch_domain_run((void *)main_body, &call, sizeof call, "main", true))
    ch_out_of_memory("main's domain");
  return ch_domain.first ? 0 /* in a child of fork that has no main */ : *(int *)ch_tls.result;
}
