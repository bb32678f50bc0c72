/* Tests waits on a connection whose peer has ended its side, and still reads: what poll does not tell of it wakes
 * nobody, and takes no processor. A ring tells that end of all sockets, asked or not. */
#include "harness.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>

#define MS INT64_C(1000000)
#define LONG (100000 * MS)

static int ours, peers;
static bool
    is_exact; /* poll and write agree on whether there is room: of TCP, poll says so later than write finds some */

/* The kernel moves bytes to the peer, which makes room, for a while. */
static void fill(void) {
  static char many[65536];
  int mode = fcntl(ours, F_GETFL);
  EXPECT(fcntl(ours, F_SETFL, mode | O_NONBLOCK) == 0);
  for (long more = 1, n; more > 0; ch_fd_wait(ours, POLLOUT, 50 * MS)) {
    more = 0;
    while ((n = write(ours, many, sizeof many)) > 0 || (n = write(ours, many, 1)) > 0)
      more += n;
    EXPECT(errno == EAGAIN);
  }
  EXPECT(fcntl(ours, F_SETFL, mode) == 0);
}
static void take_all(void) {
  static char many[65536];
  while (recv(peers, many, sizeof many, MSG_DONTWAIT) > 0)
    ;
}

static void connect_tcp(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof at;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT(bind(listener, (struct sockaddr *)&at, length) == 0 && listen(listener, 1) == 0);
  EXPECT(getsockname(listener, (struct sockaddr *)&at, &length) == 0);
  ours = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT(connect(ours, (struct sockaddr *)&at, length) == 0);
  peers = accept(listener, NULL, NULL);
  EXPECT(peers >= 0 && close(listener) == 0);
}
static void connect_local(void) {
  int pair[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  ours = pair[0];
  peers = pair[1];
}

/* Full, and the peer's side has ended. */
static void begin(void (*connected)(void)) {
  is_exact = connected == connect_local;
  connected();
  fill();
  EXPECT(shutdown(peers, SHUT_WR) == 0);
  EXPECT(ch_fd_wait(ours, POLLIN, LONG) == POLLIN); /* it has arrived */
}

static int64_t processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void nobody_is_woken(void) {
  enum { TIME = 100 };
  struct pollfd room = {.fd = ours, .events = POLLOUT};
  struct timeval limit = {0, TIME * 1000};
  fd_set set;
  long result = -1;
  int found = -1;
  char byte = 'x';
  int64_t before = processor_time();
  do {
    async EXPECT(ch_fd_wait(ours, POLLOUT, TIME * MS) == 0);
    async EXPECT(ch_fd_wait(ours, POLLPRI, TIME * MS) == 0);
    async EXPECT(ch_fd_wait(ours, 0, TIME * MS) == 0);
    async EXPECT(poll(&room, 1, TIME) == 0 && room.revents == 0);
    async {
      FD_ZERO(&set);
      FD_SET(ours, &set);
      EXPECT(select(ours + 1, NULL, &set, NULL, &limit) == 0);
    }
    async {
      long r = 0;
      within(TIME * MS) do r = write(ours, &byte, 1);
      finish;
      EXPECT(!is_exact || (r == -1 && errno == ECANCELED));
    }
    async {
      waituntil(result = send(ours, &byte, 1, 0)) {}
      or waituntil(found = ch_fd_wait(ours, POLLOUT, CH_FOREVER)) {}
      or waituntil(ch_sleep(TIME * MS)) {}
    }
  }
  finish;
  EXPECT((!is_exact || result == -1) && found == -1);
  EXPECT(processor_time() - before < TIME / 2 * MS);
}
TEST(the_end_of_a_local_peers_side_is_neither_room_nor_urgent) {
  begin(connect_local);
  nobody_is_woken();
}
TEST(the_end_of_a_peers_side_is_neither_room_nor_urgent) {
  begin(connect_tcp);
  nobody_is_woken();
}

static void all_are_woken_by_room(void) {
  int waited[3] = {0}, woken = 0;
  long wrote = 0;
  struct pollfd room = {.fd = ours, .events = POLLOUT};
  do {
    for (int i = 0; i < 3; i++)
      async(i) {
        waited[i] = ch_fd_wait(ours, POLLOUT, LONG);
        woken++;
      }
    async EXPECT(poll(&room, 1, -1) == 1 && room.revents == POLLOUT);
    async {
      waituntil(wrote = write(ours, "x", 1)) {}
      or waituntil(ch_sleep(LONG)) {}
    }
    async EXPECT(send(ours, "y", 1, 0) == 1);
    ch_sleep(5 * MS);
    EXPECT(woken == 0 && (!is_exact || wrote == 0) && room.revents == 0);
    while (woken < 3 || wrote == 0) {
      take_all();
      ch_sleep(MS);
    }
  }
  finish;
  for (int i = 0; i < 3; i++)
    EXPECT(waited[i] == POLLOUT);
  EXPECT(wrote == 1);
}
TEST(room_wakes_all_who_wait_for_it_behind_the_end_of_a_local_peers_side) {
  begin(connect_local);
  all_are_woken_by_room();
}
TEST(room_wakes_all_who_wait_for_it_behind_the_end_of_a_peers_side) {
  begin(connect_tcp);
  all_are_woken_by_room();
}

TEST(whoever_waits_behind_the_end_of_the_peers_side_can_give_up_or_be_closed) {
  begin(connect_local);
  for (int i = 0; i < 200; i++) {
    int late = 0;
    waituntil(ch_fd_wait(ours, POLLOUT, CH_FOREVER)) {}
    or waituntil(ch_sleep(MS / 10)) late = 1;
    EXPECT(late);
  }
  int found = 0;
  do {
    async found = ch_fd_wait(ours, POLLOUT, LONG);
    ch_sleep(2 * MS);
    EXPECT(close(ours) == 0);
  }
  finish;
  EXPECT(found == -EBADF);
  char byte;
  take_all();
  EXPECT(read(peers, &byte, 1) == 0); /* nothing in the kernel holds the connection */
}
