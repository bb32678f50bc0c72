/* Tickers (charcoal.h). */
#ifndef CHARCOAL_SYNC_TICKER_H
#define CHARCOAL_SYNC_TICKER_H

#include "frames/attributes.h"
#include "charcoal.h"

/* A tick was waited for: the next one lies ahead. */
CH_HIDDEN void ch_ticker_advance(ch_ticker *);

#endif
