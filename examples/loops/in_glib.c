// Straight-line code inside a GLib main loop, as a GTK program has one: a dialogue with the user as one function.
//
// The window's callbacks trigger events; here a timeout plays the user. `dialogue` waits for the events one after the
// other, with a time limit, while the main loop goes on.
#include <charcoal.h>
#include <charcoal/events.h>
#include <stdbool.h>
#include <stdio.h>
#include "glib_loop.h"

static event(int) clicked; // who waits for the next click

static gboolean user(gpointer count) {
  int *n = count;
  if (ch_event_is_outstanding(clicked))
    ch_trigger(clicked, ++*n);
  return *n < 3 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

// The next click; 0 if the user takes too long.
static int next_click(long ns) {
  int button = 0;
  bool in_time;
  twait { clicked = ch_add_timeout(int, ns, mkevent(&in_time, &button)); }
  return in_time ? button : 0;
}

static void dialogue(GMainLoop *loop) {
  const long timeout = 60000000000;
  printf("first click: button %d\n", next_click(timeout));
  printf("second click: button %d\n", next_click(timeout));
  printf("third click: button %d\n", next_click(timeout));
  printf("%s\n", next_click(20000000) ? "one more" : "no click within the time");
  g_main_loop_quit(loop);
}

int main(void) {
  GMainLoop *loop = g_main_loop_new(NULL, FALSE);
  GSource *guest = guest_join(g_main_loop_get_context(loop));
  int clicks = 0;
  if (!guest)
    return 1;
  activate { dialogue(loop); }
  g_timeout_add(2, user, &clicks);
  g_main_loop_run(loop);
  g_source_destroy(guest);
  g_source_unref(guest);
  g_main_loop_unref(loop);
}
