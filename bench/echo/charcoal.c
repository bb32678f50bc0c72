/* One activity for each connection, which reads and writes in a loop: blocking code in one thread. */
#include "../common/serve.h"
#include <charcoal.h>
#include <unistd.h>

static void serve(int connection) {
  char text[256];
  ssize_t got;
  while ((got = read(connection, text, sizeof text)) > 0)
    for (ssize_t done = 0, put; done < got; done += put)
      if ((put = write(connection, text + done, (size_t)(got - done))) < 0)
        got = done = put = 0; /* the client has gone; the next read says so */
  close(connection);
}

int main(void) {
  int listener = announce(0), connection;
  while ((connection = accept(listener, NULL, NULL)) >= 0) {
    no_delay(connection);
    activate (connection) { serve(connection); }
  }
  perror("accept");
  return 1;
}
