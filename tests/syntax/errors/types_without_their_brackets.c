#include <charcoal.h>
#include <charcoal/channel.h>
#include <charcoal/future.h>
#include <charcoal/events.h>

void f(void) {
  channel c;
  future<int> answer;
}
void g(event done);
