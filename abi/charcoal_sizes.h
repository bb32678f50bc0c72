/* The part of the contract between generated code and the runtime (charcoal_abi.h) that is about images and records of
 * a few words: the functions that save and restore an activation, and those that spawn an activity, once for each such
 * size, so that nobody looks at the size when this is done. */
#ifndef CHARCOAL_SIZES_H
#define CHARCOAL_SIZES_H

#include "charcoal_abi.h"

/* An image or a record of at most so many words has functions of its own. */
#define CH_SIZED_WORDS 8u
#define CH_FOR_EACH_SIZE(make) make(0) make(1) make(2) make(3) make(4) make(5) make(6) make(7) make(8)

/* For an image of n words: ch_suspend_n does the same as ch_suspend, and ch_suspend_home_n as ch_suspend_home.
 * ch_restore_n does the same as ch_restore for the frames of ch_suspend_n, and ch_restore_home_n for those of
 * ch_suspend_home_n. */
#define CH_DECLARE_SIZED(n)                                                                                            \
  int ch_suspend_##n(const struct ch_frame_info *, const void *image, uint32_t why);                                   \
  int ch_suspend_home_##n(struct ch_frame *, const void *image, uint32_t why);                                         \
  struct ch_restored ch_restore_##n(void *image);                                                                      \
  struct ch_restored ch_restore_home_##n(void *image);
CH_FOR_EACH_SIZE(CH_DECLARE_SIZED)

/* For a record of n words: ch_spawn_n does the same as ch_spawn without a handle and with CH_SPAWN_UNSEEN alone, and
 * ch_spawn_handle_n the same as ch_spawn without flags. */
#define CH_DECLARE_SPAWN(n)                                                                                            \
  int ch_spawn_##n(void *body_int, const void *record, const char *site);                                              \
  int ch_spawn_handle_##n(struct ch_activity *handle, void *body_int, const void *record, const char *site);
CH_FOR_EACH_SIZE(CH_DECLARE_SPAWN)

#endif
