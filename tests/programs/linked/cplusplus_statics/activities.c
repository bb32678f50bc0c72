// What C++ has no words for.
#include <charcoal.h>
#include <pthread.h>

void spawn(void (*body)(int), int argument) { activate body(argument); }
void end_activity(void) { pthread_exit(NULL); }
