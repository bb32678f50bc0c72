int old(int yield) { int atomic = 1; int *activate = &atomic; yield; atomic++; activate[0] = yield; (atomic) = 2; return atomic * yield; }
int member(struct s *p) { p->yield = 1; p->atomic++; return p->activate; }
int labels(int x) { yield: if (x) goto yield; atomic: activate: return x; }
int lists(void) {
  int a, yield = 1, atomic[3]; size_t b, *activate, async[2];
  yield; atomic[0] = 1; activate[0] = yield; async[1] = 2;
  for (int i = 0, cancel = 3; i < cancel; i++) { cancel; }
  return f(a, finish), b;
}
int storage(void) { static int a, finish = 1; extern int b, yield; typedef int t, cancel; finish; yield; cancel c = 1; return c; }
int no_list(void) { f(a, yield), b; yield; }
