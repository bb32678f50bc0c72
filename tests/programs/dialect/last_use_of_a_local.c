/* A function may return when the activities that know its locals have used them for the last time, though their bodies
 * have not ended: a message, a unit or a value is the last thing that they give. */
// outcome: last_use_of_a_local.expected
#include <charcoal.h>
#include <charcoal/channel.h>
#include <charcoal/future.h>
#include <stdio.h>
#include <unistd.h>

static int ended;

static void adds(int *sum, ch_sem *done) {
  usleep(10);
  *sum += 1;
  ch_sem_post(done);
}
static void says(channel(int) *where, int what) { ch_send(where, &what); }

static int units(void) {
  int sum = 0;
  ch_sem done = CH_SEM_INIT(0);
  for (int i = 0; i < 5; i++) {
    activate {
      usleep(10);
      sum++;
      ch_sem_post(&done);
      ended++;
    }
    activate adds(&sum, &done);
  }
  for (int i = 0; i < 10; i++)
    ch_sem_wait(&done);
  return sum;
}

static int messages(void) {
  channel(int) said = {0};
  int sum = 0, one;
  for (int i = 0; i < 5; i++) {
    activate (i) {
      usleep(10);
      ch_send(&said, &i);
    }
    activate says(&said, i);
  }
  for (int i = 0; i < 10; i++) {
    ch_recv(&said, &one);
    sum += one;
  }
  return sum;
}

static int value(void) {
  future(int) set = {0};
  int result;
  activate {
    int seven = 7;
    usleep(10);
    ch_future_set(&set, seven);
  }
  ch_get(&set, &result);
  return result;
}

static int answers(void) {
  channel(int) there = {0}, back = {0};
  int value = 0;
  activate { // goes once more around its loop when the last answer has been taken
    int x;
    for (int i = 0; i < 3; i++) {
      ch_recv(&there, &x);
      x++;
      ch_send(&back, &x);
    }
  }
  for (int i = 0; i < 3; i++) {
    ch_send(&there, &value);
    ch_recv(&back, &value);
  }
  return value;
}

static int choice(void) {
  channel(int) one = {0}, other = {0};
  int result;
  activate {
    int nine = 9;
    waituntil (ch_send(&one, &nine)) {}
    or waituntil (ch_send(&other, &nine)) {}
  }
  ch_reschedule();
  ch_recv(&other, &result);
  return result;
}

int main(void) {
  printf("%d %d %d %d %d\n", units(), messages(), value(), answers(), choice());
  while (ended < 5)
    usleep(10);
}
