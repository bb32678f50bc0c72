/* Tickers (charcoal.h). */
#ifndef CHARCOAL_SYNC_TICKER_H
#define CHARCOAL_SYNC_TICKER_H

#include "charcoal.h"

/* A tick was waited for: the next one lies ahead. */
__attribute__((visibility("hidden"))) void ch_ticker_advance(ch_ticker *);

#endif
