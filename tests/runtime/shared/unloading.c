/* Objects are loaded, wait, and are unloaded: nothing of the runtime remembers them. Usage: unloading OBJECT... */
#include <charcoal.h>
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

NOINLINE static long own(long x) {
  long a = x + 1;
  usleep(1);
  return a;
}

static long call(const char *path, const long *from) {
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!object) {
    puts(dlerror());
    return -1;
  }
  long (*(*get)(void))(const long *) = (long (*(*)(void))(const long *))dlsym(object, "library_function");
  long sum, more = 0;
  ch_activity a;
  activate[&a] { more = get()(from); }
  ch_activity_wait(&a);
  sum = get()(from); /* last: the frame that was freed last is the object's */
  dlclose(object);
  if (dlopen(path, RTLD_NOW | RTLD_NOLOAD)) {
    puts("it was not unloaded");
    return -1;
  }
  return sum + more;
}

int main(int argc, char **argv) {
  long from[40];
  for (int i = 0; i < 40; i++)
    from[i] = i;
  long sum = 0;
  for (int round = 0; round < 20; round++)
    for (int i = 1; i < argc; i++) {
      sum += call(argv[i], from);
      sum += own(round);
      struct ch_stats stats;
      ch_stats(&stats);
      if (stats.frames > 2)
        printf("%lu frames\n", (unsigned long)stats.frames);
    }
  printf("%ld\n", sum);
}
