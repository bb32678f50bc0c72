/* Makes one read after the other, whatever the depth is. */
#include "file.h"

int main(int argc, char **argv) {
  stay_on_one_core();
  struct work w = prepare(argc, argv);
  while (w.next < w.count) {
    ssize_t got = pread(w.fd, w.buffers, w.size, place(&w, w.next++));
    account(&w, w.buffers, got < 0 ? -errno : got);
  }
  report_reads(&w);
}
