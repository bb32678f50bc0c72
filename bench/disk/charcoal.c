/* Has as many branches as the depth says, each of which reads by a blocking pread, again and again. */
#include "file.h"
#include <charcoal.h>

static struct work w;

static void read_on(char *buffer) {
  while (w.next < w.count) {
    ssize_t got = pread(w.fd, buffer, w.size, place(&w, w.next++));
    account(&w, buffer, got < 0 ? -errno : got);
  }
}

int main(int argc, char **argv) {
  stay_on_one_core();
  w = prepare(argc, argv);
  do {
    for (unsigned i = 0; i < w.depth; i++) async read_on(w.buffers + i * w.size);
  } finish;
  report_reads(&w);
}
