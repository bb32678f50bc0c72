/* Lets tests control the simulated reactor: its clock jumps to the next thing that happens, and its descriptors become
 * ready as a script says. */
#ifndef CHARCOAL_REACTOR_SIMULATED_H
#define CHARCOAL_REACTOR_SIMULATED_H

#include <stdint.h>

/* From time `at` on, `events` (poll's) hold for the descriptor, until ch_simulated_clear. Any number of descriptors. */
void ch_simulated_event(int64_t at, int fd, int events);
void ch_simulated_clear(int fd);

#endif
