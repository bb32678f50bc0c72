// Wrong accesses to locals of functions that wait, one a case; usage: stack CASE right|wrong. In the manner of the
// stack tests of AddressSanitizer itself. The variable that is meant is called `local`. Nothing here is Charcoal's own,
// so that plain clang can be asked what it finds; each case then waits where it matters, so that its locals live on the
// heap.
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define DISABLE_TAIL __attribute__((disable_tail_calls))

static int wrong; // 0 or 1, unknown to the compiler
static volatile int sink;
static int *volatile kept;

NOINLINE static void wait_a_moment(void) {
  usleep(1);
  __asm__ volatile("");
}
NOINLINE static void keep(int *p) {
  kept = p;
  __asm__ volatile("" ::: "memory");
}
NOINLINE static void set(char *p, int i) { p[i] = 1; }
NOINLINE static void set_after_wait(char *p, int i) {
  wait_a_moment();
  p[i] = 1;
}

// ---- beside a local ----

static void write_behind(void) {
  int local[4] = {0};
  wait_a_moment();
  local[3 + wrong] = 1;
  sink = local[0];
}
static void write_behind_before_waiting(void) {
  int local[4] = {0};
  local[3 + wrong] = 1;
  wait_a_moment();
  sink = local[0];
}
static void read_behind(void) {
  int local[4] = {0};
  keep(local);
  wait_a_moment();
  sink = local[3 + wrong];
}
static void write_in_front(void) {
  int local[4] = {0};
  wait_a_moment();
  local[-wrong] = 1;
  sink = local[0];
}
static void read_in_front(void) {
  int local[4] = {0};
  keep(local);
  wait_a_moment();
  sink = local[-wrong];
}
static void within_the_last_word(void) {
  char local[13] = {0};
  wait_a_moment();
  local[12 + wrong] = 1;
  sink = local[0];
}
static void far_behind_a_large_one(void) {
  char local[5000] = {0};
  wait_a_moment();
  local[4999 + 100 * wrong] = 1;
  sink = local[0];
}
static void between_two(void) {
  char other[16] = {0}, local[16] = {0};
  wait_a_moment();
  local[15 + wrong] = 1;
  sink = local[0] + other[0];
}
static void behind_a_number(void) {
  int local = 1;
  keep(&local);
  wait_a_moment();
  sink = kept[wrong];
}
static void behind_an_aligned_one(void) {
  _Alignas(64) char local[64] = {0};
  wait_a_moment();
  local[63 + wrong] = 1;
  sink = local[0];
}
static void behind_a_volatile_one(void) {
  volatile char local[8] = {0};
  wait_a_moment();
  local[7 + wrong] = 1;
}
static void behind_a_matrix(void) {
  int local[3][5];
  memset(local, 0, sizeof local);
  wait_a_moment();
  local[2][4 + wrong] = 1;
  sink = local[0][0];
}
struct record {
  long number;
  char name[12];
};
static void behind_the_last_member(void) {
  struct record local = {0};
  wait_a_moment();
  local.name[15 + wrong] = 1;
  sink = (int)local.number;
}
static void behind_a_structure(void) {
  struct record local[2] = {{0}};
  wait_a_moment();
  local[1 + wrong].number = 1;
  sink = (int)local[0].number;
}
static void in_a_callee(void) {
  char local[10] = {0};
  wait_a_moment();
  set(local, 9 + wrong);
  sink = local[0];
}
static void in_a_callee_that_waits(void) {
  char local[10] = {0};
  set_after_wait(local, 9 + wrong);
  sink = local[0];
}
static void in_a_loop_of_waits(void) {
  char local[8] = {0};
  for (int i = 0; i < 8 + wrong; i++) {
    local[i] = 1;
    wait_a_moment();
  }
  sink = local[0];
}
static void by_memset(void) {
  char local[24];
  wait_a_moment();
  memset(local, 1, 24 + (size_t)wrong);
  sink = local[0];
}
static void by_memcpy_from_it(void) {
  char local[24] = {0}, *to = malloc(32);
  wait_a_moment();
  memcpy(to, local, 24 + (size_t)wrong);
  sink = to[0];
  free(to);
}
static void by_strcpy(void) {
  char local[8];
  const char *text = wrong ? "12345678" : "1234567";
  wait_a_moment();
  strcpy(local, text);
  sink = local[0];
}
static void by_snprintf(void) {
  char local[8];
  wait_a_moment();
  snprintf(local, 8 + (size_t)wrong, "%08d", 7);
  sink = local[0];
}

// ---- by calls that wait themselves ----

static void by_read(void) {
  char local[8];
  int ends[2];
  if (pipe(ends) || write(ends[1], "0123456789", 10) != 10)
    abort();
  sink = (int)read(ends[0], local, 8 + (size_t)wrong);
  sink = local[0];
  close(ends[0]), close(ends[1]);
}
static void *write_a_little_later(void *descriptor) {
  usleep(2000);
  if (write(*(int *)descriptor, "0123456789", 10) != 10)
    abort();
  return NULL;
}
static void by_read_of_what_comes_later(void) {
  char local[8];
  int ends[2];
  pthread_t writer;
  if (pipe(ends) || pthread_create(&writer, NULL, write_a_little_later, &ends[1]))
    abort();
  sink = (int)read(ends[0], local, 8 + (size_t)wrong);
  sink = local[0];
  pthread_join(writer, NULL);
  close(ends[0]), close(ends[1]);
}
static void by_recv_of_what_comes_later(void) {
  char local[8];
  int ends[2];
  pthread_t writer;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || pthread_create(&writer, NULL, write_a_little_later, &ends[1]))
    abort();
  sink = (int)recv(ends[0], local, 8 + (size_t)wrong, 0);
  sink = local[0];
  pthread_join(writer, NULL);
  close(ends[0]), close(ends[1]);
}
static void by_pread_of_a_file(void) {
  char local[8];
  FILE *f = tmpfile();
  fputs("0123456789", f);
  fflush(f);
  wait_a_moment();
  sink = (int)pread(fileno(f), local, 8 + (size_t)wrong, 0);
  sink = local[0];
  fclose(f);
}
static void by_readv(void) {
  char local[8];
  int ends[2];
  if (pipe(ends) || write(ends[1], "0123456789", 10) != 10)
    abort();
  struct iovec to = {local, 8 + (size_t)wrong};
  sink = (int)readv(ends[0], &to, 1);
  sink = local[0];
  close(ends[0]), close(ends[1]);
}
static void by_recv(void) {
  char local[8];
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || write(ends[1], "0123456789", 10) != 10)
    abort();
  sink = (int)recv(ends[0], local, 8 + (size_t)wrong, 0);
  sink = local[0];
  close(ends[0]), close(ends[1]);
}
static void by_write_from_it(void) {
  char local[8] = "1234567";
  int ends[2];
  if (pipe(ends))
    abort();
  wait_a_moment();
  sink = (int)write(ends[1], local, 8 + (size_t)wrong);
  close(ends[0]), close(ends[1]);
}
static void by_fread(void) {
  char local[8];
  FILE *f = fopen("/dev/zero", "r");
  wait_a_moment();
  sink = (int)fread(local, 1, 8 + (size_t)wrong, f);
  sink = local[0];
  fclose(f);
}
static void by_fgets(void) {
  char local[8];
  FILE *f = fopen("/proc/self/cmdline", "r");
  wait_a_moment();
  if (fgets(local, 8 + 3 * wrong, f))
    sink = local[0];
  fclose(f);
}

// ---- of variable length ----

static void behind_one_of_variable_length(void) {
  int n = 10 + wrong - wrong;
  char local[n];
  memset(local, 0, (size_t)n);
  wait_a_moment();
  local[9 + wrong] = 1;
  sink = local[0];
}
static void in_front_of_one_of_variable_length(void) {
  int n = 10 + wrong - wrong;
  char local[n];
  memset(local, 0, (size_t)n);
  wait_a_moment();
  local[-wrong] = 1;
  sink = local[0];
}
static void behind_alloca(void) {
  char *local = alloca(16 + (size_t)wrong - (size_t)wrong);
  memset(local, 0, 16);
  wait_a_moment();
  local[15 + wrong] = 1;
  sink = local[0];
}
static void one_of_variable_length_after_its_block(void) {
  char *p = NULL, other = 0;
  for (int i = 1; i < 3; i++) {
    char local[8 * i];
    memset(local, 0, sizeof local);
    p = wrong ? local : &other;
    wait_a_moment();
  }
  *p = 1;
}

// ---- parameters and results ----

NOINLINE static void take_by_value(struct record local, int i) {
  wait_a_moment();
  local.name[i] = 1;
  sink = (int)local.number;
}
static void behind_a_parameter_by_value(void) { take_by_value((struct record){0}, 15 + wrong); }
struct large {
  int numbers[30];
};
NOINLINE static void take_large_by_value(struct large local, int i) {
  wait_a_moment();
  local.numbers[i] = 1;
  sink = local.numbers[0];
}
static void behind_a_large_parameter_by_value(void) { take_large_by_value((struct large){{0}}, 29 + wrong); }
NOINLINE static void take_number(int local, int i) {
  keep(&local);
  wait_a_moment();
  sink = kept[i];
}
static void behind_a_parameter(void) { take_number(1, wrong); }
NOINLINE static struct large give_large(int i) {
  struct large result = {{0}};
  wait_a_moment();
  result.numbers[i] = 1;
  return result;
}
static void behind_a_result(void) {
  struct large local = give_large(29 + wrong);
  sink = local.numbers[0];
}

// ---- after its block ----

static void after_its_block(void) {
  int *p, other = 1;
  {
    int local[4] = {1};
    p = wrong ? local : &other;
    wait_a_moment();
  }
  sink = *p;
}
static void after_its_block_and_a_wait(void) {
  int other = 1;
  {
    int local = 1;
    keep(wrong ? &local : &other);
  }
  wait_a_moment();
  sink = *kept;
}
static void after_a_block_that_waits_first(void) {
  int other = 1;
  {
    int local[4];
    wait_a_moment();
    local[0] = 1;
    keep(wrong ? local : &other);
  }
  sink = *kept;
}
static void that_of_the_last_turn(void) {
  int other = 1;
  keep(&other);
  for (int i = 0; i < 3; i++) {
    int *before = kept;
    int local[4];
    if (i > 0)
      sink = *before;
    local[0] = i;
    keep(wrong ? local : &other);
    wait_a_moment();
  }
}
static void a_compound_literal_after_its_block(void) {
  struct record *p, other = {0};
  if (sink >= 0) {
    p = wrong ? &(struct record){.number = 1} : &other;
    wait_a_moment();
  }
  keep((int *)p);
  sink = *kept;
}
static void after_a_jump_out_of_its_block(void) {
  int other = 1;
  for (;;) {
    int local[2] = {1};
    keep(wrong ? local : &other);
    wait_a_moment();
    if (kept)
      goto out;
  }
out:
  sink = *kept;
}

// ---- after the function's end ----

NOINLINE static void leave_behind(void) {
  int local[4] = {1}, *other = malloc(16);
  *other = 1;
  keep(wrong ? local : other);
  wait_a_moment();
  if (wrong)
    free(other);
}
static void after_the_return(void) {
  leave_behind();
  sink = *kept;
  if (!wrong)
    free(kept);
}
NOINLINE DISABLE_TAIL static void leave_behind_deep(int n) {
  char pad[32];
  set(pad, n);
  if (n > 0)
    leave_behind_deep(n - 1);
  else
    leave_behind();
  set(pad, n);
}
static void after_several_returns(void) {
  leave_behind_deep(3);
  wait_a_moment();
  sink = *kept;
  if (!wrong)
    free(kept);
}
NOINLINE static int *by_parameter(int local) {
  keep(&local);
  wait_a_moment();
  return kept;
}
static void a_parameter_after_the_return(void) {
  int other = 1;
  int *p = by_parameter(1);
  sink = wrong ? *p : other;
}

// ---- in functions that have only a plain version ----

static void beside_setjmp(void) {
  jmp_buf back;
  char local[8] = {0};
  if (setjmp(back) == 0) {
    wait_a_moment();
    set(local, 7 + wrong);
    longjmp(back, 1);
  }
  sink = local[0];
}
static int compare(const void *a, const void *b) {
  char local[4] = {0};
  wait_a_moment();
  set(local, 3 + wrong);
  return *(const int *)a - *(const int *)b;
}
static void in_a_callback(void) {
  int numbers[] = {3, 1, 2};
  qsort(numbers, 3, sizeof *numbers, compare);
}

#define CASE(name) {#name, name}
static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {
    CASE(write_behind),
    CASE(write_behind_before_waiting),
    CASE(read_behind),
    CASE(write_in_front),
    CASE(read_in_front),
    CASE(within_the_last_word),
    CASE(far_behind_a_large_one),
    CASE(between_two),
    CASE(behind_a_number),
    CASE(behind_an_aligned_one),
    CASE(behind_a_volatile_one),
    CASE(behind_a_matrix),
    CASE(behind_the_last_member),
    CASE(behind_a_structure),
    CASE(in_a_callee),
    CASE(in_a_callee_that_waits),
    CASE(in_a_loop_of_waits),
    CASE(by_memset),
    CASE(by_memcpy_from_it),
    CASE(by_strcpy),
    CASE(by_snprintf),
    CASE(by_read),
    CASE(by_read_of_what_comes_later),
    CASE(by_recv_of_what_comes_later),
    CASE(by_pread_of_a_file),
    CASE(by_readv),
    CASE(by_recv),
    CASE(by_write_from_it),
    CASE(by_fread),
    CASE(by_fgets),
    CASE(behind_one_of_variable_length),
    CASE(in_front_of_one_of_variable_length),
    CASE(behind_alloca),
    CASE(one_of_variable_length_after_its_block),
    CASE(behind_a_parameter_by_value),
    CASE(behind_a_large_parameter_by_value),
    CASE(behind_a_parameter),
    CASE(behind_a_result),
    CASE(after_its_block),
    CASE(after_its_block_and_a_wait),
    CASE(after_a_block_that_waits_first),
    CASE(that_of_the_last_turn),
    CASE(a_compound_literal_after_its_block),
    CASE(after_a_jump_out_of_its_block),
    CASE(after_the_return),
    CASE(after_several_returns),
    CASE(a_parameter_after_the_return),
    CASE(beside_setjmp),
    CASE(in_a_callback),
};

int main(int argc, char **argv) {
  size_t n = sizeof cases / sizeof *cases;
  if (argc < 2) { // what there is
    for (size_t i = 0; i < n; i++)
      puts(cases[i].name);
    return 0;
  }
  wrong = argc > 2 && strcmp(argv[2], "wrong") == 0;
  for (size_t i = 0; i < n; i++)
    if (strcmp(argv[1], "all") == 0 || strcmp(argv[1], cases[i].name) == 0)
      cases[i].run();
  puts("end");
}
