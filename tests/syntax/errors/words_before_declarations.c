#include <charcoal.h>

async int get(int n) { return n; }
static activate void begin(void) {}
void set(atomic int value);
activate begin();
