void h(void) { yield; if (1) yield; else yield; for (;;) yield; out: yield; }
