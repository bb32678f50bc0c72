/* setjmp in interruptible code: activities wait below it at the same time, in branches, too; longjmp leaves calls that
 * were suspended, with locals of every kind, out of plain code and out of atomic blocks, to the right setjmp of
 * several; copies of a buffer serve as well. */
// outcome: jumps_over_waits.expected
#include <alloca.h>
#include <charcoal.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define NI __attribute__((noinline))

static void check(int right, const char *what) {
  if (right)
    return;
  printf("wrong: %s\n", what);
  exit(1);
}

struct attempt {
  sigjmp_buf back;
  int level;
};

NI static void deep(struct attempt *a, int n) {
  char local[64];
  memset(local, n, sizeof local);
  if (n == 0) {
    usleep(100);
    siglongjmp(a->back, 40 + a->level);
  }
  deep(a, n - 1);
  check(local[5] == n, "a local of a function that a jump left");
}

NI static int attempt(int level) {
  struct attempt a = {.level = level};
  volatile int seen = 1;
  int r = sigsetjmp(a.back, 0);
  if (r == 0) {
    seen = 2;
    deep(&a, level);
  }
  check(r == 40 + level && seen == 2, "the value of a jump");
  return r;
}

NI static int nested(int level) {
  struct attempt outer = {.level = level};
  volatile int sum = 0;
  int r = sigsetjmp(outer.back, 0);
  if (r == 0) {
    for (int i = 0; i < 3; i++) {
      sum += attempt(i);
      usleep(100);
    }
    deep(&outer, 2);
  }
  return sum + r;
}

/* Over an attempt that waits itself. */
NI static void inner(struct attempt *outer) {
  struct attempt a = {.level = 1};
  if (sigsetjmp(a.back, 0) == 0)
    deep(outer, 3);
}
NI static int over_another(void) {
  struct attempt a = {.level = 5};
  int r = sigsetjmp(a.back, 0);
  if (r == 0)
    inner(&a);
  return r;
}

static struct attempt *attempts[64];
NI static int jump_in_plain_code(const void *a, const void *b) {
  (void)b;
  siglongjmp(attempts[*(const int *)a]->back, 3);
}
NI static void sort(int id) {
  int v[2] = {id, id};
  usleep(100); /* it goes on on another stack */
  qsort(v, 2, sizeof *v, jump_in_plain_code);
}
NI static int plain(int id) {
  struct attempt a;
  volatile int kept = 0;
  attempts[id] = &a;
  int r = sigsetjmp(a.back, 0);
  if (r == 0) {
    kept = 5;
    sort(id);
  }
  usleep(100);
  check(r == 3 && kept == 5, "a jump out of plain code");
  return r;
}

static void *volatile address;
NI static void add(int *p, int n) {
  usleep(10);
  *p += n;
}
NI static void grow(struct attempt *a, int n) {
  char *text = alloca((size_t)n);
  int kept = 3;
  address = &kept;
  memset(text, 'x', (size_t)n);
  add(&kept, n);
  check(kept == 3 + n && text[n - 1] == 'x', "a local whose address is known elsewhere");
  if (n > 60) {
    sigjmp_buf copy;
    memcpy(copy, a->back, sizeof copy);
    siglongjmp(copy, n);
  }
  grow(a, n + 20);
}
NI static int again(void) {
  struct attempt a;
  volatile int times = 0;
  int r = sigsetjmp(a.back, 0);
  if (r && times == 3)
    return r;
  times++;
  grow(&a, 21);
  return 0;
}

NI static void leave_block(struct attempt *a) {
  atomic { siglongjmp(a->back, 9); }
}
NI static int out_of_atomic(void) {
  struct attempt a;
  int r = sigsetjmp(a.back, 0);
  if (r == 0) {
    usleep(1);
    leave_block(&a);
  }
  usleep(1);
  return r;
}
/* From another stack, over an activation that has been set aside beside the one that is jumped to. */
NI static void leave_block_later(struct attempt *a) {
  usleep(1);
  leave_block(a);
}
NI static void set_aside(struct attempt *outer) {
  struct attempt own;
  if (sigsetjmp(own.back, 0) == 0)
    leave_block_later(outer);
}
NI static int out_of_atomic_over_another(void) {
  struct attempt a;
  int r = sigsetjmp(a.back, 0);
  if (r == 0)
    set_aside(&a);
  usleep(1);
  return r;
}
NI static int in_atomic(void) {
  struct attempt a;
  int r;
  atomic {
    r = sigsetjmp(a.back, 0);
    if (r == 0)
      siglongjmp(a.back, 4);
  }
  usleep(1);
  return r;
}

/* Of two buffers of one function, one in a scope that has ended since. */
NI static int around_a_scope(void) {
  struct attempt outside = {.level = 0}, inside;
  volatile int sum = 0;
  int r = sigsetjmp(outside.back, 0);
  if (r)
    return sum + r;
  do {
    int n = sigsetjmp(inside.back, 0);
    if (n == 0) {
      usleep(1);
      siglongjmp(inside.back, 20);
    }
    sum = n;
  }
  finish;
  deep(&outside, 1);
  return 0;
}

/* Jumps that are not allowed: the program ends with a message, and does not go on somehow. */
static void leave_a_scope(void) {
  struct attempt a;
  if (sigsetjmp(a.back, 0) == 0)
    do {
      usleep(1);
      siglongjmp(a.back, 1);
    }
  finish;
}
static void leave_a_block_in_plain_code(void) {
  struct attempt a;
  if (sigsetjmp(a.back, 1) == 0)
    noncancellable { siglongjmp(a.back, 1); }
}
static sigjmp_buf woken;
static void wake(int number) {
  (void)number;
  siglongjmp(woken, 1);
}
/* If the signal comes before the wait has begun, the jump is a right one, and it is tried again. */
NI static void sleep_until_signal(void) {
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = wake, .sa_flags = SA_NODEFER}, NULL);
  ualarm(50000, 0);
  ch_sleep(60000000000);
}
static void leave_a_wait(void) {
  while (sigsetjmp(woken, 0) || 1)
    sleep_until_signal();
}
static void leave_a_wait_in_plain_code(void) {
  while (sigsetjmp(woken, 1) || 1)
    sleep_until_signal();
}
static void jump_to_another(void) {
  static struct attempt a;
  activate {
    if (sigsetjmp(a.back, 0) == 0)
      ch_sleep(CH_FOREVER);
  }
  usleep(1000);
  siglongjmp(a.back, 1);
}
static int ends_with_a_message(void (*mistake)(void)) {
  int status;
  pid_t child = fork();
  if (child == 0) {
    check(freopen("/dev/null", "w", stderr) != NULL, "no /dev/null");
    mistake();
    _exit(0);
  }
  return waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* Main returns while another activity waits, on the thread's own stack. */
static int end_before_another(void) {
  activate {
    struct attempt a;
    if (sigsetjmp(a.back, 0) == 0)
      ch_sleep(CH_FOREVER);
  }
  ch_reschedule();
  return 3;
}
static int result_of_main(const char *program) {
  char command[4096];
  snprintf(command, sizeof command, "%s x", program);
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int all(int i) {
  return attempt(i % 7) + nested(i % 5) + over_another() + plain(i) + again() + around_a_scope() + out_of_atomic() +
         out_of_atomic_over_another() + in_atomic();
}

/* Twenty wait in it at the same time: with one after the other the last would not see the first. */
static int arrived;
static ch_sem everybody;
NI static void meet(sigjmp_buf back) {
  if (++arrived == 20)
    for (int i = 0; i < 20; i++)
      ch_sem_post(&everybody);
  ch_sem_wait(&everybody);
  siglongjmp(back, 1);
}
NI static int wait_for_all(void) {
  sigjmp_buf back;
  int r = sigsetjmp(back, 0);
  if (r == 0)
    meet(back);
  return r;
}

int main(int argc, char **argv) {
  if (argc > 1)
    return end_before_another();
  long total = 0;
  check(result_of_main(argv[0]) == 3, "the result of a main that ends first");
  check(ends_with_a_message(leave_a_scope), "a jump out of a scope");
  check(ends_with_a_message(leave_a_block_in_plain_code), "a jump out of a block in plain code");
  check(ends_with_a_message(leave_a_wait), "a jump over the scheduler");
  check(ends_with_a_message(leave_a_wait_in_plain_code), "a jump over the scheduler to plain code");
  check(ends_with_a_message(jump_to_another), "a jump to another activity");
  do
    for (int i = 0; i < 20; i++)
      async(i) { total += wait_for_all() + all(i); }
  finish;
  ch_activity handles[20];
  arrived = 0;
  for (int i = 0; i < 20; i++)
    activate[&handles[i]](i) { total += wait_for_all() + all(i); }
  for (int i = 0; i < 20; i++)
    ch_activity_wait(&handles[i]);
  printf("%ld\n", total);
}
