// What the detector has to find, and what it has to leave alone: one function a case, named after what it holds true.
//
// A line that is to be named in a report says which part it has there: `// CASE: first`, `other`, `second`. A case that
// is to be silent has no such line, and ends with a test that the interleaving which might have been taken for wrong
// did happen. Time is virtual, so the order of all that sleeps is fixed; and a sleep hands nothing over.
#include <charcoal.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define apart __attribute__((noinline))

static void expect(int condition, const char *what) {
  if (!condition) {
    printf("not so: %s\n", what);
    exit(3);
  }
}

static void wait_for(ch_activity *a, ch_activity *b) {
  ch_activity_wait(a);
  ch_activity_wait(b);
}

static long x, y;
static long *heap;

// ---- what is to be found ----

static apart void add(long *p, int wait) {
  long v = *p; // lost_update, of_heap, of_a_local, of_async_branches: first
  ch_sleep(wait);
  *p = v + 1; // lost_update, of_heap, of_a_local, of_async_branches: other and second
}

static void lost_update(void) {
  ch_activity a, b;
  activate[&a] { add(&x, 2); }
  activate[&b] { add(&x, 1); }
  wait_for(&a, &b);
}

static void of_heap(void) {
  heap = malloc(sizeof *heap);
  *heap = 0;
  ch_activity a, b;
  activate[&a] { add(heap, 2); }
  activate[&b] { add(heap, 1); }
  wait_for(&a, &b);
  free(heap);
}

static void of_a_local(void) {
  long local = 0;
  ch_activity a, b;
  activate[&a] { add(&local, 2); }
  activate[&b] { add(&local, 1); }
  wait_for(&a, &b);
}

static void look(long *p) {
  if (*p < 0)
    abort();
}

static apart void add_after_a_look(int wait) {
  long v = x; // a_look_in_between_is_no_new_read: first
  ch_sleep(wait);
  look(&x);
  x = v + 1; // a_look_in_between_is_no_new_read: other and second
}

static void a_look_in_between_is_no_new_read(void) {
  ch_activity a, b;
  activate[&a] { add_after_a_look(2); }
  activate[&b] { add_after_a_look(1); }
  wait_for(&a, &b);
}

static apart long get(long *p) { return *p; }      // by_helpers: first
static apart void set(long *p, long v) { *p = v; } // by_helpers: other and second

static void by_helpers(void) {
  ch_activity a, b;
  activate[&a] {
    long v = get(&x);
    ch_sleep(2);
    set(&x, v + 1);
  }
  activate[&b] {
    ch_sleep(1);
    set(&x, 7);
  }
  wait_for(&a, &b);
}

static apart void at_a_yield(void) {
  long v = x; // at_a_yield: first
  ch_reschedule();
  x = v + 1; // at_a_yield: other and second
}
static void set_aside(void) {
  ch_activity a, b;
  activate[&a] { at_a_yield(); }
  activate[&b] { at_a_yield(); }
  wait_for(&a, &b);
}

static apart void enter(int wait) {
  if (x < 1) { // stale_check: first
    ch_sleep(wait);
    x++; // stale_check: other and second
  }
}
static void stale_check(void) {
  ch_activity a, b;
  activate[&a] { enter(2); }
  activate[&b] { enter(1); }
  wait_for(&a, &b);
}

static apart long use(long mine, int wait) {
  x = mine; // overwritten: first and other
  ch_sleep(wait);
  return x; // overwritten: second
}
static void overwritten(void) {
  ch_activity a, b;
  activate[&a] { y += use(1, 2); }
  activate[&b] { y += use(2, 3); }
  wait_for(&a, &b);
}

static long seen;

static apart void write_both(long v) {
  x = v; // half_written: first
  ch_reschedule();
  y = v; // half_written: second
}
static apart void read_both(void) {
  seen = x + y; // half_written: other
}
static void half_written(void) {
  ch_activity a, b;
  activate[&a] { write_both(1); }
  activate[&b] { read_both(); }
  wait_for(&a, &b);
}

static void overwritten_elsewhere(void) {
  ch_activity a, b;
  activate[&a] {
    x = 1; // overwritten_elsewhere: first
    ch_sleep(2);
    y = x; // overwritten_elsewhere: second
  }
  activate[&b] {
    ch_sleep(1);
    x = 2; // overwritten_elsewhere: other
  }
  wait_for(&a, &b);
}

static void unrepeatable_read(void) {
  ch_activity a, b;
  activate[&a] {
    y = x; // unrepeatable_read: first
    ch_sleep(2);
    y += x; // unrepeatable_read: second
  }
  activate[&b] {
    ch_sleep(1);
    x = 5; // unrepeatable_read: other
  }
  wait_for(&a, &b);
}

static void dirty_read(void) {
  ch_activity a, b;
  activate[&a] {
    x = 1; // dirty_read: first
    ch_sleep(2);
    x = 2; // dirty_read: second
  }
  activate[&b] {
    ch_sleep(1);
    y = x; // dirty_read: other
  }
  wait_for(&a, &b);
}

static apart void add_in_two_sections(pthread_mutex_t *m, int wait) {
  pthread_mutex_lock(m);
  long v = x; // two_critical_sections_are_not_one: first
  pthread_mutex_unlock(m);
  ch_sleep(wait);
  pthread_mutex_lock(m);
  x = v + 1; // two_critical_sections_are_not_one: other and second
  pthread_mutex_unlock(m);
}
static void two_critical_sections_are_not_one(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  ch_activity a, b;
  activate[&a] { add_in_two_sections(&m, 2); }
  activate[&b] { add_in_two_sections(&m, 1); }
  wait_for(&a, &b);
}

static apart void add_in_two_turns(ch_sem *s, int wait) {
  ch_sem_wait(s);
  long v = x; // a_semaphore_as_a_lock_hands_nothing_over: first
  ch_sem_post(s);
  ch_sleep(wait);
  ch_sem_wait(s);
  x = v + 1; // a_semaphore_as_a_lock_hands_nothing_over: other and second
  ch_sem_post(s);
}
static void a_semaphore_as_a_lock_hands_nothing_over(void) {
  ch_sem s = CH_SEM_INIT(1);
  ch_activity a, b;
  activate[&a] { add_in_two_turns(&s, 2); }
  activate[&b] { add_in_two_turns(&s, 1); }
  wait_for(&a, &b);
}

static void of_async_branches(void) {
  do {
    async add(&x, 2);
    async add(&x, 1);
  }
  finish;
}

static int compare(const void *a, const void *b) {
  ch_sleep(1); // from plain code: the native stack waits
  return *(const int *)a - *(const int *)b;
}
static void waits_in_plain_code(void) {
  ch_activity a, b;
  activate[&a] {
    int numbers[] = {2, 1};
    long v = x; // waits_in_plain_code: first
    qsort(numbers, 2, sizeof *numbers, compare);
    x = v + 1; // waits_in_plain_code: second
  }
  activate[&b] {
    x = 8; // waits_in_plain_code: other
  }
  wait_for(&a, &b);
}

static char flags[4];
static void of_one_byte(void) {
  ch_activity a, b;
  activate[&a] {
    char v = flags[1]; // of_one_byte: first
    ch_sleep(2);
    flags[1] = v + 1; // of_one_byte: second
  }
  activate[&b] {
    ch_sleep(1);
    flags[1] = 9; // of_one_byte: other
  }
  wait_for(&a, &b);
}

// ---- what is to be left alone ----

static apart void add_locked(pthread_mutex_t *m) {
  pthread_mutex_lock(m);
  long v = x;
  ch_sleep(1);
  x = v + 1;
  pthread_mutex_unlock(m);
}
static void a_mutex_over_both(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  ch_activity a, b;
  activate[&a] { add_locked(&m); }
  activate[&b] { add_locked(&m); }
  wait_for(&a, &b);
  expect(x == 2, "nothing is lost");
}

static apart void add_in_turn(ch_sem *s) {
  ch_sem_wait(s);
  long v = x;
  ch_sleep(1);
  x = v + 1;
  ch_sem_post(s);
}
static void a_semaphore_over_both(void) {
  ch_sem s = CH_SEM_INIT(1);
  ch_activity a, b;
  activate[&a] { add_in_turn(&s); }
  activate[&b] { add_in_turn(&s); }
  wait_for(&a, &b);
  expect(x == 2, "nothing is lost");
}

// Each calls something, for an atomic block without a call does not survive optimisation.
static apart atomic long look_up(void) {
  ch_reschedule();
  return x;
}
static apart atomic void put(long v) {
  ch_reschedule();
  x = v;
}

static void each_atomic_block_is_for_itself(void) {
  ch_activity a, b;
  activate[&a] {
    long v = look_up();
    ch_sleep(2);
    put(v + 1);
  }
  activate[&b] {
    ch_sleep(1);
    put(7);
  }
  wait_for(&a, &b);
  expect(x == 1, "the 7 is lost, as one atomic block after the other may lose it");
}

static apart void write_both_slowly(long v) {
  x = v;
  ch_sleep(2);
  y = v;
}
static void two_writes_with_a_wait_between_them(void) {
  ch_activity a, b;
  activate[&a] { write_both_slowly(1); }
  activate[&b] {
    ch_sleep(1);
    read_both();
  }
  wait_for(&a, &b);
  expect(seen == 1, "the other has seen one of them");
}

static apart void post_between(ch_sem *s) {
  x = 1;
  ch_sem_post(s);
  ch_reschedule();
  y = 1;
}
static void two_writes_with_a_post_between_them(void) {
  ch_sem s = CH_SEM_INIT(0);
  ch_activity a, b;
  activate[&a] { post_between(&s); }
  activate[&b] {
    ch_sem_wait(&s);
    read_both();
  }
  wait_for(&a, &b);
  expect(seen == 1, "the other has seen one of them");
}

static void an_atomic_block(void) {
  ch_activity a, b;
  activate[&a] {
    for (int i = 0; i < 3; i++)
      atomic {
        long v = get(&x);
        set(&x, v + 1);
      }
  }
  activate[&b] {
    for (int i = 0; i < 3; i++)
      atomic {
        long v = get(&x);
        set(&x, v + 1);
      }
  }
  wait_for(&a, &b);
  expect(x == 6, "nothing is lost");
}

static void a_hand_over_by_semaphores(void) {
  ch_sem go = CH_SEM_INIT(0), done = CH_SEM_INIT(0);
  ch_activity a, b;
  activate[&a] {
    long v = x;
    ch_sem_post(&go);
    ch_sem_wait(&done);
    expect(x == 5, "the other has written");
    x = v + 1;
  }
  activate[&b] {
    ch_sem_wait(&go);
    x = 5;
    ch_sem_post(&done);
  }
  wait_for(&a, &b);
}

static void a_hand_over_by_the_end_of_an_activity(void) {
  ch_activity a;
  long v = x;
  activate[&a] { x = 5; }
  ch_activity_wait(&a);
  expect(x == 5, "the other has written");
  x = v + 1;
}

static void a_hand_over_by_a_finish(void) {
  long v = x;
  do {
    async {
      ch_sleep(1);
      x = 5;
    }
  }
  finish;
  expect(x == 5, "the other has written");
  x = v + 1;
}

static void a_hand_over_by_a_condition(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  int waits = 0;
  ch_activity a, b;
  activate[&a] {
    pthread_mutex_lock(&m);
    if (x == 0) {
      waits = 1;
      pthread_cond_wait(&c, &m);
    }
    expect(x == 5, "the other has written");
    x = 0; // taken
    pthread_mutex_unlock(&m);
  }
  activate[&b] {
    while (!waits)
      ch_sleep(1);
    pthread_mutex_lock(&m);
    x = 5;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
  }
  wait_for(&a, &b);
}

static void a_look_in_a_loop(void) {
  ch_activity a, b;
  activate[&a] {
    x = 0;
    while (x == 0)
      ch_sleep(2);
    x = 0;
  }
  activate[&b] {
    ch_sleep(1);
    x = 5;
  }
  wait_for(&a, &b);
}

static void a_new_read_before_the_write(void) {
  ch_activity a, b;
  activate[&a] {
    long v = x;
    ch_sleep(2);
    v = x;
    x = v + 1;
    expect(x == 6, "the other has written");
  }
  activate[&b] {
    ch_sleep(1);
    x = 5;
  }
  wait_for(&a, &b);
}

static void updates_that_are_each_of_one_piece(void) {
  ch_activity a, b;
  activate[&a] {
    x++;
    ch_sleep(2);
    expect(x == 11, "the other has written");
    x--;
  }
  activate[&b] {
    ch_sleep(1);
    x += 10;
  }
  wait_for(&a, &b);
}

static void a_value_that_was_put_back(void) {
  ch_activity a, b;
  activate[&a] {
    long v = x;
    ch_sleep(2);
    x = v + 1;
  }
  activate[&b] {
    ch_sleep(1);
    x++;
    x--;
    y = 1;
  }
  wait_for(&a, &b);
  expect(y == 1, "the other has written");
}

static void neighbours(void) {
  ch_activity a, b;
  activate[&a] {
    char v = flags[1];
    ch_sleep(2);
    flags[1] = v + 1;
  }
  activate[&b] {
    ch_sleep(1);
    flags[2] = 9;
    flags[0] = 9;
  }
  wait_for(&a, &b);
  expect(flags[1] == 1, "nothing is lost");
}

static void memory_that_was_given_back(void) {
  long *first = malloc(64), *again = NULL;
  ch_activity a, b;
  activate[&a] {
    y = *(volatile long *)(first + 3);
    free(first);
    ch_sleep(2);
    *(again + 3) = 7;
    free(again);
  }
  activate[&b] {
    ch_sleep(1);
    again = malloc(64);
    expect((void *)again == (void *)first || ASAN, "it is the same memory");
    *(again + 3) = 5;
  }
  wait_for(&a, &b);
}

static struct {
  void *(*take)(size_t);
  void (*give)(void *);
} hooks = {malloc, free};
static void memory_through_pointers(void) {
  long *first = hooks.take(64), *again = NULL;
  ch_activity a, b;
  activate[&a] {
    y = *(volatile long *)(first + 3);
    hooks.give(first);
    ch_sleep(2);
    *(again + 3) = 7;
    hooks.give(again);
  }
  activate[&b] {
    ch_sleep(1);
    again = hooks.take(64);
    expect((void *)again == (void *)first || ASAN, "it is the same memory");
    *(again + 3) = 5;
  }
  wait_for(&a, &b);
}

// A branch that touches more than its table holds goes on with an empty one.
static void very_many_locations(void) {
  enum { LONGS = 40000 };
  long *all = calloc(LONGS, sizeof *all);
  ch_activity a, b;
  activate[&a] {
    for (int i = 0; i < LONGS; i++)
      all[i]++;
    ch_sleep(2);
    x = all[LONGS - 1];
  }
  activate[&b] {
    ch_sleep(1);
    y++;
  }
  wait_for(&a, &b);
  expect(x == 1 && y == 1, "both have run");
  free(all);
}

static apart void out(long *p) { *p = *p + 1; }
static apart long with_a_local(int wait) {
  long local = wait;
  out(&local);
  ch_sleep(wait);
  out(&local);
  return local;
}
static void locals_in_the_same_memory(void) {
  ch_activity a, b;
  activate[&a] {
    for (int i = 0; i < 5; i++)
      x += with_a_local(2);
  }
  activate[&b] {
    for (int i = 0; i < 5; i++)
      y += with_a_local(1);
  }
  wait_for(&a, &b);
  expect(x == 20 && y == 15, "each has its own");
}

/* Lent to a function that waits, the local lies in a frame, and each frame is taken by both in turn. */
static apart long twice_later(long v, int wait) {
  ch_sleep(wait);
  return 2 * v;
}
static apart void double_later(long *p, int wait) { *p = twice_later(*p, wait); }
static apart long with_a_lent_local(int wait) {
  long local = wait;
  double_later(&local, wait);
  return local;
}
static void lent_locals_in_the_same_memory(void) {
  ch_activity a, b;
  activate[&a] {
    for (int i = 0; i < 6; i++) {
      x += with_a_lent_local(2);
      ch_sleep(2);
    }
  }
  activate[&b] {
    for (int i = 0; i < 20; i++) {
      y += with_a_lent_local(1);
      ch_sleep(1);
    }
  }
  wait_for(&a, &b);
  expect(x == 24 && y == 40, "each has its own");
}

static void a_server_counts_in_a_loop(void) {
  ch_activity a, b;
  activate[&a] {
    for (int i = 0; i < 5; i++) {
      x++;
      ch_sleep(2);
    }
  }
  activate[&b] {
    for (int i = 0; i < 5; i++) {
      x++;
      ch_sleep(1);
    }
  }
  wait_for(&a, &b);
  expect(x == 10, "nothing is lost");
}

static long roughly ch_may_interleave;
static void a_variable_that_may(void) {
  ch_activity a, b;
  activate[&a] {
    long v = roughly;
    ch_sleep(2);
    roughly = v + 1;
  }
  activate[&b] {
    ch_sleep(1);
    roughly = 7;
  }
  wait_for(&a, &b);
  expect(roughly == 1, "something is lost");
}

static ch_may_interleave void add_somehow(int wait) {
  long v = x;
  ch_sleep(wait);
  x = v + 1;
}
static void a_function_that_may(void) {
  ch_activity a, b;
  activate[&a] { add_somehow(2); }
  activate[&b] { add_somehow(1); }
  wait_for(&a, &b);
  expect(x == 1, "something is lost");
}

static char pool[64];
static void an_allocator_of_its_own(void) {
  ch_activity a, b;
  activate[&a] {
    pool[8]++;
    ch_atomicity_forget(pool, sizeof pool);
    char v = pool[8];
    ch_sleep(2);
    ch_atomicity_forget(pool, sizeof pool);
    pool[8] = v + 1;
  }
  activate[&b] {
    ch_sleep(1);
    pool[8] = 9;
  }
  wait_for(&a, &b);
}

static void a_hand_over_of_its_own(void) {
  ch_activity a, b;
  activate[&a] {
    long v = x;
    ch_sleep(2);
    ch_atomicity_wait(&y, 0);
    expect(x == 5, "the other has written");
    x = v + 1;
  }
  activate[&b] {
    ch_sleep(1);
    x = 5;
    ch_atomicity_post(&y);
  }
  wait_for(&a, &b);
}

/* At -O0 the body of a branch stands in the function around it, and its locals stand behind that function's code. */
static void count_up(unsigned *counted) {
  ch_sleep(1);
  *counted += 1;
}
static void locals_of_a_branch_in_a_branch(void) {
  unsigned all[2] = {0, 0};
  do {
    for (int i = 0; i < 2; i++)
      async(i) {
        unsigned outer = 0;
        count_up(&outer);
        async(i) {
          unsigned inner = outer;
          count_up(&inner);
          all[i] = inner;
        }
        count_up(&outer);
      }
  }
  finish;
  expect(all[0] == 2 && all[1] == 2, "all are counted");
}

/* Such a call may return before it has ended, and then without a result. */
static void calls_of_the_library_as_branches(void) {
  ch_sem s;
  void *block = malloc(1);
  ch_sem_init(&s, 0);
  do {
    async ch_sem_wait(&s);
    async free(block);
    async ch_sleep(1);
    ch_sleep(2);
    ch_sem_post(&s);
  }
  finish;
  ch_sem_destroy(&s);
}

// Operations on shared lists, each of one piece: to find or to add, and to take out.
static struct room {
  struct room *next;
  int number, guests;
} *rooms;
static struct room all_rooms[60];
static int made;
static struct room *come_in(int number) {
  struct room *r = rooms;
  while (r && r->number != number)
    r = r->next;
  if (!r) {
    r = &all_rooms[made++];
    r->number = number;
    r->next = rooms;
    rooms = r;
  }
  r->guests++;
  return r;
}
static void go_out(struct room *r) {
  struct room **at = &rooms;
  if (--r->guests)
    return;
  while (*at != r)
    at = &(*at)->next;
  *at = r->next;
}
static void a_list_that_is_searched_in_each_call(void) {
  for (int i = 0; i < 20; i++)
    activate(i) {
      for (int k = 0; k < 3; k++) {
        struct room *r = come_in((i + k) % 5);
        ch_sleep((i * 7 + k) % 11);
        go_out(r);
        ch_sleep((i * 5 + k) % 7);
        x++;
      }
    }
  ch_sleep(1000);
  expect(x == 60 && !rooms, "all have come and gone");
}

// A list of the branches' own locals: what one branch has noted, its neighbours in the list correct.
static struct guest {
  struct guest *next;
} *guests;
static apart void visit(int ms) {
  struct guest own, **at;
  own.next = guests;
  guests = &own;
  ch_sleep(ms);
  for (at = &guests; *at != &own; at = &(*at)->next)
    ;
  *at = own.next;
}
static void a_list_of_locals(void) {
  for (int i = 0; i < 20; i++)
    activate(i) {
      ch_sleep(i * 5 % 7);
      visit(i * 7 % 11);
      x++;
    }
  ch_sleep(1000);
  expect(x == 20 && !guests, "all have come and gone");
}

static struct room *unused, all_free[100];
static int kept;
static struct room *take_one(void) {
  struct room *r = unused;
  if (r) {
    unused = r->next;
    kept--;
  } else {
    r = &all_free[y++];
  }
  return r;
}
static void give_one(struct room *r) {
  if (kept >= 3) {
    return;
  }
  r->next = unused;
  unused = r;
  kept++;
}
static void a_list_of_free_objects(void) {
  for (int i = 0; i < 20; i++)
    activate(i) {
      for (int k = 0; k < 5; k++) {
        struct room *r = take_one();
        ch_sleep((i * 7 + k * 3) % 11);
        give_one(r);
        ch_sleep((i + k) % 3);
        x++;
      }
    }
  ch_sleep(1000);
  expect(x == 100 && y > 20 && kept == 3, "some were used again, and some not");
}

enum { CONNECTIONS = 4 };
static int free_ones[CONNECTIONS], free_count;
static ch_sem connections = CH_SEM_INIT(CONNECTIONS);
static apart int take_connection(void) {
  ch_sem_wait(&connections);
  return free_ones[--free_count];
}
static apart void give_connection(int n) {
  free_ones[free_count++] = n;
  ch_sem_post(&connections);
}
static void an_array_of_free_connections(void) {
  while (free_count < CONNECTIONS)
    free_ones[free_count] = free_count, free_count++;
  for (int i = 0; i < 20; i++)
    activate(i) {
      for (int k = 0; k < 5; k++) {
        int n = take_connection();
        ch_sleep((i * 7 + k * 3) % 11);
        give_connection(n);
        ch_sleep((i + k) % 3);
        x++;
      }
    }
  ch_sleep(1000);
  expect(x == 100 && free_count == CONNECTIONS, "all are free again");
}

#define CASE(name) {#name, name}
static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {CASE(lost_update),
             CASE(of_heap),
             CASE(of_a_local),
             CASE(a_look_in_between_is_no_new_read),
             CASE(by_helpers),
             {"at_a_yield", set_aside},
             CASE(stale_check),
             CASE(overwritten),
             CASE(half_written),
             CASE(overwritten_elsewhere),
             CASE(unrepeatable_read),
             CASE(dirty_read),
             CASE(two_critical_sections_are_not_one),
             CASE(a_semaphore_as_a_lock_hands_nothing_over),
             CASE(of_async_branches),
             CASE(waits_in_plain_code),
             CASE(of_one_byte),
             CASE(a_mutex_over_both),
             CASE(a_semaphore_over_both),
             CASE(an_atomic_block),
             CASE(each_atomic_block_is_for_itself),
             CASE(two_writes_with_a_wait_between_them),
             CASE(two_writes_with_a_post_between_them),
             CASE(a_hand_over_by_semaphores),
             CASE(a_hand_over_by_the_end_of_an_activity),
             CASE(a_hand_over_by_a_finish),
             CASE(a_hand_over_by_a_condition),
             CASE(a_look_in_a_loop),
             CASE(a_new_read_before_the_write),
             CASE(updates_that_are_each_of_one_piece),
             CASE(a_value_that_was_put_back),
             CASE(neighbours),
             CASE(a_list_that_is_searched_in_each_call),
             CASE(a_list_of_locals),
             CASE(a_list_of_free_objects),
             CASE(an_array_of_free_connections),
             CASE(memory_that_was_given_back),
             CASE(memory_through_pointers),
             CASE(very_many_locations),
             CASE(locals_in_the_same_memory),
             CASE(lent_locals_in_the_same_memory),
             CASE(a_server_counts_in_a_loop),
             CASE(a_variable_that_may),
             CASE(a_function_that_may),
             CASE(an_allocator_of_its_own),
             CASE(locals_of_a_branch_in_a_branch),
             CASE(calls_of_the_library_as_branches),
             CASE(a_hand_over_of_its_own)};

int main(int argc, char **argv) {
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
      cases[i].run();
      return 0;
    } else if (argc == 1) {
      puts(cases[i].name);
    }
  return argc == 1 ? 0 : 2;
}
