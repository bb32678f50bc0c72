/* What the table of lines in a frame's description says of a resume point (charcoal_abi.h). */
#ifndef CHARCOAL_FRAMES_LINES_H
#define CHARCOAL_FRAMES_LINES_H

#include "charcoal_abi.h"
#include <stdbool.h>

/* A frame of the runtime's own that only hands a result on. */
#define CH_FRAME_RETURNS 32u

static inline uint32_t ch_entry_of_point(const struct ch_frame_info *info, uint32_t point) {
  return info->lines && point >= 1 && point <= info->points ? info->lines[point - 1] : 0;
}
/* The point's line in the function's file. 0: unknown. */
static inline uint32_t ch_line_of_point(const struct ch_frame_info *info, uint32_t point) {
  return ch_entry_of_point(info, point) & ~CH_LINE_LAST;
}
/* Tells whether all that the frame's function still does is to return. False: it may do more. */
static inline bool ch_frame_only_returns(const struct ch_frame *f) {
  return f->info->flags & CH_FRAME_RETURNS || ch_entry_of_point(f->info, f->point) & CH_LINE_LAST;
}

#endif
