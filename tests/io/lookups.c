/* Tests name look-ups by c-ares, with a server in the program that answers, answers late, or not at all: what is asked
 * again and when, what a thread and a child of fork leave behind and inherit, and the flags of getaddrinfo. */
#include "harness.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <ifaddrs.h>
#include <malloc.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>

/* ---- the server ----
 *
 * The first letter of a name says what becomes of its queries: d(ead) gets no answer, l(ate) none to the first query,
 * w(aiting) none while `holds`; n(obody) is told to be no name; all others have 10.0.0.7 and 2001:db8::7. */

enum { LETTERS = 128 };
static int asked[LETTERS];          /* how many queries have come, by the first letter */
static in_port_t asked_by[LETTERS]; /* and from which port the last one */
static int answered_by[LETTERS];    /* and the number of the server that the last one came to */
static volatile int holds;

static void serve(int fd, int number) {
  static unsigned char m[512];
  static struct sockaddr_in from;
  static const unsigned char v4[16] = {0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, 7};
  static const unsigned char v6[28] = {0xc0, 12,   0, 28, 0, 1, 0, 0, 0, 60, 0, 16, 0x20, 1,
                                       0xd,  0xb8, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0,  0,    7};
  for (;;) {
    socklen_t size = sizeof from;
    ssize_t n = recvfrom(fd, m, sizeof m - 100, 0, (struct sockaddr *)&from, &size);
    if (n < 17)
      continue;
    size_t at = 12;
    while (m[at])
      at += m[at] + 1u;
    int letter = m[13] % LETTERS, type = m[at + 2];
    at += 5;
    asked[letter]++;
    asked_by[letter] = from.sin_port;
    answered_by[letter] = number;
    if (letter == 'd' || (letter == 'l' && asked[letter] == 1) || (letter == 'w' && holds))
      continue;
    m[2] = 0x81;
    m[3] = 0x80;
    memset(m + 6, 0, 6);
    if (letter == 'n') {
      m[3] = 0x83;
      sendto(fd, m, at, 0, (struct sockaddr *)&from, size);
      continue;
    }
    m[7] = 1;
    memcpy(m + at, type == 1 ? v4 : v6, type == 1 ? sizeof v4 : sizeof v6);
    sendto(fd, m, at + (type == 1 ? sizeof v4 : sizeof v6), 0, (struct sockaddr *)&from, size);
  }
}

/* Servers have the numbers 1, 2, ... False: there cannot be one at this address. Its port is in *a then. */
static bool make_server_at(struct sockaddr_in *a) {
  static int servers;
  int number = servers + 1;
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  socklen_t size = sizeof *a;
  if (bind(fd, (struct sockaddr *)a, size) != 0)
    return false;
  EXPECT(getsockname(fd, (struct sockaddr *)a, &size) == 0);
  activate(fd, number) { serve(fd, number); }
  servers++;
  return true;
}
/* Sets `list` to the new one's address. */
static void make_server(char list[64]) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  EXPECT(make_server_at(&a));
  snprintf(list, 64, "127.0.0.1:%d", ntohs(a.sin_port));
}
static void start_server(void) {
  char list[64];
  make_server(list);
  EXPECT(ch_dns_servers(list) == 0);
}

/* The result of getaddrinfo. *v4, *v6, *mapped: how many addresses it has. */
static int look_up(const char *name, int family, int flags, int *v4, int *v6, int *mapped) {
  struct addrinfo *found = NULL, hints = {.ai_family = family, .ai_flags = flags, .ai_socktype = SOCK_STREAM};
  *v4 = *v6 = *mapped = 0;
  int error = getaddrinfo(name, NULL, &hints, &found);
  for (struct addrinfo *a = found; a; a = a->ai_next)
    if (a->ai_family == AF_INET)
      ++*v4;
    else if (IN6_IS_ADDR_V4MAPPED(&((struct sockaddr_in6 *)a->ai_addr)->sin6_addr))
      ++*mapped;
    else
      ++*v6;
  if (found)
    freeaddrinfo(found);
  return error;
}
static int look_up_v4(const char *name) {
  int v4, v6, mapped;
  int error = look_up(name, AF_INET, 0, &v4, &v6, &mapped);
  EXPECT(error || (v4 == 1 && v6 == 0 && mapped == 0));
  return error;
}
static void wait_until_asked(int letter, int times) {
  while (asked[letter] < times)
    ch_sleep(1000000);
}

/* ---- in time ---- */

/* The second query for the dead name is followed by a longer pause. */
TEST(a_query_is_asked_again_in_time_although_an_earlier_one_is_not) {
  start_server();
  activate look_up_v4("dead.example");
  wait_until_asked('d', 2);
  EXPECT(look_up_v4("late.example") == 0 && asked['l'] == 2 && asked['d'] == 2);
  exit(0);
}

/* ---- its sockets ---- */

TEST(a_query_takes_no_number_of_the_programs_and_goes_on_when_its_own_is_wanted) {
  ch_activity asks;
  int error = -1;
  start_server();
  int lowest = dup(0);
  EXPECT(lowest >= 0 && close(lowest) == 0);
  activate[&asks] { error = look_up_v4("late.example"); }
  wait_until_asked('l', 1);
  EXPECT(dup(0) == lowest);
  for (int fd = lowest; fd < 1000; fd++)
    EXPECT(dup2(0, fd) == fd);
  for (int fd = lowest; fd < 1000; fd++)
    EXPECT(close(fd) == 0);
  ch_activity_wait(&asks);
  EXPECT(error == 0 && asked['l'] == 2);
  exit(0);
}

/* ---- other servers ---- */

TEST(who_waited_for_the_turn_to_ask_asks_the_servers_that_were_set_meanwhile) {
  enum { AT_ONCE = 128, MORE = 12 };
  int found = 0;
  start_server();
  holds = 1;
  do {
    for (int i = 0; i < AT_ONCE; i++)
      async found += look_up_v4("waiting.example") == 0;
    wait_until_asked('w', AT_ONCE);
    for (int i = 0; i < MORE; i++)
      async found += look_up_v4("known.example") == 0;
    EXPECT(asked['k'] == 0);
    start_server();
    holds = 0;
  }
  finish;
  EXPECT(found == AT_ONCE + MORE);
  EXPECT(answered_by['w'] == 1 && answered_by['k'] == 2);
  exit(0);
}
/* /etc/resolv.conf, for this process alone. False: this user may not do that, or has no name server at these addresses.
 */
static void configure(int address) {
  FILE *f = fopen("resolv.conf", "w");
  EXPECT(f && fprintf(f, "nameserver 127.77.0.%d\n", address) > 0 && fclose(f) == 0);
}
static bool has_configuration_of_its_own(void) {
  for (int i = 1; i <= 2; i++) {
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_port = htons(53), .sin_addr.s_addr = htonl(0x7f4d0000 + (unsigned)i)};
    if (!make_server_at(&a))
      return false;
  }
  configure(1);
  return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         mount("resolv.conf", "/etc/resolv.conf", NULL, MS_BIND, NULL) == 0;
}
TEST(a_changed_configuration_holds_for_the_next_query) {
  alarm(60);
  if (!has_configuration_of_its_own())
    exit(0);
  EXPECT(look_up_v4("a.example") == 0 && answered_by['a'] == 1);
  configure(2);
  EXPECT(look_up_v4("b.example") == 0 && answered_by['b'] == 2);
  exit(0);
}

static void *sets_servers(void *list) {
  EXPECT(ch_dns_servers(list) == 0);
  return NULL;
}
TEST(servers_that_one_thread_sets_are_asked_by_all) {
  char list[64];
  pthread_t t;
  start_server();
  EXPECT(look_up_v4("known.example") == 0 && answered_by['k'] == 1);
  make_server(list);
  EXPECT(pthread_create(&t, NULL, sets_servers, list) == 0 && pthread_join(t, NULL) == 0);
  EXPECT(look_up_v4("known.example") == 0 && answered_by['k'] == 2);
  exit(0);
}

/* ---- threads ---- */

static int sockets(void) {
  DIR *all = opendir("/proc/self/fd");
  int n = 0;
  for (struct dirent *e; (e = readdir(all));) {
    char what[8] = "";
    n += readlinkat(dirfd(all), e->d_name, what, sizeof what) > 0 && memcmp(what, "socket:", 7) == 0;
  }
  return closedir(all), n;
}
static void *abandons(void *unused) {
  int before = asked['d'];
  do {
    async look_up_v4("dead.example");
    while (asked['d'] == before)
      ch_sleep(1000000);
    cancel;
  }
  finish;
  return unused;
}
static void *finds(void *unused) {
  activate { ch_sleep(1); }
  EXPECT(look_up_v4("known.example") == 0);
  return unused;
}
static void in_threads(void *(*routine)(void *), int n) {
  for (int i = 0; i < n; i++) {
    pthread_t t;
    EXPECT(pthread_create(&t, NULL, routine, NULL) == 0 && pthread_join(t, NULL) == 0);
  }
}
TEST(a_thread_that_ends_closes_the_sockets_of_abandoned_queries) {
  start_server();
  in_threads(abandons, 1);
  int before = sockets();
  in_threads(abandons, 5);
  EXPECT(sockets() == before);
  exit(0);
}
TEST(a_thread_that_ends_frees_what_it_asked_by) {
  start_server();
  in_threads(finds, 10);
  size_t before = mallinfo2().uordblks;
  in_threads(finds, 10);
  EXPECT(mallinfo2().uordblks < before + 50000);
  exit(0);
}

/* ---- children ---- */

static int ended_well(pid_t child) {
  int status;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
TEST(a_child_asks_by_sockets_of_its_own) {
  start_server();
  holds = 1;
  ch_activity waits;
  int found = -1;
  activate[&waits] { found = look_up_v4("waiting.example"); }
  wait_until_asked('w', 1);
  in_port_t parents = asked_by['w'];
  pid_t child = fork();
  if (child == 0)
    _exit(look_up_v4("known.example"));
  EXPECT(ended_well(child) && asked['k'] == 1 && asked_by['k'] != parents);
  holds = 0;
  EXPECT(ch_activity_wait(&waits) == 0 && found == 0 && asked_by['w'] == parents);
  exit(0);
}
TEST(what_the_parents_other_activities_ask_takes_no_room_in_a_child) {
  enum { MORE_THAN_AT_ONCE = 140 };
  start_server();
  for (int i = 0; i < MORE_THAN_AT_ONCE; i++)
    activate look_up_v4("dead.example");
  wait_until_asked('d', 100);
  pid_t child = fork();
  if (child == 0)
    _exit(look_up_v4("known.example"));
  EXPECT(ended_well(child));
  exit(0);
}
TEST(a_branch_that_waits_for_its_turn_asks_in_the_child_of_its_activity) {
  enum { AT_ONCE = 128 };
  int found = -1;
  pid_t child;
  start_server();
  for (int i = 0; i < AT_ONCE; i++)
    activate look_up_v4("dead.example");
  wait_until_asked('d', AT_ONCE);
  do {
    async found = look_up_v4("known.example");
    EXPECT(found == -1);
    child = fork();
    if (child > 0)
      cancel;
  }
  finish;
  if (child == 0)
    _exit(found);
  EXPECT(ended_well(child) && asked['k'] == 1);
  exit(0);
}
TEST(the_forking_activitys_branches_get_their_answers_in_parent_and_child) {
  start_server();
  holds = 1;
  int found = -1;
  pid_t child = 0;
  do {
    async found = look_up_v4("waiting.example");
    async {
      wait_until_asked('w', 1);
      child = fork();
      holds = 0;
    }
  }
  finish;
  if (child == 0)
    _exit(found);
  EXPECT(found == 0 && ended_well(child) && asked['w'] >= 3);
  exit(0);
}

/* ---- flags ---- */

static void configured(int *v4, int *v6) {
  struct ifaddrs *all;
  *v4 = *v6 = 0;
  EXPECT(getifaddrs(&all) == 0);
  for (struct ifaddrs *i = all; i; i = i->ifa_next)
    if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET)
      *v4 |= ((struct sockaddr_in *)i->ifa_addr)->sin_addr.s_addr != htonl(INADDR_LOOPBACK);
    else if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET6)
      *v6 |= !IN6_IS_ADDR_LOOPBACK(&((struct sockaddr_in6 *)i->ifa_addr)->sin6_addr);
  freeifaddrs(all);
}
/* A network of the test's own, where the kernel allows one: with loopback alone, and then with an address of IPv4. */
static void set_interface(const char *name, unsigned long command, struct ifreq request) {
  int s = socket(AF_INET, SOCK_DGRAM, 0);
  strcpy(request.ifr_name, name);
  EXPECT(ioctl(s, command, &request) == 0);
  close(s);
}
static int leave_network(void) {
  if (unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
    return 0;
  set_interface("lo", SIOCSIFFLAGS, (struct ifreq){.ifr_flags = IFF_UP | IFF_RUNNING});
  return 1;
}
static void add_ipv4_address(void) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a010101)};
  struct ifreq request = {0};
  memcpy(&request.ifr_addr, &a, sizeof a);
  set_interface("lo:1", SIOCSIFADDR, request);
}

static void leaves_out_families(void) {
  int has4, has6, v4, v6, mapped;
  configured(&has4, &has6);
  EXPECT(look_up("known.example", AF_UNSPEC, AI_ADDRCONFIG, &v4, &v6, &mapped) == 0);
  EXPECT(v4 == (has4 || !has6) && v6 == (has6 || !has4) && mapped == 0);
  EXPECT(look_up("known.example", AF_INET, AI_ADDRCONFIG, &v4, &v6, &mapped) == (has4 ? 0 : EAI_NONAME));
  EXPECT(look_up("known.example", AF_INET6, AI_ADDRCONFIG, &v4, &v6, &mapped) == (has6 ? 0 : EAI_NONAME));
}
TEST(ai_addrconfig_leaves_out_families_without_an_address) {
  int alone = leave_network();
  start_server();
  leaves_out_families();
  if (alone) {
    add_ipv4_address();
    leaves_out_families();
  }
  exit(0);
}
/* On the way files are looked for that need not be there. */
TEST(a_name_that_nobody_has_is_told_by_h_errno_and_leaves_errno_as_it_was) {
  int v4, v6, mapped;
  start_server();
  errno = 4242;
  h_errno = NETDB_SUCCESS;
  EXPECT(look_up("nobody.example", AF_INET, 0, &v4, &v6, &mapped) == EAI_NONAME);
  EXPECT(errno == 4242 && h_errno == HOST_NOT_FOUND);
  EXPECT(look_up("known.example", AF_INET, 0, &v4, &v6, &mapped) == 0 && errno == 4242);
  exit(0);
}
TEST(ai_all_adds_mapped_addresses) {
  int v4, v6, mapped;
  start_server();
  EXPECT(look_up("known.example", AF_INET6, AI_V4MAPPED | AI_ALL, &v4, &v6, &mapped) == 0);
  EXPECT(v4 == 0 && v6 == 1 && mapped == 1);
  EXPECT(look_up("known.example", AF_INET6, AI_V4MAPPED, &v4, &v6, &mapped) == 0);
  EXPECT(v4 == 0 && v6 == 1 && mapped == 0);
  EXPECT(look_up("known.example", AF_INET6, AI_ALL, &v4, &v6, &mapped) == 0 && v6 == 1 && mapped == 0);
  exit(0);
}

/* ---- a server that breaks connections ---- */

static int by_udp, by_tcp;

/* Each answer by UDP is cut short, so the query is asked again by TCP. There the server ends its half of the
 * connection, and then the whole, so that whoever writes is sent SIGPIPE. */
static void *break_connections(void *unused) {
  struct linger at_once = {1, 0};
  for (;;) {
    unsigned char query[512];
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    struct pollfd both[2] = {{by_udp, POLLIN}, {by_tcp, POLLIN}};
    if (poll(both, 2, -1) > 0 && both[0].revents & POLLIN) {
      ssize_t n = recvfrom(by_udp, query, sizeof query, 0, (struct sockaddr *)&from, &size);
      query[2] = 0x83;
      query[3] = 0x80;
      if (n > 12)
        sendto(by_udp, query, (size_t)n, 0, (struct sockaddr *)&from, size);
    }
    if (both[1].revents & POLLIN) {
      int connection = accept(by_tcp, NULL, NULL);
      shutdown(connection, SHUT_WR);
      setsockopt(connection, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      close(connection);
    }
  }
  return unused;
}

TEST(a_server_that_breaks_its_connections_is_no_reason_for_a_signal) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof at;
  pthread_t server;
  char list[64];
  by_tcp = socket(AF_INET, SOCK_STREAM, 0);
  by_udp = socket(AF_INET, SOCK_DGRAM, 0);
  EXPECT(bind(by_tcp, (struct sockaddr *)&at, size) == 0 && listen(by_tcp, 100) == 0);
  EXPECT(getsockname(by_tcp, (struct sockaddr *)&at, &size) == 0);
  EXPECT(bind(by_udp, (struct sockaddr *)&at, size) == 0);
  snprintf(list, sizeof list, "127.0.0.1:%d", ntohs(at.sin_port));
  EXPECT(ch_dns_servers(list) == 0);
  EXPECT(pthread_create(&server, NULL, break_connections, NULL) == 0);
  activate { /* so that a connection is broken before the domain looks at it again */
    for (;;) {
      int64_t end = ch_now() + 5000000;
      while (ch_now() < end) {
      }
      ch_reschedule();
    }
  }
  do
    for (int i = 0; i < 4; i++)
      async {
        char name[32];
        snprintf(name, sizeof name, "host%d.example", i);
        within(3000000000) do EXPECT(look_up_v4(name) != 0);
        finish;
      }
  finish;
  exit(0);
}
