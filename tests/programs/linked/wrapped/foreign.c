int __real_foreign(int);
int __wrap_foreign(int x) { return 3000 + __real_foreign(x); }
