// A game's loop, written by hand and compiled by any C compiler: it draws 200 frames a second, polls its keys, and
// makes a step of the domain in each frame. Its characters are straight-line code (characters.c).
#include <poll.h>
#include <stdio.h>
#include <stdint.h>
#include <unistd.h>
#include <charcoal.h>
#include <charcoal/loop.h>
#include "characters.h"

enum { FRAME_MS = 5 };

static int milliseconds(int64_t ns) {
  return ns < 0 || ns >= FRAME_MS * INT64_C(1000000) ? FRAME_MS : (int)((ns + 999999) / 1000000);
}

int main(void) {
  int keys[2], frames = 0;
  int fd = ch_loop_fd();
  if (fd < 0 || pipe(keys) < 0)
    return 1;
  begin();
  while (!is_over()) {
    ch_loop_step();
    if (++frames % 10 == 0 && write(keys[1], "j", 1) != 1) // the player
      return 1;
    struct pollfd all[] = {{keys[0], POLLIN, 0}, {fd, POLLIN, 0}};
    char key;
    if (poll(all, 2, milliseconds(ch_loop_timeout())) > 0 && all[0].revents && read(keys[0], &key, 1) == 1)
      pressed(key);
  }
  puts(frames > 20 ? "the frames went on" : "there were too few frames");
}
