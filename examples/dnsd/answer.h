/* What the example's name server answers. The answer depends on the question alone, so every answer can be foretold:
 *
 * - type A of NAME.example.test: 10.x.y.z, where x.y.z are the low 24 bits of the FNV-1a hash of the lower-case name;
 *
 * - other types of such a name: no such record, which is an empty answer;
 *
 * - names that begin with `missing`, and all names outside example.test: no such name. */
#ifndef ANSWER_H
#define ANSWER_H

#include <stddef.h>

/* Writes the reply to a question of `size` bytes and returns its length; 0 for what is no question. */
size_t answer(const unsigned char *question, size_t size, unsigned char *reply, size_t room);

/* A number that depends on the question alone, to spread the answers over time. */
unsigned spread(const unsigned char *question, size_t size);

#endif
