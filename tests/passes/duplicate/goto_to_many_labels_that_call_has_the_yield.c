// Nearly each turn of this interpreter makes a call. One yield point at its computed goto is passed no more often than
// one at each call would be.
int elsewhere(int);
#define TEN(what, k)                                                                                                   \
  what(k##0) what(k##1) what(k##2) what(k##3) what(k##4) what(k##5) what(k##6) what(k##7) what(k##8) what(k##9)
#define ALL(what) TEN(what, 1) TEN(what, 2) TEN(what, 3) TEN(what, 4) TEN(what, 5) TEN(what, 6) TEN(what, 7)
#define ADDRESS(k) &&way##k,
#define WAY(k)                                                                                                         \
  way##k : n += elsewhere(k);                                                                                          \
  goto *ways[*code++];
int f(const unsigned char *code) {
  static void *const ways[] = {ALL(ADDRESS) && end};
  int n = 0;
  goto *ways[*code++];
  ALL(WAY)
end:
  return n;
}
// CHECK-LABEL: define dso_local i32 @f.int(
// CHECK: call void @charcoal.yield()
// CHECK-NOT: call void @charcoal.yield()
// CHECK: {{^}}indirectgoto:
// CHECK: call void @charcoal.yield()
// CHECK: indirectbr
// CHECK-NOT: call void @charcoal.yield()
// CHECK: {{^}}}
