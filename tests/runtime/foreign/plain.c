/* Compiled by another compiler: opens a library in Charcoal C and calls it, on this thread and on another. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static int (*lib_wait)(int);
static void *in_thread(void *unused) { return (void *)(long)lib_wait(1); }

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW), *result;
  if (!library)
    return fprintf(stderr, "%s\n", dlerror()), 1;
  lib_wait = (int (*)(int))dlsym(library, "lib_wait");
  void (*leave_behind)(const char *) = (void (*)(const char *))dlsym(library, "lib_leave_behind");
  pthread_t thread;
  if (lib_wait(1) != 7 || pthread_create(&thread, NULL, in_thread, NULL) || pthread_join(thread, &result) ||
      (long)result != 7)
    return 1;
  leave_behind("at the end");
  puts("main ends");
  fflush(stdout);
  return 0;
}
