#include <charcoal.h>
#include <charcoal/events.h>

struct s {
  int i;
};
void use(const struct s *);

void (^at_file_scope)(event(int)) = ^(event(int) done) { done(3); };

void f(int n) {
  void (^literal)(void) = ^{
    int array[n];
    activate (array) { array[0] = 1; }
    activate use(&(struct s){1});
  };
  literal();
}

int g(void) {
  __block int n = 0;
  do {
    async n++;
  } finish;
  return n;
}
