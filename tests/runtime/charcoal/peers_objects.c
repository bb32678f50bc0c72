/* What the tests of Go, tokio, Trio, crossbeam and CFA settle about objects that are waited for, with the answers that
 * ours give. Where ours differs from one of them the comment says why. Virtual time. */
#include "simulated.h"
#include <charcoal/channel.h>
#include <charcoal/future.h>
#include <charcoal/locks.h>
#include <charcoal/watch.h>

#define RUN(body)                                                                                                      \
  begin = ch_now();                                                                                                    \
  body();

/* ---- tickers (crossbeam's tick, Go's time.Ticker, tokio's interval) ---- */

/* A tick is had by one of those who wait, as a message is: four workers of one ticker do no more than one would. */
static void shared_ticker(void) {
  ch_ticker two, three;
  int ticks = 0;
  ch_ticker_init(&two, 20);
  ch_ticker_init(&three, 30);
  do
    for (int i = 0; i < 4; i++)
      async {
        int64_t end = begin + 110;
        for (int over = 0; !over;) {
          waituntil(ch_tick(&two)) ticks++;
          or waituntil(ch_tick(&three)) ticks++;
          or waituntil(ch_sleep_until(end)) over = 1;
        }
      }
  finish;
  EXPECT(ticks == 5 + 3);
}
TEST(crossbeam_a_tick_is_had_by_one_of_those_who_wait) { RUN(shared_ticker) }

static void calls_and_statements_share(void) {
  static int64_t at[6];
  ch_ticker t;
  int order[6], n = 0;
  ch_ticker_init(&t, 10);
  do
    for (int i = 0; i < 6; i++)
      async(i) {
        if (i % 2) {
          waituntil(ch_tick(&t)) at[i] = ch_now() - begin;
          or waituntil(ch_sleep(1000)) EXPECT(0);
        } else {
          EXPECT(ch_tick(&t) == 0);
          at[i] = ch_now() - begin;
        }
        order[n++] = i;
      }
  finish;
  for (int i = 0; i < 6; i++)
    EXPECT(order[i] == i && at[i] == 10 * (i + 1));
}
TEST(ticks_are_had_in_the_order_in_which_calls_and_statements_came) { RUN(calls_and_statements_share) }

static void tick_of_a_loser(void) {
  ch_ticker t;
  ch_sem s = CH_SEM_INIT(0);
  int which = 0;
  ch_ticker_init(&t, 10);
  do {
    async { /* its time comes in the same moment, and is not needed */
      ch_sleep(10);
      ch_sem_post(&s);
    }
    async {
      waituntil(ch_sem_wait(&s)) which = 1;
      or waituntil(ch_tick(&t)) which = 2;
    }
    async within(5) do says("cancelled", ch_tick(&t));
    finish;
    says("had", ch_tick(&t));
    AFTER(which == 2 ? 20 : 10);
  }
  finish;
}
TEST(law_4_whoever_gives_up_or_chooses_something_else_leaves_the_tick_to_others) {
  RUN(tick_of_a_loser)
  EXPECT_NOTES("cancelled! had");
}

static void both_ticks(void) {
  ch_ticker t;
  int ticks = 0;
  ch_ticker_init(&t, 10);
  waituntil(ch_tick(&t)) ticks++;
  else ticks = -1;
  EXPECT(ticks == -1);
  waituntil(ch_tick(&t)) ticks++;
  and waituntil(ch_tick(&t)) ticks++;
  EXPECT(ticks == 1);
  AFTER(20);
  ch_sleep(35);
  waituntil(ch_tick(&t)) ticks++;
  else EXPECT(0);
  waituntil(ch_tick(&t)) EXPECT(0);
  else ticks++;
  ch_tick(&t);
  AFTER(60);
}
TEST(tokio_missed_ticks_count_as_one_also_where_one_ticker_stands_in_two_clauses) { RUN(both_ticks) }
