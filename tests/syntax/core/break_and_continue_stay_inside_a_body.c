void h(int i) { for (;;) activate { if (i) break; while (i) break; continue; switch (i) { case 1: break; } } }
