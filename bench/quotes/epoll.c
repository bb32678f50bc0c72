/* epoll by hand. Because the period is the same for all, the clients form one queue in the order of their next message.
 * The timeout of epoll_wait is that of the queue's head, in whole milliseconds, so that a wake-up serves all who are
 * due by then. */
#define _GNU_SOURCE
#include "../common/measure.h"
#include "../common/serve.h"
#include "quote.h"
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

struct client {
  struct client *next;
  int64_t due;
  uint64_t number;
  int fd;
  unsigned sent; /* bytes of the current message that the kernel took; the rest waits for EPOLLOUT */
  int waiting;   /* for EPOLLOUT; it is not on the queue then */
};

static struct client *head, **tail = &head;
static int epoll;

static void enqueue(struct client *c) {
  c->next = NULL;
  *tail = c;
  tail = &c->next;
}

static struct client *dequeue(void) {
  struct client *c = head;
  head = c->next;
  if (!head)
    tail = &head;
  return c;
}

static void wait_for_room(struct client *c, int on) {
  struct epoll_event event = {.events = on ? EPOLLOUT : 0, .data.ptr = c};
  if (c->waiting == on)
    return;
  epoll_ctl(epoll, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, c->fd, &event);
  c->waiting = on;
}

static void deliver(struct client *c) {
  struct quote quote;
  make_quote(&quote, c->number);
  ssize_t sent = send(c->fd, (char *)&quote + c->sent, sizeof quote - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && errno != EAGAIN) {
    close(c->fd);
    free(c);
    return;
  }
  c->sent += sent > 0 ? (unsigned)sent : 0;
  if (c->sent < sizeof quote) {
    wait_for_room(c, 1);
    return;
  }
  wait_for_room(c, 0);
  c->sent = 0;
  c->number++;
  c->due += PERIOD_NS;
  enqueue(c);
}

static void welcome(int listener) {
  int fd;
  while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    struct client *c = calloc(1, sizeof *c);
    if (!c)
      exit(1);
    no_delay(fd);
    c->fd = fd;
    c->due = (int64_t)now_ns();
    deliver(c);
  }
}

int main(void) {
  int listener = announce(SOCK_NONBLOCK);
  epoll = epoll_create1(0);
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &(struct epoll_event){.events = EPOLLIN});
  for (;;) {
    struct epoll_event ready[64];
    int64_t left = head ? head->due - (int64_t)now_ns() : 0;
    int n = epoll_wait(epoll, ready, 64, !head ? -1 : left <= 0 ? 0 : (int)((left + 999999) / 1000000));
    for (int i = 0; i < n; i++) {
      if (ready[i].data.ptr)
        deliver(ready[i].data.ptr);
      else
        welcome(listener);
    }
    for (int64_t now = (int64_t)now_ns(); head && head->due <= now;)
      deliver(dequeue());
  }
}
