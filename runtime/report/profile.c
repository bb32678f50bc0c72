/* Writes a profile for pprof (github.com/google/pprof, proto/profile.proto), without a library. It says how often and
 * how long activities have waited at each place, by call stack, and how long they have run and been ready, by the place
 * where they were spawned. The label `wait` says what was waited for, and `object` names the lock or semaphore. */
#include "report/about.h"
#include "report/debug.h"
#include "report/report.h"
#include "report/symbols.h"
#include "report/times.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
  char *at;
  size_t n, room;
  bool failed;
};

static void put(struct bytes *b, const void *from, size_t n) {
  if (b->n + n > b->room) {
    size_t room = 2 * b->room + n + 256;
    char *at = realloc(b->at, room);
    b->failed |= !at;
    if (!at)
      return;
    b->at = at;
    b->room = room;
  }
  memcpy(b->at + b->n, from, n);
  b->n += n;
}
static void put_varint(struct bytes *b, uint64_t n) {
  for (; n >= 128; n >>= 7)
    put(b, &(char){(char)(n | 128)}, 1);
  put(b, &(char){(char)n}, 1);
}
static void put_field(struct bytes *b, unsigned field, uint64_t n) {
  put_varint(b, field << 3);
  put_varint(b, n);
}
static void put_block(struct bytes *b, unsigned field, const void *from, size_t n) {
  put_varint(b, field << 3 | 2);
  put_varint(b, n);
  put(b, from, n);
}
static void put_message(struct bytes *b, unsigned field, struct bytes *inner) {
  put_block(b, field, inner->at, inner->n);
  b->failed |= inner->failed;
  free(inner->at);
}

/* What has been written already: strings, and locations by what they stand for. Numbers count from 0 and 1. */
struct location {
  const void *what; /* a frame's description, or a spawn site */
  uint32_t point;
};
struct profile {
  struct bytes out;
  char **strings;
  struct location *locations;
  size_t n_strings, n_locations;
};

static void *grown(void *array, size_t n, size_t size, struct profile *p) {
  if (n & (n - 1))
    return array; /* the array has room up to the next power of two */
  void *more = realloc(array, (n ? 2 * n : 1) * size);
  p->out.failed |= !more;
  return more;
}

static uint64_t string(struct profile *p, const char *text) {
  for (size_t i = 0; i < p->n_strings; i++)
    if (strcmp(p->strings[i], text) == 0)
      return i;
  char *copy = strdup(text);
  char **more = grown(p->strings, p->n_strings, sizeof *more, p);
  if (!copy || !more) {
    p->out.failed = true;
    free(copy);
    return 0;
  }
  p->strings = more;
  p->strings[p->n_strings] = copy;
  put_block(&p->out, 6, text, strlen(text));
  return p->n_strings++;
}

/* Functions need no table: one for each line of a location, with a number of its own. */
static void put_line(struct profile *p, struct bytes *location, const struct ch_spot *spot) {
  static const char unknown[] = "?";
  struct bytes function = {0}, line = {0};
  static __thread uint64_t functions;
  put_field(&function, 1, ++functions);
  put_field(&function, 2, string(p, spot->function ? spot->function : unknown));
  put_field(&function, 4, string(p, spot->file ? spot->file : ""));
  put_message(&p->out, 5, &function);
  put_field(&line, 1, functions);
  put_field(&line, 2, spot->line);
  put_message(location, 4, &line);
}

static uint64_t location_of(struct profile *p, const struct ch_frame_info *info, uint32_t point, const char *site) {
  const void *what = info ? (const void *)info : site;
  for (size_t i = 0; i < p->n_locations; i++)
    if (p->locations[i].what == what && p->locations[i].point == point)
      return i + 1;
  struct location *more = grown(p->locations, p->n_locations, sizeof *more, p);
  if (!more)
    return 1;
  p->locations = more;
  p->locations[p->n_locations++] = (struct location){what, point};
  struct bytes location = {0};
  struct ch_spot spot;
  put_field(&location, 1, p->n_locations);
  for (unsigned n = 0; info && ch_about_frame(info, point, n, &spot); n++)
    put_line(p, &location, &spot);
  if (!info) {
    char text[256];
    snprintf(text, sizeof text, "activity %s", site ? site : "?");
    put_line(p, &location, &(struct ch_spot){.function = text});
  }
  put_message(&p->out, 4, &location);
  return p->n_locations;
}

static void put_label(struct profile *p, struct bytes *sample, const char *key, const char *text) {
  struct bytes label = {0};
  put_field(&label, 1, string(p, key));
  put_field(&label, 2, string(p, text));
  put_message(sample, 3, &label);
}

static void put_tally(struct profile *p, const struct ch_tally *t) {
  struct bytes sample = {0}, locations = {0}, values = {0};
  bool waits = t->what != NULL;
  for (unsigned i = 0; i < t->depth; i++)
    put_varint(&locations, location_of(p, t->frames[i].info, t->frames[i].point, NULL));
  put_varint(&locations, location_of(p, NULL, 0, t->site));
  put_varint(&values, waits ? t->count : 0);
  put_varint(&values, waits ? (uint64_t)t->ns : 0);
  put_varint(&values, waits ? 0 : t->count);
  put_varint(&values, waits ? 0 : (uint64_t)t->ns);
  put_varint(&values, (uint64_t)t->ready_ns);
  put_message(&sample, 1, &locations);
  put_message(&sample, 2, &values);
  if (waits)
    put_label(p, &sample, "wait", t->what);
  if (t->object) {
    struct ch_place place;
    char address[32];
    snprintf(address, sizeof address, "%p", t->object);
    put_label(p, &sample, "object", ch_object_of(t->object, &place) ? place.function : address);
  }
  put_message(&p->out, 2, &sample);
}

static void put_domain(struct ch_debug *d, void *profile) {
  struct ch_timing *t = *d->timing;
  if (!t)
    return;
  pthread_mutex_lock(&t->lock);
  for (unsigned i = 0; i < sizeof t->places / sizeof *t->places; i++)
    for (const struct ch_tally *at = t->places[i]; at; at = at->next)
      put_tally(profile, at);
  pthread_mutex_unlock(&t->lock);
}

static void put_type(struct profile *p, const char *type, const char *unit) {
  struct bytes value = {0};
  put_field(&value, 1, string(p, type));
  put_field(&value, 2, string(p, unit));
  put_message(&p->out, 1, &value);
}

/* Gzip without compression: stored blocks (RFC 1951, 1952). */
static struct bytes zipped(const struct bytes *from) {
  static const unsigned char head[10] = {0x1f, 0x8b, 8, [9] = 255};
  struct bytes to = {0};
  uint32_t crc = ~0u;
  for (size_t i = 0; i < from->n; i++) {
    crc ^= (unsigned char)from->at[i];
    for (int k = 0; k < 8; k++)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  put(&to, head, sizeof head);
  for (size_t at = 0, n; at < from->n || at == 0; at += n) {
    n = from->n - at < 65535 ? from->n - at : 65535;
    unsigned char block[5] = {at + n == from->n, (unsigned char)n, (unsigned char)(n >> 8), (unsigned char)~n,
                              (unsigned char)(~n >> 8)};
    put(&to, block, sizeof block);
    put(&to, from->at + at, n);
    if (n == 0)
      break;
  }
  uint32_t tail[2] = {~crc, (uint32_t)from->n};
  for (unsigned i = 0; i < 8; i++)
    put(&to, &(char){(char)(tail[i / 4] >> 8 * (i % 4))}, 1);
  return to;
}

char *ch_profile(size_t *size) {
  struct profile p = {0};
  string(&p, "");
  put_type(&p, "waits", "count");
  put_type(&p, "wait", "nanoseconds");
  put_type(&p, "runs", "count");
  put_type(&p, "run", "nanoseconds");
  put_type(&p, "ready", "nanoseconds");
  ch_debug_visit(put_domain, &p);
  struct bytes zip = zipped(&p.out);
  bool failed = p.out.failed || zip.failed;
  for (size_t i = 0; i < p.n_strings; i++)
    free(p.strings[i]);
  free(p.strings);
  free(p.locations);
  free(p.out.at);
  if (failed) {
    free(zip.at);
    return NULL;
  }
  *size = zip.n;
  return zip.at;
}
