/* Red zones of AddressSanitizer in the memory that the runtime hands out. See guards.h. */
#define _GNU_SOURCE
#include "frames/guards.h"
#include "frames/large.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* AddressSanitizer's interface (sanitizer/asan_interface.h). */
#define WEAK __attribute__((weak))
extern WEAK void __asan_get_shadow_mapping(size_t *scale, size_t *offset);
extern WEAK void __asan_set_error_report_callback(void (*)(const char *));
extern WEAK void *__asan_get_report_address(void);
extern WEAK size_t __asan_get_report_access_size(void);
extern WEAK const char *__asan_locate_address(void *, char *, size_t, void **region, size_t *size);

/* Its values of shadow bytes, which decide what it calls an access. */
enum { LEFT_OF_ALLOCA = 0xca, RIGHT_OF_ALLOCA = 0xcb, BESIDE_HEAP_BLOCK = 0xfa };
#define GRANULE 8

static size_t shadow_offset; /* 0: AddressSanitizer is not there */

/* Volatile: the compiler would call memset, which AddressSanitizer does not let touch the shadow. */
static volatile unsigned char *shadow_of(const void *p) {
  return (unsigned char *)((uintptr_t)p / GRANULE + shadow_offset);
}

/* `begin` may lie inside a granule, whose first bytes stay what they are; `end` is rounded down. */
static void guard(const void *begin, const void *end, int value) {
  if (!shadow_offset)
    return;
  volatile unsigned char *first = shadow_of(begin), *limit = shadow_of(end);
  if ((uintptr_t)begin % GRANULE && first < limit)
    *first++ = (uintptr_t)begin % GRANULE;
  for (; first < limit; first++)
    *first = (unsigned char)value;
}

void ch_guard_frame(struct ch_frame *f, const struct ch_guards *guards) {
  if (!shadow_offset)
    return;
  volatile unsigned char *shadow = shadow_of((char *)f + guards->start);
  /* A slab's memory is used again, and nobody clears its shadow, so there nothing is guarded. */
  for (uint32_t i = 0; i < guards->bytes; i++)
    shadow[i] = ch_heap_malloc ? guards->shadow[i] : 0;
  if (ch_heap_malloc)
    ch_large_of(f)->guards = guards;
}

void ch_guard_dynamic(void *local, size_t size) {
  char *end = (char *)local + size;
  guard((char *)local - 16, local, LEFT_OF_ALLOCA);
  guard(end, (char *)(((uintptr_t)end + GRANULE - 1) & ~(uintptr_t)(GRANULE - 1)), RIGHT_OF_ALLOCA);
}

void ch_guard_heap(void *begin, void *end) { guard(begin, end, BESIDE_HEAP_BLOCK); }

/* ---- reports ---- */

static bool is_ours(const struct ch_large *h, const void *region) {
  return h->magic == CH_LARGE_MAGIC && h->raw == region && h->kind == CH_KIND_FRAME && h->guards;
}

/* The text is AddressSanitizer's own: how many, then of each its offset, size, the length of its name, and that. */
static void describe_variables(const char *text, long offset, long bytes) {
  char *at;
  for (long left = strtol(text, &at, 10); left > 0; left--) {
    long start = strtol(at, &at, 10), size = strtol(at, &at, 10), length = strtol(at, &at, 10);
    int name = (int)length;
    const char *line = memchr(at + 1, ':', (size_t)length);
    if (line)
      name = (int)(line - at - 1);
    fprintf(stderr, "charcoal:     [%ld, %ld) '%.*s'", start, start + size, name, at + 1);
    if (line)
      fprintf(stderr, " (line %.*s)", (int)(at + length - line), line + 1);
    bool inside = offset >= start && offset < start + size;
    if (inside && offset + bytes <= start + size)
      fprintf(stderr, " <== the access is in it");
    else if (inside || (offset >= start + size && offset < start + size + 16))
      fprintf(stderr, " <== the access is beyond its end");
    else if (offset < start && offset + 16 >= start)
      fprintf(stderr, " <== the access is before its beginning");
    fprintf(stderr, "\n");
    at += 1 + length;
  }
}

/* After AddressSanitizer's report, for which the frame is a block of malloc. */
static void describe(const char *report) {
  char *address = __asan_get_report_address(), none[1] = "";
  void *region = NULL;
  size_t size = 0;
  const char *kind = address ? __asan_locate_address(address, none, sizeof none, &region, &size) : NULL;
  if (!kind || strcmp(kind, "heap") != 0 || !region || size < sizeof(struct ch_large) + CH_FRAME_HEADER)
    return;
  /* The header's offset depends on the frame's alignment. */
  for (char *block = region; block + sizeof(struct ch_large) + CH_FRAME_HEADER <= (char *)region + size; block += 16) {
    struct ch_large *h = (struct ch_large *)block;
    if (!is_ours(h, region))
      continue;
    const struct ch_frame *f = (struct ch_frame *)(h + 1);
    const struct ch_frame_info *info = f->info;
    Dl_info there;
    if (!dladdr(info, &there)) /* its module has been unloaded since */
      return;
    long offset = (long)(address - (char *)f) - (long)h->guards->start;
    bool returned = strstr(report, "heap-use-after-free") != NULL;
    fprintf(stderr,
            "charcoal: %p is at offset %ld in the frame of %s%s%s%s, which is on the heap because %s can wait:\n",
            (void *)address, offset, info->name ? info->name : "a function", info->file ? " (" : "",
            info->file ? info->file : "", info->file ? ")" : "", info->name ? info->name : "it");
    if (returned)
      fprintf(stderr, "charcoal:   the function has returned, so these variables are gone:\n");
    describe_variables(h->guards->variables, offset, (long)__asan_get_report_access_size());
    return;
  }
}

bool ch_guards_start(void) {
  if (!__asan_get_shadow_mapping)
    return false;
  size_t scale;
  __asan_get_shadow_mapping(&scale, &shadow_offset);
  if ((size_t)1 << scale != GRANULE)
    shadow_offset = 0;
  else if (__asan_set_error_report_callback && __asan_get_report_address && __asan_locate_address)
    __asan_set_error_report_callback(describe);
  return true;
}
