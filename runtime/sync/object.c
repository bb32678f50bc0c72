/* Reports that a second domain uses a local object. See object.h. */
#include "sync/object.h"
#include <stdio.h>
#include <unistd.h>

void ch_object_claim(struct ch_object *o, const char *what) {
  const void *nobody = NULL;
  if (__atomic_compare_exchange_n(&o->domain, &nobody, &ch_domain, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  fprintf(stderr,
          "charcoal: the %s at %p is local to the domain that has used it first, and another domain uses it now; make "
          "it with its ..._init_shared, or with the flag CH_SHARED, so that all domains may use it\n",
          what, (void *)o);
  fflush(NULL);
  _exit(CH_EXIT_MISUSE);
}
