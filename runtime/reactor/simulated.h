/* Lets tests control the simulated reactor: its clock jumps to the next thing that happens, and its descriptors become
 * ready as a script says. */
#ifndef CHARCOAL_REACTOR_SIMULATED_H
#define CHARCOAL_REACTOR_SIMULATED_H

#include <stdint.h>

/* Says that from time `at` on, until ch_simulated_clear, these events of poll hold for the descriptor. A test may do so
 * for any number of descriptors. */
void ch_simulated_event(int64_t at, int fd, int events);
void ch_simulated_clear(int fd);

#endif
