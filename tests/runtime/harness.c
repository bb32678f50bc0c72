/* Runs the tests that harness.h describes, each in a process of its own. */
#include "harness.h"
#include "charcoal/lowlevel.h"
#include <sys/resource.h>

struct test *tests, **last_test = &tests;
char notes[4096];
int tests_simulated;

/* Calls nothing, so that it is one step in stress mode, too. */
void note(const char *text) {
  char *end = notes;
  while (*end)
    end++;
  if (end != notes)
    *end++ = ' ';
  while ((*end++ = *text++)) {
  }
}

int run_domain_alone(main_function *body) { return ch_main((void *)body, 0, NULL, environ); }

static main_function *behind_source;
static void find_nothing(void *unused) { (void)unused; }
static struct ch_int_result beside_source(int argc, char **argv, char **envp) {
  static ch_source source;
  EXPECT(ch_source_add(&source, find_nothing, NULL) == 0);
  return behind_source(argc, argv, envp);
}
int run_domain(main_function *body) {
  behind_source = body;
  return run_domain_alone(getenv("BESIDE_A_SOURCE") ? beside_source : body);
}

static int run(const struct test *t) {
  int errors[2];
  if (pipe(errors) < 0)
    return 0;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    dup2(errors[1], 2);
    close(errors[0]);
    close(errors[1]);
    setenv("CHARCOAL_REACTOR", "simulated", 0);
    /* Against tests that hang or spin: far more than any takes, on a machine that is busy with other things, too. A
     * soak says how long it goes on. */
    const char *soak = getenv("SOAK");
    unsigned more = soak ? (unsigned)atoi(soak) : 0;
    struct rlimit seconds = {120 + more, 125 + more};
    setrlimit(RLIMIT_CPU, &seconds);
    alarm(300 + 2 * more);
    if (tests_simulated)
      execl("/proc/self/exe", "test", t->name, "here", NULL); /* for a domain with another reactor */
    else
      t->run();
    fflush(NULL);
    _exit(tests_simulated);
  }
  close(errors[1]);
  static char text[65536];
  size_t used = 0;
  for (ssize_t n; (n = read(errors[0], text + used, sizeof text - 1 - used)) > 0;)
    used += (size_t)n;
  text[used] = 0;
  close(errors[0]);
  int status;
  waitpid(child, &status, 0);
  int passed = WIFEXITED(status) && WEXITSTATUS(status) == t->status && (!t->text || strstr(text, t->text));
  if (passed)
    return 1;
  printf("FAILED %s: ", t->name);
  if (WIFSIGNALED(status))
    printf("ended by signal %d", WTERMSIG(status));
  else
    printf("exit status %d", WEXITSTATUS(status));
  if (t->status || t->text)
    printf(", expected %d and \"%s\"", t->status, t->text ? t->text : "");
  printf("\n%s\n", text);
  return 0;
}

int main(int argc, char **argv) {
  int passed = 0, failed = 0;
  for (struct test *t = tests; t; t = t->next) {
    if (argc > 1 && strcmp(argv[1], t->name) != 0)
      continue;
    if (argc > 2) {
      t->run();
      return 0;
    }
    if (run(t))
      passed++;
    else
      failed++;
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
