/* The program of a test whose shared library reads: an activity waits in the library's call. */
#include <charcoal.h>
#include <stdio.h>
#include <unistd.h>

int library_read(int fd);

int main(void) {
  int p[2], got = 0;
  if (pipe(p) < 0)
    return 1;
  ch_activity reader;
  activate[&reader] {
    got = library_read(p[0]);
    puts("the library has read");
  }
  ch_reschedule();
  puts("main goes on");
  if (write(p[1], "x", 1) != 1)
    return 2;
  ch_activity_wait(&reader);
  return got == 2 ? 0 : 3;
}
