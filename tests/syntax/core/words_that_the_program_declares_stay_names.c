int old(int yield) { int atomic = 1; int *activate = &atomic; yield; atomic++; activate[0] = yield; (atomic) = 2; return atomic * yield; }
int member(struct s *p) { p->yield = 1; p->atomic++; return p->activate; }
int labels(int x) { yield: if (x) goto yield; atomic: activate: return x; }
