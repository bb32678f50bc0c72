/* ch_stats: numbers about the domain, its memory and its waits (charcoal.h). */
#include "frames/large.h"
#include "reactor/looking.h"
#include "report/debug.h"
#include "report/report.h"
#include "report/times.h"
#include <string.h>

void ch_stats(struct ch_stats *s) {
  uint64_t blocks, bytes;
  *s = (struct ch_stats){.activities = ch_domain.live,
                         .spawned = ch_domain.spawned,
                         .peak = ch_domain.high > ch_domain.peak ? ch_domain.high : ch_domain.peak,
                         .switches = ch_domain.switches + ch_domain.turns,
                         .mapped_bytes = ch_heap_mapped(),
                         .wakeups = ch_inbox_wakeups,
                         .looks = ch_looks,
                         .looks_paid = ch_looks_paid};
  ch_heap_sums(CH_KIND_FRAME, &s->frames, &s->frame_bytes);
  ch_heap_sums(CH_KIND_ACTIVITY, &blocks, &s->activity_bytes);
  ch_heap_sums(CH_KIND_LONG, &blocks, &bytes);
  s->activity_bytes += bytes;
  ch_heap_sums(CH_KIND_ASYNC, &s->branches, &bytes);
  s->activity_bytes += bytes;
  if (ch_timing) {
    memcpy(s->run, ch_timing->run, sizeof s->run);
    memcpy(s->wait, ch_timing->wait, sizeof s->wait);
    memcpy(s->ready, ch_timing->ready, sizeof s->ready);
  }
}
