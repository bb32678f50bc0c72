#include <charcoal.h>
#include <unistd.h>

long total;
long cost_of(int);
void use(int);

static void (^at_file_scope)(int) = ^(int n) {
  for (int i = 0; i < n; i++)
    activate { use(i); }
};

void in_a_function(int n) {
  void (^activities)(int) = ^(int k) {
    activate { use(k); }
    activate { total = total + cost_of(3); }
    activate { use(n); } // the literal keeps a copy, of whose life nothing is known here
  };
  void (^blocks)(void) = ^{
    atomic { usleep(1); }
  };
  void (^branches)(void) = ^{
    do {
      for (int i = 0; i < 3; i++) {
        int mine = i;
        async {
          ch_sleep(1);
          use(mine);
          use(i);
        }
      }
    } finish;
  };
  activities(n);
  branches();
  blocks();
}

// The body makes a literal, which copies the variables that it uses.
void in_a_body(int n) {
  for (int i = 0; i < n; i++)
    activate {
      void (^later)(void) = ^{ use(i); };
      later();
    }
  for (int i = 0; i < n; i++)
    activate (i) {
      void (^later)(void) = ^{ use(i); };
      later();
    }
  do {
    for (int i = 0; i < n; i++)
      async {
        void (^before)(void) = ^{ use(i); };
        ch_sleep(1);
        before();
        ^{ use(i); }();
      }
  } finish;
  ch_sleep(1);
}

void asserts(void) {
  ^{
    assert_no_yield { ch_reschedule(); }
  }();
}
