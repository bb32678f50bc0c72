/* C++: `waituntil` as a function of clauses (charcoal/waituntil.hpp). */
#include "harness.h"
#include <charcoal.hpp>
#include <charcoal/locks.h>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using charcoal::call;
using charcoal::sleeping;
using charcoal::waituntil;
using charcoal::waituntil_fair;

/* Waits so that others run, at a cost of no time that a test would see. */
static void pause_briefly() { ch_sleep(1); }

TEST(the_first_clause_that_is_ready_is_selected) {
  charcoal::channel<int> numbers(1), more(1);
  int got = 0;
  EXPECT(numbers.send(3) == 0 && more.send(4) == 0);
  EXPECT(waituntil(numbers.receiving().then([&](std::optional<int> n) { got = *n; }) or
                   more.receiving().then([&](std::optional<int> n) { got = 10 * *n; })) == 0);
  EXPECT(got == 3 && numbers.size() == 0 && more.size() == 1);
  EXPECT(waituntil(numbers.receiving().then([&](std::optional<int> n) { got = *n; }) or
                   more.receiving().then([&](std::optional<int> n) { got = 10 * *n; })) == 0);
  EXPECT(got == 40);
}

TEST(a_statement_waits_until_one_of_its_calls_can_be_made) {
  charcoal::channel<std::string> lines;
  ch_sem units = {};
  std::vector<std::string> order;
  charcoal::finish([&](charcoal::scope &s) {
    s.activate([&] {
      pause_briefly();
      ch_sem_post(&units);
      while (order.empty())
        pause_briefly();
      lines.send("a line that does not fit into the string itself");
      lines.close();
    });
    for (int i = 0; i < 3; i++)
      EXPECT(waituntil(lines.receiving().then([&](auto line) { order.push_back(line.value_or("closed")); }) or
                       call<ch_sem_wait__clause>(&units).then([&] { order.push_back("unit"); }) or
                       sleeping(1h).then([&] { order.push_back("late"); })) == 0);
  });
  EXPECT((order == std::vector<std::string>{"unit", "a line that does not fit into the string itself", "closed"}));
}

TEST(a_body_gets_the_result_of_its_call) {
  int ends[2];
  char buffer[10];
  long read = 0;
  EXPECT(pipe(ends) == 0 && write(ends[1], "four", 4) == 4);
  EXPECT(waituntil(call<read__clause>(ends[0], buffer, sizeof buffer).then([&](long n) { read = n; })) == 0);
  EXPECT(read == 4);
  EXPECT(waituntil(call<read__clause>(-1, buffer, sizeof buffer).then([&](long n) { read = n == -1 ? errno : 0; })) ==
         0);
  EXPECT(read == EBADF);
}

TEST(who_waits_for_an_activity_waits_for_its_end) {
  bool ended = false, was_late = false;
  charcoal::activity other([&] {
    pause_briefly();
    ended = true;
  });
  EXPECT(waituntil(other.ending() or sleeping(1h).then([&] { was_late = true; })) == 0);
  EXPECT(ended && !was_late);
}

TEST(a_value_that_was_not_sent_is_still_there) {
  charcoal::channel<std::unique_ptr<int>> full(1);
  charcoal::channel<std::string> nobody;
  auto value = std::make_unique<int>(7);
  std::string text(100, 'x');
  bool there = false;
  EXPECT(full.send(nullptr) == 0);
  EXPECT(waituntil(full.sending(value) or nobody.sending(text) or
                   sleeping(1ms).then([&] { there = value && *value == 7 && text.size() == 100; })) == 0);
  EXPECT(there && full.size() == 1);
  there = false;
  EXPECT(waituntil(full.sending(value), [&] { there = value && *value == 7; }) == 0);
  EXPECT(there);
  EXPECT(full.receive() && waituntil(full.sending(value).then([&](int error) { EXPECT(error == 0); })) == 0);
  EXPECT(!value && **full.receive() == 7);
  EXPECT(nobody.close() == 0);
  EXPECT(waituntil(nobody.sending(text).then([&](int error) { there = error == EPIPE && text.size() == 100; })) == 0);
  EXPECT(there && text.size() == 100);
}

TEST(a_value_goes_to_one_of_several_channels) {
  charcoal::channel<std::string> a, b, full(1);
  std::string text(100, 'x'), seen;
  EXPECT(full.send("") == 0);
  for (auto *to : {&a, &b}) {
    charcoal::activity other([&] { seen = to->receive().value_or("nothing"); });
    EXPECT(waituntil(full.sending(text) or a.sending(text) or b.sending(text)) == 0);
    other.wait();
    EXPECT(seen == std::string(100, 'x') && text.empty());
    text = seen;
  }
  EXPECT(waituntil(full.sending(text) or a.sending(text) or sleeping(1ms)) == 0 && text == seen);
  EXPECT(waituntil(full.sending(text) or a.sending(text), [] {}) == 0 && text == seen);
  EXPECT(a.close() == 0);
  EXPECT(waituntil(full.sending(text) or a.sending(text)) == 0 && text == seen && full.size() == 1);
}

TEST(guards_leave_clauses_out) {
  ch_sem units = CH_SEM_INIT(5);
  std::string order;
  auto one = [&](bool guard, char c) {
    return call<ch_sem_wait__clause>(&units).when(guard).then([&order, c] { order += c; });
  };
  EXPECT(waituntil(one(false, 'a') or one(true, 'b')) == 0);
  EXPECT(waituntil(one(false, 'c') or one(false, 'd')) == 0);
  EXPECT(waituntil(one(false, 'e'), [&] { order += 'f'; }) == 0);
  EXPECT(waituntil(one(true, 'g') and one(false, 'h')) == 0);
  EXPECT(waituntil(one(false, 'i') or (one(false, 'j') and one(true, 'k'))) == 0);
  EXPECT(waituntil(one(false, 'l') and one(false, 'm')) == 0);
  EXPECT(order == "bfgk" && units.count == 2);
}

TEST(with_else_nobody_waits) {
  ch_sem units = {};
  int ran = 0;
  for (auto statement : {0, 1})
    for (int available = 0; available < 2; available++) {
      ch_sem_init(&units, (unsigned long)available);
      auto unit = call<ch_sem_wait__clause>(&units).then([&] { ran = 1; });
      auto none = [&] { ran = 2; };
      EXPECT((statement == 0 ? waituntil(std::move(unit), none) : waituntil_fair(std::move(unit), none)) == 0);
      EXPECT(ran == (available ? 1 : 2) && units.count == 0);
    }
}

/* What is left of a condition, and whether it is true: nothing if all of its clauses are left out. */
using truth = std::optional<bool>;
static truth either(truth a, truth b) { return !a ? b : !b ? a : truth(*a || *b); }
static truth both(truth a, truth b) { return !a ? b : !b ? a : truth(*a && *b); }

TEST(a_condition_is_true_for_all_guards_and_all_that_is_ready_as_its_operators_say) {
  for (unsigned guards = 0; guards < 8; guards++)
    for (unsigned ready = 0; ready < 8; ready++)
      for (int shape = 0; shape < 6; shape++) {
        ch_sem units[3] = {};
        unsigned bodies = 0;
        bool none = false;
        auto one = [&](int i) {
          return call<ch_sem_wait__clause>(&units[i]).when(guards >> i & 1).then([&bodies, i] { bodies |= 1U << i; });
        };
        auto is = [&](int i) { return guards >> i & 1 ? truth(ready >> i & 1) : truth(); };
        auto otherwise = [&] { none = true; };
        for (int i = 0; i < 3; i++)
          ch_sem_init(&units[i], ready >> i & 1);
        truth wanted;
        switch (shape) {
        case 0:
          wanted = both(both(is(0), is(1)), is(2));
          EXPECT(waituntil(one(0) and one(1) and one(2), otherwise) == 0);
          break;
        case 1:
          wanted = both(either(is(0), is(1)), is(2));
          EXPECT(waituntil((one(0) or one(1)) and one(2), otherwise) == 0);
          break;
        case 2:
          wanted = both(is(0), either(is(1), is(2)));
          EXPECT(waituntil(one(0) and (one(1) or one(2)), otherwise) == 0);
          break;
        case 3:
          wanted = either(both(is(0), is(1)), is(2));
          EXPECT(waituntil((one(0) and one(1)) or one(2), otherwise) == 0);
          break;
        case 4:
          wanted = either(is(0), both(is(1), is(2)));
          EXPECT(waituntil(one(0) or (one(1) and one(2)), otherwise) == 0);
          break;
        case 5:
          wanted = either(either(is(0), is(1)), is(2));
          EXPECT(waituntil(one(0) or one(1) or one(2), otherwise) == 0);
          break;
        }
        unsigned taken = 0;
        for (int i = 0; i < 3; i++)
          taken |= (unsigned)((ready >> i & 1) - units[i].count) << i;
        EXPECT(none == !wanted.value_or(false));
        EXPECT(taken == bodies && (none ? bodies == 0 : bodies != 0) && (bodies & ~(ready & guards)) == 0);
      }
}

TEST(with_and_each_body_runs_when_its_call_has_been_made) {
  ch_sem units[3] = {};
  std::string order;
  auto one = [&](int i) {
    return call<ch_sem_wait__clause>(&units[i]).then([&order, i] { order += std::to_string(i); });
  };
  charcoal::finish([&](charcoal::scope &s) {
    s.activate([&] {
      for (int i : {2, 0, 1}) {
        const size_t before = order.size();
        ch_sem_post(&units[i]);
        while (order.size() == before)
          pause_briefly();
      }
    });
    EXPECT(waituntil(one(0) and one(1) and one(2)) == 0);
    EXPECT(order == "201");
  });
  order = "";
  ch_sem_post(&units[1]);
  ch_sem_post(&units[2]);
  EXPECT(waituntil((one(0) or one(1)) and one(2)) == 0);
  EXPECT(order == "12");
}

TEST(a_lock_is_held_for_the_body_or_kept_as_its_call_says) {
  ch_mutex mutex = {};
  bool was_held = false;
  auto is_free = [&] { return ch_try_lock(&mutex) == 0 && ch_unlock(&mutex) == 0; };
  EXPECT(waituntil(call<ch_hold__clause>(&mutex).then([&] { was_held = !is_free(); })) == 0);
  EXPECT(was_held && is_free());
  was_held = false;
  EXPECT(waituntil(call<ch_hold__clause>(&mutex).then([&] { was_held = !is_free(); }) and sleeping(1ns)) == 0);
  EXPECT(was_held && is_free());
  EXPECT(waituntil(call<ch_lock__clause>(&mutex) or sleeping(1h)) == 0);
  EXPECT(!is_free() && ch_unlock(&mutex) == 0 && is_free());
}

TEST(in_a_cancelled_scope_no_body_runs) {
  charcoal::channel<std::string> nobody;
  std::string text(100, 'x');
  int bodies = 0, results[3] = {-1, -1, -1};
  charcoal::finish([&](charcoal::scope &s) {
    s.activate([&] { results[0] = waituntil(nobody.sending(text).then([&] { bodies++; })); });
    s.activate([&] {
      results[1] =
          waituntil(nobody.receiving().when(false).then([&] { bodies++; }) and sleeping(1h).then([&] { bodies++; }));
    });
    pause_briefly();
    s.cancel();
    results[2] = waituntil(nobody.receiving(), [&] { bodies++; });
  });
  EXPECT(results[0] == ECANCELED && results[1] == ECANCELED && results[2] == ECANCELED);
  EXPECT(bodies == 0 && text.size() == 100);
}

TEST(both_sides_select_and_no_message_is_lost_or_twice) {
  enum { MANY = 200 };
  charcoal::channel<std::unique_ptr<int>> a, b;
  long sum = 0;
  charcoal::finish([&](charcoal::scope &s) {
    for (int k = 0; k < 2; k++)
      s.activate([&, k] {
        for (int i = 1; i <= MANY; i++) {
          auto value = std::make_unique<int>(i);
          if (k)
            EXPECT(waituntil(a.sending(value) or b.sending(value)) == 0);
          else
            EXPECT(waituntil_fair(b.sending(value) or a.sending(value)) == 0);
        }
      });
    for (int i = 0; i < 2 * MANY; i++)
      EXPECT(waituntil_fair(a.receiving().then([&](auto n) { sum += **n; }) or
                            b.receiving().then([&](auto n) { sum += **n; })) == 0);
  });
  EXPECT(sum == MANY * (MANY + 1L));
}

static charcoal::channel<std::string> *words, *replies;
TEST(shared_channels_select_across_domains) {
  charcoal::channel<std::string> there(0, charcoal::sharing::shared), back(2, charcoal::sharing::shared);
  words = &there;
  replies = &back;
  ch_thread thread;
  auto answer = [](void *) {
    for (bool open = true; open;)
      waituntil(words->receiving().then([&](auto word) { open = word && replies->send("re: " + *word) == 0; }) or
                sleeping(1h));
    replies->close();
  };
  EXPECT(ch_domain_start(&thread, answer, nullptr) == 0);
  int received = 0;
  for (int sent = 0; received < 100;) {
    std::string word = std::string(50, 'w') + std::to_string(sent);
    waituntil(there.sending(word).when(sent < 100).then([&] { sent++; }) or back.receiving().then([&](auto reply) {
      EXPECT(*reply == "re: " + std::string(50, 'w') + std::to_string(received));
      received++;
    }));
  }
  there.close();
  EXPECT(ch_domain_join(&thread) == 0);
}

TEST(the_bathroom_of_two_kinds_of_guests) {
  struct {
    int inside[2] = {0, 0}, most = 0, visits = 0;
  } room;
  charcoal::channel<int> enter[2], leave;
  charcoal::finish([&](charcoal::scope &s) {
    s.activate([&] {
      for (int left = 40; left > 0;) {
        auto enters = [&](int kind) {
          return enter[kind].receiving().when(room.inside[1 - kind] == 0 && room.inside[kind] < 3).then([&, kind] {
            room.inside[kind]++;
            room.visits++;
          });
        };
        waituntil_fair(enters(0) or enters(1) or leave.receiving().then([&](auto kind) {
          room.inside[*kind]--;
          left--;
        }));
        EXPECT(room.inside[0] == 0 || room.inside[1] == 0);
        room.most = std::max({room.most, room.inside[0], room.inside[1]});
      }
    });
    for (int i = 0; i < 40; i++)
      s.activate([&, kind = i % 2] {
        enter[kind].send(kind);
        pause_briefly();
        leave.send(kind);
      });
  });
  EXPECT(room.visits == 40 && room.most > 1 && room.most <= 3);
}

#ifdef __cpp_exceptions
TEST(an_exception_out_of_a_body_withdraws_everything_first) {
  ch_sem units = {};
  ch_mutex mutex = {};
  charcoal::channel<std::unique_ptr<int>> numbers(1);
  auto value = std::make_unique<int>(1);
  bool caught = false;
  EXPECT(numbers.send(std::make_unique<int>(2)) == 0);
  try {
    waituntil(call<ch_hold__clause>(&mutex).then([] { throw 1; }) or call<ch_sem_wait__clause>(&units));
  } catch (int) {
    caught = true;
  }
  EXPECT(caught && ch_try_lock(&mutex) == 0 && ch_unlock(&mutex) == 0);
  caught = false;
  try { /* the receive has been made, but its body does not run */
    waituntil(call<ch_hold__clause>(&mutex).then([] { throw 2; }) and call<ch_sem_wait__clause>(&units) and
              numbers.receiving() and numbers.sending(value));
  } catch (int) {
    caught = true;
  }
  EXPECT(caught && ch_try_lock(&mutex) == 0 && ch_unlock(&mutex) == 0);
  EXPECT((numbers.size() == 1) == !value);
  EXPECT(ch_sem_post(&units) == 0 && ch_sem_wait(&units) == 0);
}
#endif
