/* A question for the address of a name, and the reply to it, as bytes (RFC 1035, section 4). */
#ifndef QUESTION_H
#define QUESTION_H

#include <netinet/in.h>
#include <stddef.h>

/* Writes the question and returns its size; 0: the name is not a name, or too long. */
size_t make_question(unsigned char *text, size_t room, const char *name);

/* 0 and the first address in the reply; ENOENT: the name does not exist, or has none; EBADMSG: not a reply. */
int read_reply(const unsigned char *text, size_t size, struct in_addr *address);

#endif
