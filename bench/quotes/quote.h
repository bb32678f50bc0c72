/* The message that each client gets once a second. */
#ifndef QUOTE_H
#define QUOTE_H

#include <stdint.h>
#include <string.h>

struct quote {
  char symbol[8];
  uint64_t number; /* 0, 1, 2, ... on each connection */
  uint64_t price;  /* follows from the number */
  uint64_t volume;
};

static inline void make_quote(struct quote *q, uint64_t number) {
  memcpy(q->symbol, "CHARCOAL", 8);
  q->number = number;
  q->price = number * 0x9E3779B97F4A7C15u;
  q->volume = number ^ 0x5555;
}

#define PERIOD_NS 1000000000L

#endif
