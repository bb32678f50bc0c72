// Straight-line code that uses libuv's requests: files are copied by calls of libuv, each of which ends with a
// callback.
//
// Here the program is Charcoal's, and an activity runs libuv's loop, by `drive`. In examples/loops it is the other way
// round.
#include <charcoal.h>
#include <charcoal/events.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

static uv_loop_t loop;
static ch_sem begun; // posted for each new request, which may change the loop's timeout

// Runs libuv's callbacks whenever its descriptor is ready or its time is over, until it is cancelled. While nothing is
// begun, uv_run reads nothing, so a late wake-up of libuv's threads would leave the descriptor ready for ever.
static void drive(void) {
  while (!ch_cancelled()) {
    uv_run(&loop, UV_RUN_NOWAIT);
    int ms = uv_backend_timeout(&loop);
    when(uv_loop_alive(&loop))
        waituntil(ch_fd_wait(uv_backend_fd(&loop), POLLIN, ms < 0 ? CH_FOREVER : ms * INT64_C(1000000))) {}
    or waituntil(ch_sem_wait(&begun)) {}
  }
}

ch_callback(on_file, event(ssize_t), (uv_fs_t * request), request->data, request->result)
    ch_callback(on_timer, event(), (uv_timer_t * timer), timer->data)

// One of libuv's calls for files, as a call that waits: the result, or the negative of an error number.
#define FILE_CALL(result, call, ...)                                                                                   \
  do {                                                                                                                 \
    uv_fs_t request;                                                                                                   \
    twait {                                                                                                            \
      request.data = ch_callback_data(on_file, mkevent(&result));                                                      \
      call(&loop, &request, __VA_ARGS__, on_file);                                                                     \
      ch_sem_post(&begun);                                                                                             \
    }                                                                                                                  \
    uv_fs_req_cleanup(&request);                                                                                       \
  } while (0)

        static ssize_t copy(const char *from, const char *to) {
  ssize_t in, out, n, written, sum = 0;
  char data[1000];
  FILE_CALL(in, uv_fs_open, from, O_RDONLY, 0);
  FILE_CALL(out, uv_fs_open, to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  for (; in >= 0 && out >= 0; sum += n) {
    uv_buf_t all = uv_buf_init(data, sizeof data);
    FILE_CALL(n, uv_fs_read, (uv_file)in, &all, 1, -1);
    if (n <= 0)
      break;
    uv_buf_t some = uv_buf_init(data, (unsigned)n);
    FILE_CALL(written, uv_fs_write, (uv_file)out, &some, 1, -1);
    if (written != n)
      break;
  }
  FILE_CALL(n, uv_fs_close, (uv_file)in);
  FILE_CALL(n, uv_fs_close, (uv_file)out);
  return in < 0 ? in : out < 0 ? out : sum;
}

static void pause_by_libuv(uint64_t ms) {
  uv_timer_t timer;
  uv_timer_init(&loop, &timer);
  twait {
    timer.data = ch_callback_data(on_timer, mkevent());
    uv_timer_start(&timer, on_timer, ms, 0);
    ch_sem_post(&begun);
  }
  twait { // libuv uses the handle until it has said that the handle is closed
    timer.data = ch_callback_data(on_timer, mkevent());
    uv_close((uv_handle_t *)&timer, (uv_close_cb)on_timer);
    ch_sem_post(&begun);
  }
}

int main(int count, char **arguments) {
  if (count < 3)
    return fprintf(stderr, "usage: over_libuv FROM TO...\n"), 2;
  uv_loop_init(&loop);
  do {
    async drive();
    do {
      for (int i = 2; i < count; i++)
        async(i) { printf("%zd bytes copied\n", copy(arguments[1], arguments[i])); }
      async pause_by_libuv(5);
    }
    finish;
    printf("no such file: %s\n", copy("/nowhere/at/all", "/dev/null") == UV_ENOENT ? "told" : "not told");
    cancel;
  }
  finish;
  return uv_loop_close(&loop);
}
