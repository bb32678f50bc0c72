/* Tests name look-ups without c-ares, which cannot be ended early: a cancelled caller does not wait for them, they do
 * not touch the caller's memory afterwards, and their results are freed (law 4). */
#include "harness.h"
#include "names.h"
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

static struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = 7};

static void is_inside(void) {
  while (sem_trywait(&names_begun) != 0)
    ch_sleep(1000000);
}

/* In the midst of the call, and again in a scope that is cancelled already. */
#define IS_ABANDONED(call, expected)                                                                                   \
  do {                                                                                                                 \
    long result_ = 12345;                                                                                              \
    int error_ = 0;                                                                                                    \
    do {                                                                                                               \
      async {                                                                                                          \
        result_ = (long)(call);                                                                                        \
        error_ = errno;                                                                                                \
      }                                                                                                                \
      is_inside();                                                                                                     \
      EXPECT(result_ == 12345);                                                                                        \
      cancel;                                                                                                          \
    }                                                                                                                  \
    finish;                                                                                                            \
    EXPECT(result_ == (expected));                                                                                     \
    if (result_ == EAI_SYSTEM)                                                                                         \
      EXPECT(error_ == ECANCELED);                                                                                     \
    result_ = 12345;                                                                                                   \
    do {                                                                                                               \
      cancel;                                                                                                          \
      result_ = (long)(call);                                                                                          \
    }                                                                                                                  \
    finish;                                                                                                            \
    EXPECT(result_ == (expected));                                                                                     \
  } while (0)

TEST(who_asks_for_a_name_is_cancelled_at_once) {
  struct addrinfo *found = NULL, hints = {.ai_family = AF_INET};
  struct hostent to = {0}, *host = NULL;
  int h_error = 0;
  char room[200], name[100] = "untouched", service[100] = "untouched";
  memset(room, 'x', sizeof room);
  for (int i = 0; i < 3; i++) {
    IS_ABANDONED(getaddrinfo("some.name", "echo", &hints, &found), EAI_SYSTEM);
    IS_ABANDONED(getnameinfo((void *)&peer, sizeof peer, name, sizeof name, service, sizeof service, 0), EAI_SYSTEM);
    IS_ABANDONED(gethostbyname_r("some.name", &to, room, sizeof room, &host, &h_error), ECANCELED);
    IS_ABANDONED(gethostbyname2_r("some.name", AF_INET, &to, room, sizeof room, &host, &h_error), ECANCELED);
    IS_ABANDONED(gethostbyaddr_r("\x0a\1\2\3", 4, AF_INET, &to, room, sizeof room, &host, &h_error), ECANCELED);
    IS_ABANDONED(gethostbyname("some.name"), 0);
    IS_ABANDONED(gethostbyaddr("\x0a\1\2\3", 4, AF_INET), 0);
  }
  for (int i = 0; i < 21; i++)
    sem_post(&names_answer); /* all of them come back */
  do {                       /* and one behind them */
    async EXPECT(getaddrinfo("some.name", "echo", &hints, &found) == 0);
    is_inside();
    sem_post(&names_answer);
  }
  finish;
  freeaddrinfo(found);
  while (__atomic_load_n(&names_given, __ATOMIC_SEQ_CST) != 0)
    ch_sleep(1000000);
  EXPECT(strcmp(name, "untouched") == 0 && strcmp(service, "untouched") == 0 && !to.h_name && !host);
  for (size_t i = 0; i < sizeof room; i++)
    EXPECT(room[i] == 'x');
}

TEST(what_the_services_answer_is_passed_on) {
  struct addrinfo *found = NULL, hints = {.ai_family = AF_INET6};
  struct hostent to, *host;
  int h_error;
  char room[300], name[100], service[100];
  ch_sem never;
  ch_sem_init(&never, 0);
  activate { ch_sem_wait(&never); }
  for (int i = 0; i < 100; i++)
    sem_post(&names_answer);
  EXPECT(getaddrinfo("some.name", NULL, &hints, &found) == 0 && found->ai_family == AF_INET6);
  freeaddrinfo(found);
  EXPECT(getaddrinfo("no.name", NULL, &hints, &found) == EAI_NONAME);
  errno = 0;
  EXPECT(getaddrinfo("broken", NULL, NULL, &found) == EAI_SYSTEM && errno == EPROTO);
  EXPECT(getnameinfo((void *)&peer, sizeof peer, name, sizeof name, service, sizeof service, 0) == 0);
  EXPECT(strcmp(name, "some.name") == 0 && strcmp(service, "echo") == 0);
  EXPECT(getnameinfo((void *)&peer, sizeof peer, name, 5, NULL, 0, 0) == EAI_OVERFLOW);
  for (int shift = 0; shift < 17; shift++) {
    memset(room, 'x', sizeof room);
    EXPECT(gethostbyname_r("some.name", &to, room + shift, 200, &host, &h_error) == 0 && host == &to);
    EXPECT(strcmp(host->h_name, "some.name") == 0 && host->h_name >= room + shift && host->h_name < room + shift + 200);
    EXPECT(strcmp(host->h_aliases[0], "alias") == 0 && !host->h_aliases[1]);
    EXPECT(host->h_length == 4 && memcmp(host->h_addr_list[0], "\x0a\1\2\3", 4) == 0 && !host->h_addr_list[1]);
    EXPECT((char *)host->h_aliases >= room && (uintptr_t)host->h_aliases % sizeof(void *) == 0);
    EXPECT(room[shift + 200] == 'x' && (shift == 0 || room[shift - 1] == 'x'));
  }
  EXPECT(gethostbyname_r("some.name", &to, room, 20, &host, &h_error) == ERANGE && !host && h_error == NETDB_INTERNAL);
  EXPECT(gethostbyname_r("no.name", &to, room, 200, &host, &h_error) == 0 && !host && h_error == HOST_NOT_FOUND);
  host = gethostbyname("some.name");
  EXPECT(host && strcmp(host->h_name, "some.name") == 0 && strcmp(host->h_aliases[0], "alias") == 0);
  EXPECT(!gethostbyname2("some.name", AF_INET6) && h_errno == HOST_NOT_FOUND);
  host = gethostbyaddr("\x0a\1\2\3", 4, AF_INET);
  EXPECT(host && memcmp(host->h_addr_list[0], "\x0a\1\2\3", 4) == 0);
  exit(0);
}
