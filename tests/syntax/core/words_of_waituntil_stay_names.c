int or, and, when, fair;
int test(int waituntil, int or, int and) {
  int when = or + and, fair = or || and && when;
  struct { int waituntil, when; } s = {waituntil, when};
  or = and; and(or); when(fair); (or); fair(when) + or;
  or: and: when: fair: waituntil: ;
  if (or) and++; else when--;
  return s.waituntil * waituntil;
}
