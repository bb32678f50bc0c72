// In a loop with many ways, like that of an interpreter, few turns make a call. This one is of a function that always
// returns soon, and so has no version.
__attribute__((noinline)) static int soon(int n) {
  return n ^ 5;
}
int f(const char *code) {
  int n = 0;
  for (;; ++code)
    switch (*code) {
    case 0:
      n += 3;
      break;
    case 1:
      n += 10;
      break;
    case 2:
      n += 17;
      break;
    case 3:
      n += 24;
      break;
    case 4:
      n += 31;
      break;
    case 5:
      n += 38;
      break;
    case 6:
      n += 45;
      break;
    case 7:
      n += 52;
      break;
    case 8:
      n += 59;
      break;
    case 9:
      n += 66;
      break;
    case 10:
      n += 73;
      break;
    case 11:
      n += 80;
      break;
    case 12:
      n += 87;
      break;
    case 13:
      n += 94;
      break;
    case 98:
      n = soon(n);
      break;
    case 99:
      return n;
    }
}
// CHECK-LABEL: define dso_local i32 @f.int(
// CHECK: call void @charcoal.yield()
// CHECK-NOT: call void @charcoal.yield()
// CHECK: {{^}}sw.bb
// CHECK: call void @charcoal.yield()
// CHECK-NEXT: call i32 @soon(
// CHECK-NOT: call void @charcoal.yield()
// CHECK: ret i32
