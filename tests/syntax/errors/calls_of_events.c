#include <charcoal.h>
#include <charcoal/events.h>

struct request {
  event(int, char) answered;
};

void answer(event(int) done, event() over, struct request *request, ch_event any) {
  done(3);
  over();
  (*request->answered)(1, 'a');
  any();
  activate done(4);
  ch_trigger(done, 5);
}
