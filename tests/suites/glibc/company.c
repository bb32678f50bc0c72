/* Linked to a test of glibc's whose call of support_test_main was renamed to company_test_main: while the test runs,
 * another activity of its thread is awake again and again, so that no call of the test finds itself alone. It ends
 * after some seconds by itself, for a test may end its main thread by pthread_exit, which waits for all activities. */
#include <charcoal.h>
#include <stddef.h>
#include <support/test-driver.h>

static const int64_t nap = 2000000;
static const int naps = 2000;

static struct test_config chosen;

static int beside_company(int argc, char **argv) {
  int status = 0;
  ch_activity company = {0};
  activate[&company] {
    for (int i = 0; i < naps && ch_sleep(nap) == 0;)
      i++;
  }
  status = chosen.test_function_argv ? chosen.test_function_argv(argc, argv) : chosen.test_function();
  ch_activity_cancel(&company);
  ch_activity_wait(&company);
  return status;
}

int company_test_main(int argc, char **argv, const struct test_config *config) {
  struct test_config beside = *config;
  chosen = *config;
  beside.test_function = NULL;
  beside.test_function_argv = beside_company;
  return support_test_main(argc, argv, &beside);
}
