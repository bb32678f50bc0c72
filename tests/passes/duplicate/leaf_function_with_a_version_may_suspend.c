// <sys/socket.h> says nothing of accept; another header might say `leaf`. The runtime's list knows better.
__attribute__((leaf)) int accept(int, void *, void *);
__attribute__((leaf)) int accent(int, void *, void *);
int f(int fd) { return accept(fd, 0, 0); }
int g(int fd) { return accent(fd, 0, 0); }
// CHECK: define dso_local i32 @g(
// CHECK: define dso_local i32 @f.int(
// CHECK: call i32 @accept.int(
// CHECK-NOT: @g.int
