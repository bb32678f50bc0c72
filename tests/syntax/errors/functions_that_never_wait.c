#include <charcoal.h>
#include <unistd.h>
ch_may_block int receive(int);
int other(int);
static int deepest(int n) { return n ? usleep(n) : 0; }
static int middle(int n) { return 1 + deepest(n); }
static int harmless(int n) { return n > 0 ? harmless(n - 1) : other(n); }
ch_never_waits int tick(int);
int tick(int n) { return harmless(n) + middle(n); }
ch_never_waits static int direct(ch_sem *s) { return ch_sem_trywait(s) ? ch_sem_wait(s) : 0; }
ch_never_waits static int marked(int n) { return tick(n); }
ch_never_waits static void starts(ch_activity *a) { activate [a] { usleep(1); } }
ch_never_waits static int inside(int n) { atomic { n = receive(n); } return n; }
int use(ch_sem *s, ch_activity *a) { starts(a); return direct(s) + marked(1) + inside(1); }
