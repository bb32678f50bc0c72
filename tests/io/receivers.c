/* Tests `sendto` as a clause whose receiver on this machine is full. poll tells of the sender's own room alone, so the
 * clause waits by other means: without polling, and for as long as the receiver is full. */
#include "harness.h"
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

enum { MS = 1000000 };

static struct sockaddr_un at;
static socklen_t length;
static int sender, receiver;

static int receiver_at(struct sockaddr_un *address, socklen_t *size) {
  int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  EXPECT(bind(fd, (struct sockaddr *)address, sizeof address->sun_family) == 0); /* the kernel chooses a name */
  *size = sizeof *address;
  EXPECT(getsockname(fd, (struct sockaddr *)address, size) == 0);
  return fd;
}
static void fill(void) {
  while (sendto(sender, "filled", 6, MSG_DONTWAIT, (struct sockaddr *)&at, length) == 6)
    ;
  EXPECT(errno == EAGAIN);
}
static void begin(void) {
  sender = socket(AF_UNIX, SOCK_DGRAM, 0);
  receiver = receiver_at(&at, &length);
  fill();
}
static int take(char *to) { return (int)recv(receiver, to, 10, MSG_DONTWAIT); }
static int take_all(const char *last) {
  char got[10], before[10] = "";
  int n = 0;
  for (int r; (r = take(got)) > 0; n++)
    memcpy(before, got, 10);
  EXPECT(memcmp(before, last, strlen(last)) == 0);
  return n;
}

static int64_t processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

TEST(a_clause_waits_for_a_full_receiver_without_taking_a_processor) {
  long r = 0;
  int late = 0;
  begin();
  int64_t before = processor_time();
  waituntil(r = sendto(sender, "lost", 4, 0, (struct sockaddr *)&at, length)) {}
  or waituntil(ch_sleep(1000 * MS)) late = 1;
  EXPECT(late && r == 0);
  EXPECT(processor_time() - before < 50 * MS);
  take_all("filled");
}

TEST(a_clause_sends_when_the_receiver_has_room) {
  long r = 0;
  char got[10];
  begin();
  activate {
    ch_sleep(MS);
    take(got);
  }
  waituntil(r = sendto(sender, "sent", 4, 0, (struct sockaddr *)&at, length)) {}
  EXPECT(r == 4);
  take_all("sent");
}

TEST(many_clauses_send_to_one_receiver_one_after_the_other) {
  enum { MANY = 30 };
  int sent = 0, taken = 0;
  begin();
  do {
    for (int i = 0; i < MANY; i++)
      async {
        long r = 0;
        waituntil(r = sendto(sender, "many", 4, 0, (struct sockaddr *)&at, length)) {}
        EXPECT(r == 4);
        sent++;
      }
    for (char got[10]; sent < MANY || take(got) > 0;) {
      taken += take(got) > 0;
      ch_sleep(10000);
    }
  }
  finish;
  EXPECT(sent == MANY && taken > 0);
}

TEST(a_clause_waits_for_each_of_two_receivers) {
  struct sockaddr_un other;
  socklen_t other_length;
  char got[10];
  long first = 0, second = 0;
  begin();
  int another = receiver_at(&other, &other_length);
  while (sendto(sender, "filled", 6, MSG_DONTWAIT, (struct sockaddr *)&other, other_length) == 6)
    ;
  activate {
    ch_sleep(MS);
    EXPECT(recv(another, got, 10, MSG_DONTWAIT) == 6);
  }
  waituntil(first = sendto(sender, "first", 5, 0, (struct sockaddr *)&at, length)) {}
  or waituntil(second = sendto(sender, "second", 6, 0, (struct sockaddr *)&other, other_length)) {}
  EXPECT(first == 0 && second == 6);
  take_all("filled");
}

TEST(a_connected_socket_waits_for_the_receiver_that_the_call_names) {
  struct sockaddr_un full;
  socklen_t full_length;
  char got[10];
  long r = 0;
  begin();
  int never = receiver_at(&full, &full_length);
  EXPECT(connect(sender, (struct sockaddr *)&full, full_length) == 0);
  while (send(sender, "filled", 6, MSG_DONTWAIT) == 6)
    ;
  activate {
    ch_sleep(MS);
    take(got);
  }
  waituntil(r = sendto(sender, "named", 5, 0, (struct sockaddr *)&at, length)) {}
  EXPECT(r == 5);
  take_all("named");
  close(never);
}

TEST(a_receiver_that_is_closed_ends_the_clause) {
  long r = 0;
  begin();
  activate {
    ch_sleep(MS);
    close(receiver);
  }
  waituntil(r = sendto(sender, "lost", 4, 0, (struct sockaddr *)&at, length)) EXPECT(errno == ECONNREFUSED);
  EXPECT(r == -1);
}

TEST(a_sender_that_is_closed_ends_the_clause) {
  long r = 0;
  begin();
  activate {
    ch_sleep(MS);
    close(sender);
  }
  waituntil(r = sendto(sender, "lost", 4, 0, (struct sockaddr *)&at, length)) EXPECT(errno == EBADF);
  EXPECT(r == -1);
  take_all("filled");
}

TEST(a_cancelled_clause_sends_nothing) {
  int reached = 0;
  begin();
  do {
    async {
      waituntil(sendto(sender, "lost", 4, 0, (struct sockaddr *)&at, length)) reached++;
      EXPECT(ch_cancelled());
    }
    ch_sleep(MS);
    cancel;
  }
  finish;
  EXPECT(!reached);
  take_all("filled");
}
