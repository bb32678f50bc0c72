/* See answer.h. The format is that of RFC 1035, section 4. */
#include "answer.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { HEADER = 12, TYPE_A = 1, NO_SUCH_NAME = 3 };

static uint32_t hash(const void *bytes, size_t size) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < size; i++)
    h = (h ^ ((const unsigned char *)bytes)[i]) * 16777619u;
  return h;
}

unsigned spread(const unsigned char *question, size_t size) {
  return size > HEADER ? hash(question + HEADER, size - HEADER) >> 8 : 0;
}

/* Reads the name at *at in lower case with dots; returns its length, or -1 when it is malformed. */
static int read_name(const unsigned char *text, size_t size, size_t *at, char name[256]) {
  size_t n = 0;
  while (*at < size && text[*at] != 0) {
    size_t label = text[(*at)++];
    if (label > 63 || *at + label > size || n + label + 1 > 255)
      return -1;
    if (n > 0)
      name[n++] = '.';
    for (size_t i = 0; i < label; i++)
      name[n++] = (char)tolower(text[(*at)++]);
  }
  name[n] = 0;
  return (*at)++ < size ? (int)n : -1;
}

size_t answer(const unsigned char *question, size_t size, unsigned char *reply, size_t room) {
  static const char zone[] = ".example.test";
  char name[256];
  size_t end = HEADER;
  int length;
  if (size < HEADER || (question[2] & 0x80) || question[5] != 1)
    return 0;
  length = read_name(question, size, &end, name);
  if (length < 0 || end + 4 > size || end + 4 + 16 > room)
    return 0;

  int tail = length - (int)sizeof zone + 1;
  int known = tail > 0 && strcmp(name + tail, zone) == 0 && strncmp(name, "missing", 7) != 0;
  int give_address = known && question[end] == 0 && question[end + 1] == TYPE_A;
  end += 4;

  memcpy(reply, question, end);
  reply[2] =
      0x84 | (question[2] & 0x79); /* an authoritative reply, with the opcode and `recursion desired` of the question */
  reply[3] = 0x80 | (known ? 0 : NO_SUCH_NAME);
  memset(reply + 6, 0, 6);
  if (give_address) {
    uint32_t address = 10u << 24 | (hash(name, (size_t)length) & 0xffffff);
    /* The record has the name of the question, type A, class IN, a life of one minute, and four bytes. */
    const unsigned char record[16] = {
        0xc0, HEADER, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4, address >> 24, address >> 16, address >> 8, address};
    reply[7] = 1;
    memcpy(reply + end, record, sizeof record);
    end += sizeof record;
  }
  return end;
}
