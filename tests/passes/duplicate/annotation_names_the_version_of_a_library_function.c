// The plain body keeps its own name, the interruptible one takes that of the function it stands for, whatever hides it.
long elsewhere(int);
__attribute__((visibility("hidden"), annotate("charcoal.replaces=read"))) long my_read(int fd) { return elsewhere(fd); }
// CHECK: define hidden i64 @my_read(
// CHECK: define i64 @read.int({{.*}}) #[[A:[0-9]+]]
// CHECK-NOT: @my_read.int
// CHECK: attributes #[[A]] = { {{.*}}"charcoal-named" "charcoal-version-of"="read"
