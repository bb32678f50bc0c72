/* Converts the value of a trigger to the type of its slot, as an assignment does: ch_trigger(e, 1) for an event(double)
 * stores 1.0. The compiler has checked that the assignment is allowed. CH_KIND (charcoal/events.h) tells the size of a
 * type and one of the kinds below. */
#include "events/cells.h"
#include <string.h>

enum {
  BYTES,
  BOOL,
  SIGNED,
  UNSIGNED,
  FLOAT,
  DOUBLE,
  LONG_DOUBLE,
  HALF,
  COMPLEX_FLOAT,
  COMPLEX_DOUBLE,
  COMPLEX_LONG,
  NONE = 15
};

typedef unsigned __int128 whole_t;

static int class_of(uint32_t kind) { return (int)(kind & 15); }
static bool is_real(uint32_t kind) { return class_of(kind) >= FLOAT; }
static bool is_signed(uint32_t kind) { return class_of(kind) == SIGNED; }

/* A whole number. The bytes above those of a signed one repeat its sign. */
static whole_t whole(const void *from, uint32_t kind) {
  whole_t v = 0;
  size_t size = ch_kind_size(kind) < sizeof v ? ch_kind_size(kind) : sizeof v;
  memcpy(&v, from, size);
  unsigned above = (unsigned)(sizeof v - size) * 8;
  return is_signed(kind) ? (whole_t)((__int128)(v << above) >> above) : v;
}

/* A part of a floating-point number: 0 is its real part, 1 the imaginary part, which only complex ones have. */
static long double real(const void *from, uint32_t kind, int part) {
#ifdef __FLT16_MANT_DIG__
  _Float16 h;
#endif
  float f;
  double d;
  long double l;
  switch (class_of(kind)) {
#ifdef __FLT16_MANT_DIG__
  case HALF:
    return memcpy(&h, from, sizeof h), h;
#endif
  case FLOAT:
  case COMPLEX_FLOAT:
    return memcpy(&f, (const char *)from + (size_t)part * sizeof f, sizeof f), f;
  case DOUBLE:
  case COMPLEX_DOUBLE:
    return memcpy(&d, (const char *)from + (size_t)part * sizeof d, sizeof d), d;
  default:
    return memcpy(&l, (const char *)from + (size_t)part * sizeof l, sizeof l), l;
  }
}
static bool is_complex(uint32_t kind) { return class_of(kind) >= COMPLEX_FLOAT; }
static long double imaginary(const void *from, uint32_t kind) { return is_complex(kind) ? real(from, kind, 1) : 0; }

static whole_t whole_of_any(const void *from, uint32_t kind, bool to_signed) {
  if (!is_real(kind))
    return whole(from, kind);
  long double value = real(from, kind, 0);
  return to_signed || value < 0 ? (whole_t)(__int128)value : (whole_t)value;
}

/* A real number of this type, rounded once. */
#define REAL_OF(type)                                                                                                  \
  (is_real(from_kind)     ? (type)real(from, from_kind, 0)                                                             \
   : is_signed(from_kind) ? (type)(__int128)whole(from, from_kind)                                                     \
                          : (type)whole(from, from_kind))
#define STORE_REAL(type)                                                                                               \
  do {                                                                                                                 \
    type parts[2] = {REAL_OF(type), (type)imaginary(from, from_kind)};                                                 \
    memcpy(to, parts, is_complex(to_kind) ? sizeof parts : sizeof *parts);                                             \
    return;                                                                                                            \
  } while (0)

static void convert(void *to, uint32_t to_kind, const void *from, uint32_t from_kind) {
  bool truth = is_real(from_kind) ? real(from, from_kind, 0) != 0 || imaginary(from, from_kind) != 0
                                  : whole(from, from_kind) != 0;
  whole_t u;
  switch (class_of(to_kind)) {
  case BOOL:
    memcpy(to, &truth, sizeof truth);
    return;
#ifdef __FLT16_MANT_DIG__
  case HALF:
    STORE_REAL(_Float16);
#endif
  case FLOAT:
  case COMPLEX_FLOAT:
    STORE_REAL(float);
  case DOUBLE:
  case COMPLEX_DOUBLE:
    STORE_REAL(double);
  case LONG_DOUBLE:
  case COMPLEX_LONG:
    STORE_REAL(long double);
  default: /* the low bytes of a whole number; a null pointer that was written as 0 */
    u = whole_of_any(from, from_kind, is_signed(to_kind));
    memcpy(to, &u, ch_kind_size(to_kind) < sizeof u ? ch_kind_size(to_kind) : sizeof u);
  }
}
#undef STORE_REAL
#undef REAL_OF

void ch_value_store(void *to, uint32_t to_kind, const void *from, uint32_t from_kind) {
  if (CH_LIKELY(to_kind == from_kind))
    memcpy(to, from, ch_kind_size(to_kind));
  else if (CH_UNLIKELY(class_of(from_kind) == NONE || class_of(to_kind) == NONE))
    ch_events_misuse("an event is triggered with a value of a type that is not converted; write a cast to the type of "
                     "its slot",
                     NULL);
  else
    convert(to, to_kind, from, from_kind);
}
