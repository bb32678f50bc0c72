/* An interpreter whose loop uses more variables, and more often, than there are registers that outlive a call: some are
 * saved by the common way out of all points, others live in the image. */
#include <stdio.h>

typedef unsigned long word;
__attribute__((noinline)) word mix(word a, word k) { return a * 31 + k; }
__attribute__((noinline)) void touch(word *p, word v) { *p ^= v; }

__attribute__((noinline)) word run(const unsigned char *at, const unsigned char *end, word *top, word sum,
                                   unsigned flags, const char *name) {
  word a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7;
  unsigned short narrow = 1;
  unsigned char byte = 3;
  word depth = 0;
  while (at < end) {
    switch (*at++ & 15) {
    case 0: sum = mix(sum, a), a++; break;
    case 1:
      *top++ = sum;
      if (top[-1] & 1)
        b += mix(c, 1);
      if (++depth > 20)
        top -= 20, depth -= 20;
      break;
    case 2:
      if (depth)
        sum += *--top, depth--;
      c ^= sum;
      break;
    case 3: touch(top, sum), d += *top; break;
    case 4: e = mix(e, flags), flags = flags * 5 + 1; break;
    case 5:
      f += a;
      if (f & 64)
        continue;
      g = mix(g, f);
      break;
    case 6: narrow += (unsigned short)mix(narrow, byte), byte += (unsigned char)narrow; break;
    case 7:
      sum ^= a + b + c + d + e + f + g + narrow + byte;
      if (sum % 97 == 0)
        sum += mix((word)name[0], depth);
      break;
    case 8: {
      word t = a;
      a = b, b = t;
      break;
    }
    case 9: {
      word t = mix(b, 3);
      b = c, c = t;
      break;
    }
    case 10: at += at + 1 < end && (sum & 7) == 3; break;
    case 11:
      for (word i = 0; i < 3; i++)
        sum += mix(i, d), d -= i;
      break;
    case 12: sum = mix(sum, depth); break;
    default: sum += at[-1];
    }
  }
  return sum ^ a ^ b ^ c ^ d ^ e ^ f ^ g ^ narrow ^ byte ^ flags ^ depth;
}

int main(void) {
  static unsigned char code[4096];
  static word stack[64];
  unsigned x = 12345;
  word all = 0;
  for (int i = 0; i < 4096; i++) {
    x = x * 1103515245 + 12345;
    code[i] = (unsigned char)(x >> 16);
  }
  for (int k = 0; k < 5; k++)
    all ^= run(code, code + 4096 - k, stack, (word)k, (unsigned)k * 7, "ab");
  printf("%lu\n", all);
}
