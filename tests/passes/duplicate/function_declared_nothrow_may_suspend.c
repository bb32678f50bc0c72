// Other functions that throw no exception may wait: those that synchronize memory, which glibc declares with __THROWNL,
// those of the program, and those that never return, because exit() calls the program's functions.
#include <semaphore.h>
#include <stdlib.h>
int ours(void) __THROW;
int f(sem_t *s) { return sem_trywait(s); }
// CHECK: define {{.*}} @f.int
int g(void) { return ours(); }
// CHECK: define {{.*}} @g.int
void h(void) { exit(1); }
// CHECK: define {{.*}} @h.int
