/* Converts the value of a trigger to the type of its slot, as an assignment does: ch_trigger(e, 1) for an event(double)
 * stores 1.0. The compiler has checked that the assignment is allowed. CH_KIND (charcoal/events.h) tells the size of a
 * type and one of the kinds below. */
#include "events/cells.h"
#include <string.h>

enum { BYTES, BOOL, SIGNED, UNSIGNED, FLOAT, DOUBLE, LONG_DOUBLE };

static int class_of(uint32_t kind) { return (int)(kind & 15); }

static uint64_t whole(const void *from, uint32_t kind) {
  union {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
  } v = {.u64 = 0};
  memcpy(&v, from, ch_kind_size(kind) < sizeof v ? ch_kind_size(kind) : sizeof v);
  bool is_signed = class_of(kind) == SIGNED;
  switch (ch_kind_size(kind)) {
  case 1:
    return is_signed ? (uint64_t)(int8_t)v.u8 : v.u8;
  case 2:
    return is_signed ? (uint64_t)(int16_t)v.u16 : v.u16;
  case 4:
    return is_signed ? (uint64_t)(int32_t)v.u32 : v.u32;
  default:
    return v.u64;
  }
}

static bool is_real(uint32_t kind) { return class_of(kind) >= FLOAT; }

static long double real(const void *from, uint32_t kind) {
  float f;
  double d;
  long double l;
  switch (class_of(kind)) {
  case FLOAT:
    return memcpy(&f, from, sizeof f), f;
  case DOUBLE:
    return memcpy(&d, from, sizeof d), d;
  case LONG_DOUBLE:
    return memcpy(&l, from, sizeof l), l;
  case SIGNED:
    return (int64_t)whole(from, kind);
  default:
    return whole(from, kind);
  }
}

static uint64_t whole_of_any(const void *from, uint32_t kind, bool to_signed) {
  if (!is_real(kind))
    return whole(from, kind);
  long double value = real(from, kind);
  return to_signed || value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static void convert(void *to, uint32_t to_kind, const void *from, uint32_t from_kind) {
  bool truth = is_real(from_kind) ? real(from, from_kind) != 0 : whole(from, from_kind) != 0;
  float f;
  double d;
  long double l;
  uint64_t u;
  switch (class_of(to_kind)) {
  case BOOL:
    memcpy(to, &truth, sizeof truth);
    return;
  case FLOAT:
    f = (float)real(from, from_kind);
    memcpy(to, &f, sizeof f);
    return;
  case DOUBLE:
    d = (double)real(from, from_kind);
    memcpy(to, &d, sizeof d);
    return;
  case LONG_DOUBLE:
    l = real(from, from_kind);
    memcpy(to, &l, sizeof l);
    return;
  default: /* the low bytes of a whole number; a null pointer that was written as 0 */
    u = whole_of_any(from, from_kind, class_of(to_kind) == SIGNED);
    memcpy(to, &u, ch_kind_size(to_kind) < sizeof u ? ch_kind_size(to_kind) : sizeof u);
  }
}

void ch_value_store(void *to, uint32_t to_kind, const void *from, uint32_t from_kind) {
  if (CH_LIKELY(to_kind == from_kind))
    memcpy(to, from, ch_kind_size(to_kind));
  else
    convert(to, to_kind, from, from_kind);
}
