unsigned slept, warned;
unsigned sleep(unsigned seconds) {
  slept += seconds;
  return 0;
}
void warn(const char *format, ...) { warned++; }
int usleep(unsigned microseconds) { return __builtin_frame_address(0) ? 7 : 8; }
#ifdef __x86_64__
__attribute__((naked)) int nanosleep(const void *time, void *rest) { __asm__("movl $9, %eax; ret"); }
#else
int nanosleep(const void *time, void *rest) { return 9; }
#endif
