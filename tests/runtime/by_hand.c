/* The functions that by_hand.h declares. */
#include "by_hand.h"

int resume_by_hand(struct ch_frame *f) {
  ch_tls.resuming = f;
  ch_tls.attention = CH_ENTERING;
  struct ch_int_result r = ((struct ch_int_result (*)(void *))f->info->fn)(NULL);
  if ((int)r.status == CH_DONE)
    *(long *)ch_tls.result = r.value;
  return (int)r.status;
}
