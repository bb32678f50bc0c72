/* The contract of abi/charcoal_abi.h, exercised without the compiler. A good first read: this is what charcoal-cc makes
 * of C. */
#include "by_hand.h"

static ch_sem go, done;

/* void worker(char *name) { note(name); ch_sem_wait(&go); note(name); ch_sem_post(&done); } */
FRAME_FUNCTION(worker, { char *name; }) {
  BEGIN(worker)
  v.name = v.record;
  note(v.name);
  CALL(1, ch_sem_wait_int(&go))
  note(v.name);
  ch_sem_post(&done);
  END
}
/* The body of `activate (name) worker(name)` */
FRAME_FUNCTION(worker_body, { char unused; }){BEGIN(worker_body) CALL(1, worker(*(char **)v.record)) END}

MAIN_FUNCTION(two_workers, { int i; }) {
  BEGIN(two_workers_body)
  SPAWN(NULL, worker_body, &(char *){"a"}, 8);
  SPAWN(NULL, worker_body, &(char *){"b"}, 8);
  note("main");
  CALL(1, ch_reschedule_int())
  ch_sem_post(&go);
  ch_sem_post(&go);
  for (v.i = 0; v.i < 2; v.i++) {
    CALL(2, ch_sem_wait_int(&done))
  }
  RETURN(7);
  END
}

TEST(blocked_branches_resume_in_the_order_in_which_they_were_made_ready) {
  EXPECT(run_domain(two_workers) == 7);
  EXPECT_NOTES("main a b a b");
}

/* long deep(long n) { if (n == 0) { ch_sem_wait(&go); return 1; } return 1 + deep(n - 1); } */
static struct ch_int_result deep_call(long n);
FRAME_FUNCTION(deep, { long n; }) {
  BEGIN(deep)
  v.n = (long)v.record;
  if (v.n == 0) {
    CALL(1, ch_sem_wait_int(&go))
    RETURN(1);
  }
  CALL(2, deep_call(v.n - 1))
  RETURN(value + 1);
  END
}
static struct ch_int_result deep_call(long n) { return deep((void *)n); }

static long answer;
FRAME_FUNCTION(deep_body, { char unused; }) {
  BEGIN(deep_body)
  CALL(1, deep_call(1000))
  answer = value;
  END
}
MAIN_FUNCTION(deep_main, { ch_activity *a; }) {
  static ch_activity a;
  BEGIN(deep_main_body)
  SPAWN(&a, deep_body, NULL, 0);
  CALL(1, ch_reschedule_int()) {
    struct ch_stats s;
    ch_stats(&s);
    EXPECT(s.frames == 1002);
  }
  ch_sem_post(&go);
  CALL(2, ch_activity_wait_int(&a))
  END
}
TEST(a_thousand_frames_are_saved_and_give_their_results_to_their_callers) {
  EXPECT(run_domain(deep_main) == 0);
  EXPECT(answer == 1001);
  struct ch_stats s;
  ch_stats(&s);
  EXPECT(s.frames == 0);
}

/* A body that ends in a tail call of what blocks has no frame at all. */
static struct ch_int_result tail_body(void *record) { return ch_sem_wait_int(*(ch_sem **)record); }
static int posts_go(void *record) { return (void)record, ch_sem_post(&go), 0; }
static struct ch_int_result tail_main(int argc, char **argv, char **envp) {
  static ch_activity a;
  ch_spawn(&a, (void *)tail_body, &(ch_sem *){&go}, sizeof(ch_sem *), 0, NULL);
  ch_spawn(NULL, (void *)posts_go, NULL, 0, 0, NULL);
  return ch_activity_wait_int(&a);
}
TEST(a_blocked_branch_may_have_no_frame) { EXPECT(run_domain(tail_main) == 0); }

/* ---- frames of a whole activation ---- */

struct home { /* as struct ch_frame begins */
  const struct ch_frame_info *info;
  struct ch_frame *parent;
  uint32_t point, reserved;
  char image[8];
  long fixed[100];
};
static struct ch_int_result home_function(void *);
static const struct ch_frame_info home_info = {resume_by_hand,
                                               (void *)home_function,
                                               "home_function",
                                               NULL,
                                               NULL,
                                               1,
                                               sizeof(struct home),
                                               8,
                                               16,
                                               CH_FRAME_HOME,
                                               0,
                                               0,
                                               NULL};
static struct ch_int_result home_function(void *record) {
  struct home *home;
  (void)record;
  if (ch_tls.attention && ch_tls.entering) {
    ch_restore(&home);
    goto after;
  }
  home = (struct home *)ch_frame_new(&home_info);
  for (int i = 0; i < 100; i++)
    home->fixed[i] = i;
  int r = CH_PAUSED;
  if (r)
    return (struct ch_int_result){ch_suspend_home((struct ch_frame *)home, &home, CH_WHY(1, (uint32_t)r)), 0};
after:;
  long sum = 0;
  for (int i = 0; i < 100; i++)
    sum += home->fixed[i];
  ch_frame_free((struct ch_frame *)home);
  return (struct ch_int_result){CH_DONE, sum};
}
MAIN_FUNCTION(home_main, { int i; }) {
  BEGIN(home_main_body)
  CALL(1, home_function(NULL))
  RETURN(value);
  END
}
TEST(a_home_frame_keeps_its_address_and_its_locals) { EXPECT(run_domain(home_main) == 4950); }

/* ---- versions ---- */

static int f(void) { return 1; }
static int f_int(void) { return 2; }
static int g(void) { return 3; }
static int adapter(void) { return 4; }

TEST(ch_version_finds_registered_versions_and_forgets_them_with_their_module) {
  struct ch_version_entry module[] = {{(void *)f, (void *)f_int}, {(void *)g, NULL}};
  EXPECT(ch_version_of((void *)f, (void *)adapter) == (void *)adapter);
  ch_versions_register(module, module + 2);
  EXPECT(ch_version_of((void *)f, (void *)adapter) == (void *)f_int);
  EXPECT(ch_version_of((void *)g, (void *)adapter) == (void *)adapter);
  EXPECT(ch_tls.callee == (void *)g);
  struct ch_version_entry again[] = {{(void *)f, (void *)f_int}};
  ch_versions_register(again, again + 1);
  ch_versions_unregister(module, module + 2);
  EXPECT(ch_version_of((void *)f, (void *)adapter) == (void *)f_int);
  ch_versions_unregister(again, again + 1);
  EXPECT(ch_version_of((void *)f, (void *)adapter) == (void *)adapter);
}

/* As generated code looks: the version, or NULL where it has to ask the runtime. */
static void *near(void *fn) {
  struct ch_version_entry e;
  memcpy(&e, (char *)ch_tls.versions + CH_VERSION_OFFSET(fn), sizeof e);
  return e.fn == fn ? e.version : NULL;
}
static void *asked(void *fn) { return near(fn) ? near(fn) : ch_version_of(fn, (void *)adapter); }
TEST(generated_code_finds_a_version_that_was_asked_for_until_its_module_is_gone) {
  struct ch_version_entry module[] = {{(void *)f, (void *)f_int}, {(void *)g, NULL}},
                          other[] = {{(void *)g, (void *)f_int}};
  ch_versions_register(module, module + 2);
  ch_version_of((void *)f, (void *)adapter);
  ch_version_of((void *)g, (void *)adapter);
  EXPECT(near((void *)f) == (void *)f_int && near((void *)g) == NULL);
  ch_versions_register(other, other + 1);
  EXPECT(near((void *)f) == NULL); /* another module may have brought a version that wins */
  EXPECT(ch_version_of((void *)g, (void *)adapter) == (void *)f_int);
  EXPECT(near((void *)g) == (void *)f_int);
  ch_versions_unregister(other, other + 1);
  ch_versions_unregister(module, module + 2);
  EXPECT(near((void *)f) == NULL && near((void *)g) == NULL);
}
TEST(of_two_functions_in_one_place_both_are_found_and_none_is_taken_for_the_other) {
  static char a_int, b_int, memory[2 * 16 * CH_VERSION_SLOTS];
  char *a = memory, *b = memory + 16 * CH_VERSION_SLOTS;
  struct ch_version_entry module[] = {{a, &a_int}, {b, &b_int}};
  ch_versions_register(module, module + 2);
  int moved = 0;
  for (int i = 0; i < 200; i++) {
    void *before = near(b);
    EXPECT(asked(a) == &a_int && asked(b) == &b_int);
    EXPECT((near(a) == &a_int && !near(b)) || (near(b) == &b_int && !near(a)));
    moved += near(b) != before;
  }
  EXPECT(moved > 2); /* neither has the place for ever */
  ch_versions_unregister(module, module + 2);
}
TEST(functions_at_any_address_are_found) {
  static char versions[64], memory[16 * CH_VERSION_SLOTS + 64];
  struct ch_version_entry module[64];
  char *last = memory + (16 * CH_VERSION_SLOTS - 32 - CH_VERSION_OFFSET(memory) % (16 * CH_VERSION_SLOTS));
  for (int i = 0; i < 64; i++) /* up to the last entry's last byte, and from the first one's first byte on */
    module[i] = (struct ch_version_entry){last + i, versions + i};
  ch_versions_register(module, module + 64);
  for (int round = 0; round < 40; round++)
    for (int i = 0; i < 64; i++)
      EXPECT(asked(last + i) == versions + i);
  ch_versions_unregister(module, module + 64);
  for (int i = 0; i < 64; i++)
    EXPECT(asked(last + i) == adapter);
}
/* Two neighbours, such that the bytes from the k-th one on are the address of a function for which code looks there. */
static void neighbours(struct ch_version_entry pair[2], unsigned k) {
  const uintptr_t high = k == 15 ? 0x40 : 0x30 + k, at = high << 8 | 0x30;
  unsigned char bytes[sizeof(struct ch_version_entry[2])] = {at & 0xff, at >> 8, [16] = (at + 16) & 0xff, at >> 8};
  memset(bytes + 2, 0x51, 14);
  memset(bytes + 18, 0x61, 14);
  bytes[k] = (at + k) & 0xff;
  bytes[k + 1] = at >> 8;
  memcpy(pair, bytes, sizeof bytes);
}
TEST(nothing_between_two_functions_is_taken_for_a_third) {
  for (unsigned k = 1; k < 16; k++)
    for (int order = 0; order < 2; order++) {
      struct ch_version_entry pair[2];
      neighbours(pair, k);
      char *third;
      memcpy(&third, (char *)pair + k, sizeof third);
      EXPECT(((uintptr_t)third & 0xffff) == ((uintptr_t)pair[0].fn & 0xffff) + k);
      ch_versions_register(pair, pair + 2);
      for (int i = 0; i < 2; i++)
        EXPECT(asked(pair[i ^ order].fn) == pair[i ^ order].version);
      EXPECT(near(third) == NULL && asked(third) == adapter);
      ch_versions_unregister(pair, pair + 2);
      EXPECT(near(third) == NULL && asked(third) == adapter);
    }
}

/* A description of frames of this size: such a frame is not suspended here. */
static struct ch_frame *frame_of(struct ch_frame_info *info, uint32_t size, uint32_t align) {
  *info = (struct ch_frame_info){.name = "sized", .size = size, .align = align, .flags = CH_FRAME_HOME};
  return ch_frame_new(info);
}
static uint64_t frames_now(void) {
  struct ch_stats st;
  ch_stats(&st);
  return st.frames;
}
TEST(frames_of_all_sizes_and_alignments_keep_apart_and_are_used_again) {
  static const uint32_t sizes[] = {24,   40,   4080, 4096,  4104,  4608,  4616,  5000,  8192,
                                   8200, 9216, 9224, 16384, 16392, 32768, 32776, 100000};
  enum { MANY = 40, SIZES = sizeof sizes / sizeof *sizes };
  const uint64_t before = frames_now();
  for (unsigned k = 0; k < SIZES; k++)
    for (uint32_t align = 16; align <= 1024; align *= 2) {
      static struct ch_frame_info info[MANY];
      struct ch_frame *f[MANY];
      for (int i = 0; i < MANY; i++) {
        f[i] = frame_of(&info[i], sizes[k], align);
        EXPECT((uintptr_t)f[i] % align == 0);
        memset(f[i]->image, i, sizes[k] - CH_FRAME_HEADER);
      }
      EXPECT(frames_now() == before + MANY);
      for (int i = 0; i < MANY; i++)
        EXPECT(f[i]->info == &info[i] && f[i]->point == 0 &&
               (sizes[k] == CH_FRAME_HEADER || f[i]->image[sizes[k] - CH_FRAME_HEADER - 1] == i));
      struct ch_frame *last = f[MANY - 1];
      for (int i = 0; i < MANY; i++)
        ch_frame_free(f[i]);
      EXPECT(frames_now() == before);
      if (sizes[k] <= 32768 && align <= 512 && !__has_feature(address_sanitizer)) {
        struct ch_frame *again = frame_of(&info[0], sizes[k], align);
        EXPECT(again == last);
        ch_frame_free(again);
      }
    }
}

TEST(variable_length_locals_of_all_sizes_keep_apart) {
  enum { MANY = 3000 };
  static char *local[MANY];
  static size_t size[MANY];
  void *list = NULL, *mark = NULL;
  for (int i = 0; i < MANY; i++) {
    if (i == MANY / 2)
      mark = list;
    const size_t align = (size_t)1 << i % 12;
    size[i] = (size_t)(i * 7919) % (i % 10 == 0 ? 40000 : 5000);
    local[i] = ch_alloca(&list, size[i], align);
    EXPECT((uintptr_t)local[i] % align == 0);
    memset(local[i], i, size[i]);
  }
  for (int i = 0; i < MANY; i++)
    for (size_t at = 0; at < size[i]; at++)
      EXPECT(local[i][at] == (char)i);
  ch_alloca_release(&list, mark);
  for (int i = 0; i < MANY / 2; i++)
    EXPECT(size[i] == 0 || local[i][size[i] - 1] == (char)i);
  ch_alloca_release(&list, NULL);
  EXPECT(list == NULL);
}

TEST(ch_alloca_releases_to_a_mark) {
  void *list = NULL;
  char *a = ch_alloca(&list, 100, 1), *mark = list;
  char *b = ch_alloca(&list, 5000, 64);
  memset(a, 1, 100);
  memset(b, 2, 5000);
  EXPECT((uintptr_t)b % 64 == 0);
  ch_alloca_release(&list, mark);
  EXPECT(list == mark && a[99] == 1);
  ch_alloca_release(&list, NULL);
  EXPECT(list == NULL);
}
