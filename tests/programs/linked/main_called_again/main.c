#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
int again(int n);
static jmp_buf back;
static void *volatile address;
static atomic_int over;
/* While it lives, whoever waits is set aside. */
static void *beside(void *unused) {
  while (!over)
    usleep(100);
  return unused;
}
__attribute__((noinline)) static void leave(int n) {
  int kept = n;
  address = &kept;
  if (n == 7)
    usleep(100);
  printf("leaves with %d\n", kept);
  longjmp(back, kept);
}
__attribute__((noinline)) static int catch(int n) {
  int r = setjmp(back);
  if (r)
    return r;
  if (n == 7)
    usleep(100);
  return again(n);
}
int main(int argc, char **argv) {
  (void)argv;
  if (argc == 7)
    usleep(100);
  if (argc >= 7) /* 8: without a wait anywhere */
    leave(argc);
  if (argc > 1) {
    printf("again %d\n", argc);
    return argc * 10;
  }
  pthread_t other;
  pthread_create(&other, NULL, beside, NULL);
  printf("%d\n", again(2));
  printf("%d\n", again(3));
  for (int i = 0; i < 3; i++)
    printf("%d %d\n", catch(7), catch(8));
  over = 1;
  return pthread_join(other, NULL);
}
