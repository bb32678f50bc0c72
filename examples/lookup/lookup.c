/* See lookup.h. Everything here happens in one thread. Without `async`, `finish` and `cancel` this is a sequential
 * program that asks one server after the other. `ch_cancel(queries)` means `cancel queries`; other compilers can leave
 * it out. */
#include "lookup.h"
#include "question.h"

#include <charcoal.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

int lookup_one(const struct server *server, const char *name, struct in_addr *address) {
  unsigned char question[512], reply[512];
  int result, fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (fd < 0)
    return errno;
  size_t size = make_question(question, sizeof question, name);
  ssize_t got = -1;
  if (connect(fd, (const struct sockaddr *)&server->address, sizeof server->address) == 0 &&
      send(fd, question, size, 0) == (ssize_t)size)
    got = recv(fd, reply, sizeof reply, 0);
  result = got < 0 ? errno : read_reply(reply, (size_t)got, address);
  close(fd); /* works in a cancelled scope, too */
  return result;
}

int lookup_all(const struct server *servers, int n, const char *name, struct in_addr *address) {
  int result = 0, answers = 0;
  struct in_addr first = {0};
  do {
    for (int i = 0; i < n; i++) {
      async {
        struct in_addr mine = {0};
        int error = lookup_one(&servers[i], name, &mine);
        if (error != 0)
          result = error;
        else if (answers++ == 0)
          first = mine;
        else if (first.s_addr != mine.s_addr)
          result = EILSEQ;
      }
    }
  }
  finish;
  *address = first;
  return result;
}

int lookup_first(const struct server *servers, int n, const char *name, struct in_addr *address) {
  int result = ECANCELED, found = 0;
queries:
  do {
    for (int i = 0; i < n; i++) {
      async {
        struct in_addr mine;
        int error = lookup_one(&servers[i], name, &mine);
        if (error == 0 && !found) {
          found = 1;
          *address = mine;
          result = 0;
          ch_cancel(queries);
        } else if (!found && error != ECANCELED) {
          result = error;
        }
      }
    }
  }
  finish;
  return result;
}

int lookup_with_timeout(const struct server *servers, int n, const char *name, struct in_addr *address,
                        int64_t timeout) {
  int result = 0;
request:
  do {
    async {
      result = lookup_first(servers, n, name, address);
      ch_cancel(request);
    }
    async {
      ch_sleep(timeout);
      ch_cancel(request);
    }
  }
  finish;
  return result;
}

int lookup_within(const struct server *servers, int n, const char *name, struct in_addr *address, int64_t timeout) {
  int result = 0;
  within(timeout) do { result = lookup_first(servers, n, name, address); }
  finish;
  return result;
}
