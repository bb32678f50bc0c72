/* Compresses text at two levels and decompresses it again: zstd MEGABYTES. What it prints has to be the same as when
 * clang has compiled it. */
#include "zstd.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words of a small vocabulary, the frequent ones first. */
static void fill(char *text, size_t size) {
  unsigned seed = 1;
  for (size_t at = 0; at < size;) {
    seed = seed * 1103515245u + 12345u;
    unsigned word = (seed >> 16) % 64 * ((seed >> 24) % 64);
    int length = snprintf(text + at, size - at, "%x ", word * 2654435761u >> (word % 16));
    at += (size_t)length;
  }
}

int main(int argc, char **argv) {
  const size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 1) << 20, room = ZSTD_compressBound(size);
  char *text = malloc(size), *packed = malloc(room), *again = malloc(size);
  if (!text || !packed || !again)
    return 1;
  fill(text, size);
  for (int level = 3; level <= 9; level += 6) {
    const size_t small = ZSTD_compress(packed, room, text, size, level);
    if (ZSTD_isError(small) || ZSTD_decompress(again, size, packed, small) != size || memcmp(text, again, size) != 0)
      return 1;
    printf("%d: %zu -> %zu\n", level, size, small);
  }
  free(text), free(packed), free(again);
  return 0;
}
