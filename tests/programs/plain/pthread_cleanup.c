/* pthread_cleanup_push calls setjmp with a buffer that is shorter than a jmp_buf: nothing behind it may be written. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ends[2];

static void clean_up(void *what) { printf("cleaned up %s\n", (const char *)what); }

static int damaged(const char *bytes, int size) {
  int count = 0;
  for (int i = 0; i < size; i++)
    count += bytes[i] != 7;
  return count;
}

__attribute__((noinline)) static int receive(int execute, int leave) {
  char neighbours[128], byte = 0;
  memset(neighbours, 7, sizeof neighbours);
  pthread_cleanup_push(clean_up, "after a wait");
  if (read(ends[0], &byte, 1) != 1)
    return 1;
  if (leave)
    pthread_exit("left early");
  pthread_cleanup_pop(execute);
  printf("%c: %d bytes damaged\n", byte, damaged(neighbours, sizeof neighbours));
  return 0;
}

static void *thread(void *unused) {
  (void)unused;
  if (receive(0, 0) || receive(1, 0))
    return "nothing to read";
  receive(0, 1);
  return "not left";
}

int main(void) {
  if (pipe(ends) || write(ends[1], "abcde", 5) != 5)
    return 2;
  pthread_t other;
  if (pthread_create(&other, NULL, thread, NULL))
    return 2;
  void *result;
  pthread_join(other, &result);
  printf("%s\n", (char *)result);
  return receive(0, 0) || receive(1, 0);
}
