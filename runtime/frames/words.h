/* Copies a few words that were stored a moment ago, such as images of frames and captured variables. */
#ifndef CHARCOAL_FRAMES_WORDS_H
#define CHARCOAL_FRAMES_WORDS_H

#include "frames/attributes.h"
#include <stdint.h>
#include <string.h>

/* Up to so many bytes ch_copy_words is better than memcpy. */
#define CH_MOST_WORDS 256u

/* Copies n bytes, a multiple of 8. Word by word, also where a vector would do: the words were stored a moment ago one
 * by one, and a wider load would have to wait until they have all reached the cache. */
static inline void ch_copy_words(void *to, const void *from, uint32_t n) {
#define WORD(i)                                                                                                        \
  {                                                                                                                    \
    uint64_t word;                                                                                                     \
    memcpy(&word, (const char *)from + 8 * (i), 8);                                                                    \
    memcpy((char *)to + 8 * (i), &word, 8);                                                                            \
    __asm__("");                                                                                                       \
  }
  while (CH_UNLIKELY(n > 64)) {
    n -= 8;
    WORD(n / 8)
  }
  switch (n / 8) { /* each falls through; no range to be checked */
  case 8:
    WORD(7)
  case 7:
    WORD(6)
  case 6:
    WORD(5)
  case 5:
    WORD(4)
  case 4:
    WORD(3)
  case 3:
    WORD(2)
  case 2:
    WORD(1)
  case 1:
    WORD(0)
  case 0:
    break;
  default:
    __builtin_unreachable();
  }
#undef WORD
}

#endif
