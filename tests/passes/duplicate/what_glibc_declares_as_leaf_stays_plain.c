// glibc declares these functions with __THROW or __NTH, so they neither wait nor call anything back, though LLVM does
// not know each of them.
#include <arpa/inet.h>
#include <malloc.h>
#include <sys/time.h>
#include <unistd.h>
long now(void *block) {
  struct timeval t;
  gettimeofday(&t, NULL);
  return t.tv_sec + (long)malloc_usable_size(block) + getpid() + htonl(1);
}
// CHECK-NOT: .int
