/* C++: lambdas as bodies, and channels of objects (charcoal.hpp). */
#include "harness.h"
#include <charcoal.hpp>
#include <memory>
#include <string>
#include <vector>

using namespace std::chrono_literals;

/* Counts the objects that are alive. */
static int alive;
struct counted {
  int value;
  explicit counted(int v) : value(v) { alive++; }
  counted(counted &&other) : value(std::exchange(other.value, -1)) { alive++; }
  counted(const counted &) = delete;
  ~counted() { alive--; }
};

/* Waits so that others run, at a cost of no time that a test would see. */
static void pause_briefly() { ch_sleep(1); }

TEST(activate_takes_over_its_body_and_destroys_it_at_the_end) {
  int seen = 0;
  {
    auto what = std::make_unique<counted>(7);
    charcoal::activate([what = std::move(what), &seen] {
      pause_briefly();
      seen = what->value;
    });
  }
  EXPECT(alive == 1 && seen == 0);
  while (alive)
    pause_briefly();
  EXPECT(seen == 7);
}

static int calls;
static void count_a_call() {
  pause_briefly();
  calls++;
}
struct function_object {
  int by;
  void operator()() { calls += by; }
};

TEST(functions_and_function_objects_are_bodies) {
  const auto constant = [] { calls += 10; };
  function_object object{100};
  charcoal::activity(count_a_call).wait();
  charcoal::activity by_constant(constant), by_object(object);
  by_constant.wait();
  by_object.wait();
  charcoal::finish(constant);
  charcoal::atomic(object);
  charcoal::noncancellable(count_a_call);
  EXPECT(calls == 1 + 10 + 100 + 10 + 100 + 1);
}

TEST(an_activity_is_cancelled_and_waited_for_where_its_handle_ends) {
  int result = -1;
  bool at_end = false;
  {
    charcoal::activity sleeper([&] {
      result = ch_sleep(CH_FOREVER);
      charcoal::noncancellable(pause_briefly);
      at_end = true;
    });
    pause_briefly();
    EXPECT(!sleeper.finished());
  }
  EXPECT(result == ECANCELED && at_end);
}

TEST(a_handle_that_ends_in_a_cancelled_scope_still_waits) {
  bool at_end = false;
  charcoal::finish([&](charcoal::scope &s) {
    charcoal::activity other([&] {
      charcoal::noncancellable([] { ch_sleep(1000); });
      at_end = true;
    });
    pause_briefly();
    s.cancel();
  });
  EXPECT(at_end);
}

TEST(finish_waits_for_all_and_returns_what_its_body_returns) {
  std::vector<std::string> order;
  ch_sem turns[3] = {};
  auto five = charcoal::finish([&](charcoal::scope &s) {
    for (int i = 0; i < 3; i++)
      s.activate([&order, &turns, i] {
        ch_sem_wait(&turns[i]);
        order.push_back(std::to_string(i));
        if (i > 0)
          ch_sem_post(&turns[i - 1]);
      });
    ch_sem_post(&turns[2]);
    return std::make_unique<int>(5);
  });
  EXPECT(*five == 5);
  EXPECT((order == std::vector<std::string>{"2", "1", "0"}));
}

TEST(a_branch_may_start_others_in_the_scope_that_its_owner_waits_for) {
  int ended = 0;
  charcoal::finish([&](charcoal::scope &s) {
    ch_scope *outer = s.get();
    s.activate([&ended, outer] {
      pause_briefly();
      ch_activate_body(ch_in(outer), [](void *sum) { ch_sleep(10), ++*static_cast<int *>(sum); }, &ended);
      ended++;
    });
  });
  EXPECT(ended == 2);
}

TEST(within_cancels_when_the_time_is_over) {
  int result = -1;
  int64_t began = ch_now();
  int value = charcoal::within(5ms, [&](charcoal::scope &s) {
    s.activate([&] { result = ch_sleep(CH_FOREVER); });
    return 3;
  });
  EXPECT(value == 3 && result == ECANCELED);
  EXPECT(ch_now() - began >= 5000000);
  EXPECT(!ch_cancelled());
}

TEST(a_scope_can_be_cancelled_and_its_deadline_moved) {
  int results[2] = {-1, -1};
  charcoal::finish([&](charcoal::scope &s) {
    s.activate([&] { results[0] = ch_sleep(CH_FOREVER); });
    pause_briefly();
    s.cancel();
  });
  charcoal::within(1h, [&](charcoal::scope &s) {
    EXPECT(s.deadline(1ms) == 0);
    results[1] = ch_sleep(CH_FOREVER);
  });
  EXPECT(results[0] == ECANCELED && results[1] == ECANCELED);
}

TEST(nobody_runs_beside_atomic) {
  int shared = 0;
  bool ends = false;
  charcoal::activity other([&] {
    while (!ends) {
      shared++;
      pause_briefly();
    }
  });
  for (int i = 0; i < 100; i++) {
    while (shared <= i)
      pause_briefly();
    bool same = charcoal::atomic([&] {
      int before = shared;
      pause_briefly();
      return shared == before;
    });
    EXPECT(same);
  }
  ends = true;
}

TEST(noncancellable_is_not_cancelled_from_around_it) {
  charcoal::finish([&](charcoal::scope &s) {
    s.cancel();
    EXPECT(ch_sleep(1) == ECANCELED);
    EXPECT(charcoal::noncancellable([] { return ch_sleep(1); }) == 0);
    EXPECT(ch_sleep(1) == ECANCELED);
  });
}

TEST(a_channel_passes_objects_on) {
  charcoal::channel<std::unique_ptr<counted>> jobs(2);
  int sum = 0;
  charcoal::finish([&](charcoal::scope &s) {
    s.activate([&] {
      while (auto job = jobs.receive())
        sum += (*job)->value;
    });
    for (int i = 1; i <= 10; i++)
      EXPECT(jobs.send(std::make_unique<counted>(i)) == 0);
    jobs.close();
  });
  EXPECT(sum == 55 && alive == 0);
  EXPECT(jobs.is_closed() && jobs.send(nullptr) == EPIPE && !jobs.receive());
}

TEST(sender_and_receiver_meet_without_room) {
  charcoal::channel<std::string> lines;
  charcoal::finish([&](charcoal::scope &s) {
    s.activate([&] {
      for (int i = 0; i < 5; i++)
        lines.send("a line that does not fit into the string itself: " + std::to_string(i));
      lines.close();
    });
    int n = 0;
    while (auto line = lines.receive())
      EXPECT(line->back() == '0' + n++);
    EXPECT(n == 5);
  });
}

TEST(what_is_not_received_is_destroyed) {
  {
    charcoal::channel<counted> kept(CH_UNBOUNDED), full(1);
    for (int i = 0; i < 100; i++)
      EXPECT(kept.send(counted(i)) == 0);
    EXPECT(kept.size() == 100 && alive == 100);
    EXPECT(full.try_send(counted(1)) == 0 && full.try_send(counted(2)) == EAGAIN);
    EXPECT(alive == 101);
    auto one = kept.try_receive();
    EXPECT(one && one->value == 0 && alive == 101);
    charcoal::within(1ms, [&] { EXPECT(full.send(counted(3)) == ECANCELED); });
    EXPECT(alive == 101);
  }
  EXPECT(alive == 0);
}

TEST(a_channel_may_end_in_a_cancelled_scope) {
  charcoal::finish([](charcoal::scope &s) {
    charcoal::channel<counted> kept(3);
    EXPECT(kept.send(counted(1)) == 0);
    s.cancel();
    EXPECT(!kept.receive());
  });
  EXPECT(alive == 0);
}

struct pair {
  long a, b;
};
TEST(what_is_bytes_is_copied) {
  charcoal::channel<pair> pairs(1);
  EXPECT(pairs.send({1, 2}) == 0);
  auto p = pairs.receive();
  EXPECT(p && p->a == 1 && p->b == 2);
  EXPECT(!pairs.try_receive());
}

static charcoal::channel<std::string> *between;
TEST(a_shared_channel_leads_to_another_domain) {
  charcoal::channel<std::string> shared(4, charcoal::sharing::shared);
  between = &shared;
  ch_thread thread;
  auto body = [](void *) {
    for (int i = 0; i < 100; i++)
      between->send(std::string(100, 'x') + std::to_string(i));
    between->close();
  };
  EXPECT(ch_domain_start(&thread, body, nullptr) == 0);
  int n = 0;
  while (auto text = shared.receive())
    EXPECT(*text == std::string(100, 'x') + std::to_string(n++));
  EXPECT(n == 100 && ch_domain_join(&thread) == 0);
}

TEST(thousands_wait_at_once) {
  ch_sem gate = CH_SEM_INIT(0);
  int through = 0;
  charcoal::finish([&](charcoal::scope &s) {
    for (int i = 0; i < 3000; i++)
      s.activate([&] {
        ch_sem_wait(&gate);
        through++;
      });
    pause_briefly();
    EXPECT(through == 0);
    for (int i = 0; i < 3000; i++)
      ch_sem_post(&gate);
  });
  EXPECT(through == 3000);
}
