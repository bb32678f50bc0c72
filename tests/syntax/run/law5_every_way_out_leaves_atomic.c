// Law 5: return, break, continue and goto leave the block. Outside it an activity can run; if the depth were
// wrong, it could not, and ch_activity_wait would report a deadlock.
#include <charcoal.h>
#include <stdio.h>
static int ran;
static void probe(const char *what) {
  ch_activity a;
  activate [&a] { ran++; }
  ch_activity_wait(&a);
  printf("%s %d\n", what, ran);
}
static int by_return(int x) { atomic { if (x) return x + 1; } return 0; }
static int by_expression(int x) { return atomic (x + 1) + atomic (({ int y = x; y; })); }
static int by_goto(int x) { atomic { atomic { if (x) goto out; } } return 0; out: return x; }
static void by_break(void) { for (;;) atomic { break; } }
static void by_continue(void) { for (int i = 0; i < 3; i++) atomic { if (i < 2) continue; } }
static atomic int by_function(int x) { return x * 2; }
static int by_declaration(int x) { atomic int y = by_function(x), z = y + 1; return y + z; }
static int unless(int x) { if (x) atomic x++; else atomic x--; return x; }
int main(void) {
  printf("%d ", by_return(3)), probe("return");
  printf("%d ", by_expression(3)), probe("expression");
  printf("%d ", by_goto(3)), probe("goto");
  by_break(), probe("break");
  by_continue(), probe("continue");
  printf("%d ", by_function(3)), probe("function");
  printf("%d ", by_declaration(3)), probe("declaration");
  printf("%d %d ", unless(3), unless(0)), probe("if else");
  return 0;
}
