// Straight-line code inside a libuv loop: a client and a server are activities, beside libuv's own timer and thread
// pool.
//
// The program belongs to libuv: its main waits in uv_run. The callbacks that libuv calls trigger events, and
// straight-line code waits for these.
#include <charcoal.h>
#include <charcoal/events.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "uv_loop.h"

static int ticks;
static void tick(uv_timer_t *timer) {
  (void)timer;
  ticks++;
}

// A computation on a thread of libuv's pool; its end triggers the event.
struct sum {
  uv_work_t work;
  int n, result;
  event(int) done;
};
static void compute(uv_work_t *work) {
  struct sum *s = work->data;
  for (int i = 1; i <= s->n; i++)
    s->result += i;
}
static void computed(uv_work_t *work, int status) {
  struct sum *s = work->data;
  ch_trigger(s->done, status == 0 ? s->result : -1);
}
static int sum_up_to(int n) {
  int result;
  struct sum s = {.n = n};
  s.work.data = &s;
  twait {
    s.done = mkevent(&result);
    uv_queue_work(uv_default_loop(), &s.work, compute, computed);
  }
  return result;
}

static void serve(int fd) {
  char text[100];
  for (ssize_t n; (n = read(fd, text, sizeof text)) > 0;)
    if (write(fd, text, (size_t)n) != n)
      break;
  close(fd);
}

static int ask(int fd, const char *question) {
  char answer[100] = "";
  if (write(fd, question, strlen(question)) < 0)
    return -1;
  ssize_t n = read(fd, answer, sizeof answer - 1);
  return n > 0 && strcmp(question, answer) == 0 ? 0 : -1;
}

int main(void) {
  uv_loop_t *loop = uv_default_loop();
  struct guest guest;
  uv_timer_t timer;
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 || guest_join(&guest, loop) < 0)
    return 1;
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, tick, 0, 1);

  activate { serve(pair[1]); }
  activate {
    int right = 0, seen = ticks;
    for (int i = 0; i < 20; i++) {
      right += ask(pair[0], "hello") == 0;
      ch_sleep(1000000);
    }
    close(pair[0]);
    printf("%d answers are right; 1 + ... + 100 is %d\n", right, sum_up_to(100));
    printf("libuv's timer %s meanwhile\n", ticks > seen ? "went on" : "stood still");
    uv_close((uv_handle_t *)&timer, NULL);
    guest_leave(&guest);
  }
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop);
}
