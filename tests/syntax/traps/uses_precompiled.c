int main(void) {
  int n = 4;
  ch_activity a;
  in_header(&a, &n);
  ch_activity_wait(&a);
  activate [&a] { n++; }
  ch_activity_wait(&a);
  do { async n += both(1, 2); } finish;
  printf("%d\n", n);
  return 0;
}
