/* Between tests/io/names.c and what lies beneath it. */
#ifndef NAMES_H
#define NAMES_H

#include <semaphore.h>

extern sem_t names_begun;  /* posted when a thread is inside a call */
extern sem_t names_answer; /* lets one of them go on */
extern int names_given;    /* answers of getaddrinfo that nobody has freed */

#endif
