#include <stdio.h>
int __real_first(int), __real_puts(const char *);
int __wrap_first(int x) { return 1000 + __real_first(x); }
int __wrap_second(int x) { return printf("second\n"), x + 2000; }
int __wrap_puts(const char *text) { return printf("puts "), __real_puts(text); }
