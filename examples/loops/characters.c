// The characters of a game, in straight-line code: each is an activity that moves, sleeps and waits for keys.
#include <charcoal.h>
#include <charcoal/events.h>
#include <stdio.h>
#include "characters.h"

static event(char) next_key;
static int left = 2;

static char wait_for_key(void) {
  char key;
  twait { next_key = mkevent(&key); }
  return key;
}

static void hero(void) {
  for (int i = 0; i < 3; i++)
    printf("the hero %s\n", wait_for_key() == 'j' ? "jumps" : "stumbles");
}
static void guard(void) {
  int steps = 0;
  for (; steps < 20; steps++)
    ch_sleep(2000000);
  printf("the guard has made %d steps\n", steps);
}

void begin(void) {
  activate {
    hero();
    left--;
  }
  activate {
    guard();
    left--;
  }
}
void pressed(char key) {
  if (ch_event_is_outstanding(next_key)) // otherwise nobody waits for a key
    ch_trigger(next_key, key);
}
int is_over(void) { return left == 0; }
