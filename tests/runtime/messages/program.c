/* Makes one mistake; usage: program CASE. A comment names a line that the message has to name. */
#include <charcoal.h>
#include <charcoal/channel.h>
#include <charcoal/events.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf back;
static ch_sem shared;
static rendezvous() outer;
static event() made;

static void waits_for_semaphore(void *unused) { (void)unused, ch_sem_wait(&shared); }
static void waits_for_rendezvous(void *unused) { (void)unused, (void)twait(outer); }
static void cancels_event(void *unused) { (void)unused, ch_event_cancel(made); }
static void in_another_domain(void (*body)(void *)) {
  ch_thread thread;
  ch_domain_start(&thread, body, NULL);
  ch_domain_join(&thread);
}

static void jumps_out_of_finish(void) {
  if (setjmp(back) == 0)
    do { // finish
      async ch_sleep(1000000);
      longjmp(back, 1);
    } finish;
}

static void jumps_out_of_within(void) {
  if (setjmp(back) == 0)
    within(1000000000) do { // within
      longjmp(back, 1);
    } finish;
}

static channel(int) ready, never;
static sigjmp_buf with_mask;
static int jumps_from_qsort(const void *a, const void *b) {
  longjmp(back, *(const int *)a + *(const int *)b);
}
static void waits_for_both(void) {
  int i = 1, two[] = {1, 2};
  ch_channel_init(&ready, 1);
  ch_channel_init(&never, 1);
  ch_send(&ready, &i);
  waituntil (ch_recv(&ready, &i)) { // body
    ch_sleep(1000);
    qsort(two, 2, sizeof *two, jumps_from_qsort);
  }
  and waituntil (ch_recv(&never, &i)) {}
}
static void jumps_out_of_a_body_in_plain_code(void) {
  if (setjmp(back) == 0)
    waits_for_both();
}
static void jumps_out_of_a_body_to_plain_code(void) {
  int i = 1;
  ch_channel_init(&ready, 1);
  ch_channel_init(&never, 1);
  ch_send(&ready, &i);
  if (sigsetjmp(with_mask, 1) == 0) {
    waituntil (ch_recv(&ready, &i)) siglongjmp(with_mask, 1); // plain
    and waituntil (ch_recv(&never, &i)) {}
  }
}

static void jumps_into_another_activity(void) {
  ch_activity waits;
  activate [&waits] {
    if (setjmp(back) == 0)
      ch_sleep(1000000000);
  }
  activate {
    ch_set_name("the jumper");
    ch_sleep(1000);
    longjmp(back, 1);
  }
  ch_activity_wait(&waits);
}

static void jumps(int signal) {
  (void)signal;
  longjmp(back, 1);
}
/* In a child: sends the signal when the program's thread sleeps, which it does only when all activities wait. */
static void alarm_when_it_sleeps(void) {
  char path[50], line[1000], state = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)getppid());
  while (state != 'S') {
    FILE *f = fopen(path, "r");
    if (!f || !fgets(line, sizeof line, f) || sscanf(strrchr(line, ')') + 1, " %c", &state) != 1)
      _exit(1);
    fclose(f);
  }
  kill(getppid(), SIGALRM);
  _exit(0);
}
static void jumps_out_of_a_handler_while_it_waits(void) {
  signal(SIGALRM, jumps);
  if (setjmp(back) == 0) {
    if (fork() == 0)
      alarm_when_it_sleeps();
    ch_sleep(100000000000);
  }
}

/* The memory that is asked for while an activity is set aside below a setjmp brings the signal in the midst of that. In
 * stress mode the activity first gives way, and a jump out of that is harmless. */
static int mallocs_until_alarm;
void *__libc_malloc(size_t);
void *malloc(size_t size) {
  if (mallocs_until_alarm > 0 && --mallocs_until_alarm == 0)
    raise(SIGALRM);
  return __libc_malloc(size);
}
static void jumps_out_of_a_handler_while_it_is_set_aside(void) {
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = jumps, .sa_flags = SA_NODEFER}, NULL);
  ch_sleep(1000); // allocates what the first timer needs
  for (volatile int mallocs = 1; mallocs < 10; mallocs++)
    if (sigsetjmp(back, 0) == 0) {
      mallocs_until_alarm = mallocs;
      ch_sleep(1000000);
    }
}

static void waits_in_two_domains(void) {
  activate ch_sem_wait(&shared);
  ch_sleep(1000);
  in_another_domain(waits_for_semaphore);
}

static void forgets_an_event(void) {
  rendezvous() r;
  int i;
  (void)mkevent(r, &i); // leak
}

static void triggers_twice(void) {
  rendezvous() r;
  int i;
  event(int) e = mkevent(r, &i); // twice
  ch_trigger(e, 1);
  ch_trigger(e, 2);
}

static void triggers_no_event(void) {
  event(int) e;
  memset(&e, 1, sizeof e);
  ch_trigger(e, 1);
}

static void waits_twice(void) {
  rendezvous() r;
  int i;
  ch_activity first;
  (void)mkevent(r, &i);
  activate [&first] {
    twait(r); // first
  }
  activate {
    twait(r); // second
  }
  ch_sleep(100000);
  ch_rendezvous_cancel(r);
  ch_activity_wait(&first);
}

static void copies_a_rendezvous(void) {
  rendezvous() r, copy;
  int i;
  (void)mkevent(r, &i);
  memcpy((void *)&copy, (void *)&r, sizeof r);
  (void)mkevent(copy, &i);
}

static void waits_for_a_foreign_rendezvous(void) {
  (void)mkevent(outer);
  in_another_domain(waits_for_rendezvous);
}

static void cancels_a_foreign_event(void) {
  made = mkevent(outer); // made
  in_another_domain(cancels_event);
}

static void uses_a_handle_twice(void) {
  static ch_activity handle;
  activate [&handle] ch_sleep(1000000); // first_use
  activate [&handle] ch_sleep(1000000); // second_use
  ch_activity_wait(&handle);
}

static void gives_a_handle_back(void) {
  ch_activity *handle = malloc(sizeof *handle);
  activate [handle] ch_sleep(1000000);
  free(handle);
  ch_sleep(2000000000);
}

/* No mistake: the child returns from here, but the activity that uses `local` is not in the child. */
static pid_t forks_beside_a_capture(void) {
  int local = 0;
  ch_activity user;
  activate [&user] {
    ch_sleep(1000000);
    local++;
  }
  ch_reschedule();
  pid_t child = fork();
  ch_activity_wait(&user);
  return child;
}
static void forks(void) {
  pid_t child = forks_beside_a_capture();
  if (child > 0)
    waitpid(child, NULL, 0);
}

/* No mistake, but everything that a setting in the environment can change. */
static void nothing(void *unused) { (void)unused; }
static void uses_settings(void) {
  activate {
    ch_sleep(1000000);
  }
  activate {
    for (volatile int i = 0; i < 20; i++) ch_sleep(0);
  }
  ch_offload(nothing, NULL);
  rendezvous() r;
  event() e = mkevent(r);
  ch_trigger(e);
  ch_trigger(e);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*f)(void);
  } cases[] = {
#define CASE(f) {#f, f}
      CASE(jumps_out_of_finish),
      CASE(jumps_out_of_within),
      CASE(jumps_out_of_a_body_in_plain_code),
      CASE(jumps_out_of_a_body_to_plain_code),
      CASE(jumps_into_another_activity),
      CASE(jumps_out_of_a_handler_while_it_waits),
      CASE(jumps_out_of_a_handler_while_it_is_set_aside),
      CASE(waits_in_two_domains),
      CASE(forgets_an_event),
      CASE(triggers_twice),
      CASE(triggers_no_event),
      CASE(waits_twice),
      CASE(copies_a_rendezvous),
      CASE(waits_for_a_foreign_rendezvous),
      CASE(cancels_a_foreign_event),
      CASE(uses_a_handle_twice),
      CASE(gives_a_handle_back),
      CASE(forks),
      CASE(uses_settings),
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    if (argc > 1 && strcmp(cases[i].name, argv[1]) == 0)
      cases[i].f();
  return 0;
}
