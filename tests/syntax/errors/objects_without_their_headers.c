#include <charcoal.h>
static channel(int) numbers;
static int watch(int);
struct prices { broadcast(int) all; };
static ch_mutex lock;
int f(future(int) *later);
int g(int n) { return watch(n) + missing; } // its own function of that name
int h(void) { return ch_dial("host", "http"); }
