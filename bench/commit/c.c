/* The initiator asks one participant after the other and spins for each answer, which is simple and slow. */
#include "protocol.h"

static void send_spinning(struct end *e, struct message m) {
  while (!try_send(e, &m)) {
  }
}

static struct message receive_spinning(struct end *e) {
  struct message m;
  while (!try_receive(e, &m)) {
  }
  return m;
}

int main(int argc, char **argv) {
  const char *name = argument_case(argc, argv);
  unsigned long count = strtoul(argv[2], NULL, 10);
  struct end ends[MOST];
  struct stopwatch watch = {0};
  uint64_t sum = 0;
  int n = participants_of(name, "seq");
  if (!n)
    unknown_case(name);
  start_participants(ends, n);
  lap(&watch, 0);
  for (unsigned long number = 1; number <= count; number++) {
    int all_yes = 1;
    for (int i = 0; i < n; i++) {
      send_spinning(&ends[i], (struct message){{PROPOSAL, number}});
      all_yes &= receive_spinning(&ends[i]).word[2] == 1;
    }
    for (int i = 0; i < n; i++)
      send_spinning(&ends[i], (struct message){{all_yes ? COMMIT : ABORT, number}});
    lap(&watch, number);
  }
  for (int i = 0; i < n; i++) {
    send_spinning(&ends[i], (struct message){{END}});
    sum += receive_spinning(&ends[i]).word[1];
  }
  expect(sum, right_sum(count, n));
  report("time", watch.best / BATCH, "ns/operation", sum);
}
