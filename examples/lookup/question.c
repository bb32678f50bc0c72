/* Writes questions for a name server and reads its replies. See question.h. */
#include "question.h"

#include <errno.h>
#include <string.h>

enum { HEADER = 12, TYPE_A = 1, CLASS_IN = 1, POINTER = 0xC0 };

size_t make_question(unsigned char *text, size_t room, const char *name) {
  static const unsigned char header[HEADER] = {0, 1, 1, 0, 0, 1}, tail[5] = {0, 0, TYPE_A, 0, CLASS_IN};
  size_t at = HEADER;
  if (strlen(name) + 1 + HEADER + sizeof tail > room)
    return 0;
  memcpy(text, header, HEADER);
  while (*name != 0) {
    size_t label = strcspn(name, ".");
    if (label == 0 || label > 63)
      return 0;
    text[at++] = (unsigned char)label;
    memcpy(text + at, name, label);
    at += label;
    name += label + (name[label] == '.');
  }
  memcpy(text + at, tail, sizeof tail);
  return at + sizeof tail;
}

/* Where the name at `at` ends; `size` if it does not. */
static size_t skip_name(const unsigned char *text, size_t size, size_t at) {
  while (at < size && text[at] != 0) {
    if ((text[at] & POINTER) == POINTER)
      return at + 2;
    at += text[at] + 1u;
  }
  return at + 1;
}

int read_reply(const unsigned char *text, size_t size, struct in_addr *address) {
  if (size < HEADER || !(text[2] & 0x80))
    return EBADMSG;
  if ((text[3] & 0x0F) == 3)
    return ENOENT;
  if ((text[3] & 0x0F) != 0)
    return EBADMSG;
  size_t at = HEADER;
  for (int i = text[4] << 8 | text[5]; i > 0; i--)
    at = skip_name(text, size, at) + 4;
  for (int i = text[6] << 8 | text[7]; i > 0; i--) {
    at = skip_name(text, size, at);
    if (at + 10 > size)
      return EBADMSG;
    int type = text[at] << 8 | text[at + 1], length = text[at + 8] << 8 | text[at + 9];
    at += 10;
    if (at + (size_t)length > size)
      return EBADMSG;
    if (type == TYPE_A && length == 4) {
      memcpy(address, text + at, 4);
      return 0;
    }
    at += (size_t)length;
  }
  return ENOENT;
}
