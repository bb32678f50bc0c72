/* What an echo server does for one connection. */
#include <unistd.h>

static void serve(int connection) {
  char text[256];
  ssize_t got;
  while ((got = read(connection, text, sizeof text)) > 0)
    for (ssize_t done = 0, put; done < got; done += put)
      if ((put = write(connection, text + done, got - done)) < 0)
        got = done = put = 0; /* the client has gone; the next read says so */
  close(connection);
}
