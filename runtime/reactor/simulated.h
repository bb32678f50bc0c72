/* A world for tests: a clock that jumps to the next thing that happens, and descriptors that become ready by script. */
#ifndef CHARCOAL_REACTOR_SIMULATED_H
#define CHARCOAL_REACTOR_SIMULATED_H

#include <stdint.h>

/* From time `at` on, `events` (poll's) hold for the descriptor, until ch_simulated_clear. Any number of descriptors. */
void ch_simulated_event(int64_t at, int fd, int events);
void ch_simulated_clear(int fd);

#endif
