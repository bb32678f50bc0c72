/* One activity for each client, which sleeps and sends in a loop: blocking code in one thread. */
#include "../common/serve.h"
#include "quote.h"
#include <charcoal.h>
#include <unistd.h>

static void serve(int client) {
  struct quote quote;
  int64_t next = ch_now();
  for (uint64_t number = 0;; number++) {
    make_quote(&quote, number);
    if (send(client, &quote, sizeof quote, MSG_NOSIGNAL) != sizeof quote)
      break;
    next += PERIOD_NS;
    ch_sleep(next - ch_now());
  }
  close(client);
}

int main(void) {
  int listener = announce(0), client;
  while ((client = accept(listener, NULL, NULL)) >= 0) {
    no_delay(client);
    activate (client) { serve(client); }
  }
  perror("accept");
  return 1;
}
