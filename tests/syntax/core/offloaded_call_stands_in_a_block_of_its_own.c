void h(int i) { activate __charcoal_offload_to(e, k) f(i, 1); activate __charcoal_offload_to(e) p->fn(i); }
