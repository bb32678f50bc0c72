#include <charcoal.h>
void scopes(void) {
  do extern int x; finish;
  within (1000) do static int y __attribute__((unused)); finish;
}
