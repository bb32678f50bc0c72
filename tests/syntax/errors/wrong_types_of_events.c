#include <charcoal/events.h>
#define NOTE_TEXT(e) ch_trigger(e, "text")
struct place {
  int a;
};
void lookup(event(int) done);
ch_callback(on_done, event(long), (void *argument, long n), argument, n)
ch_callback(on_text, event(const char *), (void *argument, int n), argument, n)
void f(struct place p, double d, int i, const char *text) {
  rendezvous(int) ids;
  rendezvous() plain;
  event(int) e = mkevent(ids, 1, &d);
  lookup(mkevent(plain, &text));
  ch_trigger(e, text);
  ch_trigger(e, p);
  ch_trigger(e);
  ch_trigger(e, 1, 2);
  ch_trigger(i, 1);
  NOTE_TEXT(e);
  ch_event_cancel(i);
  ch_trigger_after(1, e);
  ch_add_timeout(int, 1, e);
  ch_event_argument(e);
  (void)ch_callback_data(on_done, e);
  ch_trigger(e, unknown);
}
