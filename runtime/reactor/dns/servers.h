/* Whom to ask: the servers of ch_dns_servers, else those of CHARCOAL_DNS, else the system's. */
#ifndef CHARCOAL_REACTOR_DNS_SERVERS_H
#define CHARCOAL_REACTOR_DNS_SERVERS_H

#include "frames/attributes.h"

/* Whether the user has said whom to ask. */
CH_HIDDEN int ch_dns_has_servers(void);
/* The number of the choice that holds now. It is to be read before the list: so a choice that is made in between is
 * noticed later. Any thread may call it. */
CH_HIDDEN unsigned ch_dns_choice(void);
/* The servers that the user has chosen, as ch_dns_servers takes them; NULL: the system's. The text is never freed. */
CH_HIDDEN const char *ch_dns_server_list(void);

#endif
