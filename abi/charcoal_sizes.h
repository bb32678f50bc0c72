/* The part of the contract between generated code and the runtime (charcoal_abi.h) that is about images of a few words:
 * the functions that save and restore an activation, once for each such size, so that nobody looks at the size when an
 * activation is suspended or resumed. */
#ifndef CHARCOAL_SIZES_H
#define CHARCOAL_SIZES_H

#include "charcoal_abi.h"

/* An image of at most so many words has functions of its own. */
#define CH_SIZED_WORDS 8u
#define CH_FOR_EACH_SIZE(make) make(0) make(1) make(2) make(3) make(4) make(5) make(6) make(7) make(8)

/* For an image of n words: ch_suspend_n does the same as ch_suspend, and ch_suspend_home_n as ch_suspend_home.
 * ch_restore_n does the same as ch_restore for the frames of ch_suspend_n, and ch_restore_home_n for those of
 * ch_suspend_home_n. */
#define CH_DECLARE_SIZED(n)                                                                                            \
  int ch_suspend_##n(const struct ch_frame_info *, const void *image, uint32_t point, int status);                     \
  int ch_suspend_home_##n(struct ch_frame *, const void *image, uint32_t point, int status);                           \
  struct ch_restored ch_restore_##n(void *image);                                                                      \
  struct ch_restored ch_restore_home_##n(void *image);
CH_FOR_EACH_SIZE(CH_DECLARE_SIZED)

#endif
