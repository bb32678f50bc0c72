#!/usr/bin/env python3
"""Generates programs: each construct of C, with a value of each kind alive, suspended at each position.

    generate.py FOLDER [--all]

A construct is a function body with holes `$0`, `$1`, ...: each an int expression. In one variant a single
hole is a call (which stress mode suspends) and the others are plain expressions; in the last variant all
are calls. Every variant of a construct must compute the same, which the program itself checks, and what it
computes is compared with the reference compiler's. Without --all each construct is made with four kinds,
taken in turn; with --all with every kind. The output depends on nothing but this file.
"""

import argparse
import re
from pathlib import Path

# name: (definitions, type, value made from int k, unsigned made from value v)
KINDS = {
    "bool": ("", "_Bool", "(k & 1)", "(unsigned)v"),
    "schar": ("", "signed char", "(signed char)(k * 7)", "(unsigned)v"),
    "ushort": ("", "unsigned short", "(unsigned short)(k * 777)", "(unsigned)v"),
    "int": ("", "int", "(k * 40503)", "(unsigned)v"),
    "long": ("", "long", "(k * 0x100000003L)", "(unsigned)(v ^ (v >> 32))"),
    "int128": ("", "__int128", "(((__int128)k << 67) + k)", "(unsigned)(v ^ (v >> 64))"),
    "float": ("", "float", "(k * 1.25f)", "(unsigned)(int)(v * 4)"),
    "double": ("", "double", "(k * 2.5)", "(unsigned)(int)(v * 4)"),
    "longdouble": ("", "long double", "(k * 0.75L)", "(unsigned)(int)(v * 4)"),
    "complex": ("", "_Complex double", "(k + k * 2.0i)", "(unsigned)(int)(__real__ v * 3 + __imag__ v)"),
    "pointer": ("static int cells[64]; typedef int *ip;", "ip", "(cells + (k & 63))", "(unsigned)(v - cells)"),
    "function": (
        "static int f0(int x) { return x; } static int f1(int x) { return x * 2; } typedef int (*fp)(int);",
        "fp",
        "(k & 1 ? f1 : f0)",
        "(unsigned)v(21)",
    ),
    "struct3": (
        "struct s3 { unsigned char b[3]; };",
        "struct s3",
        "((struct s3){{(unsigned char)k, 2, (unsigned char)(k * 3)}})",
        "(unsigned)(v.b[0] + v.b[1] * 256 + v.b[2] * 65536)",
    ),
    "struct8": (
        "struct s8 { float f; int i; };",
        "struct s8",
        "((struct s8){k * 0.5f, k})",
        "(unsigned)(int)(v.f * 2) * 7u + (unsigned)v.i",
    ),
    "struct16": (
        "struct s16 { long a; double d; };",
        "struct s16",
        "((struct s16){k, k * 0.5})",
        "(unsigned)v.a * 5u + (unsigned)(int)(v.d * 2)",
    ),
    "struct24": (
        "struct s24 { long a, b, c; };",
        "struct s24",
        "((struct s24){k, k + 1, k * 2})",
        "(unsigned)(v.a + v.b * 3 + v.c * 5)",
    ),
    "struct100": (
        "struct s100 { int a; char b[96]; };",
        "struct s100",
        "({ struct s100 s_ = {k, {0}}; for (int i_ = 0; i_ < 96; i_++) s_.b[i_] = (char)(k + i_); s_; })",
        "({ unsigned h_ = (unsigned)v.a; for (int i_ = 0; i_ < 96; i_++) h_ = h_ * 3 + (unsigned)v.b[i_]; h_; })",
    ),
    "union": ("union u { long l; double d; char c[12]; };", "union u", "((union u){.l = k * 77L})", "(unsigned)v.l"),
    "bits": (
        "struct bits { unsigned a : 5; int b : 11; unsigned long c : 40; };",
        "struct bits",
        "((struct bits){(unsigned)k & 31, k & 1023, (unsigned long)(unsigned)k << 8})",
        "((unsigned)v.a + (unsigned)v.b * 3 + (unsigned)(v.c >> 8))",
    ),
    "vector16": (
        "typedef int v4 __attribute__((vector_size(16)));",
        "v4",
        "((v4){k, 2, k * 3, 4})",
        "(unsigned)(v[0] + v[1] * 3 + v[2] * 5 + v[3] * 7)",
    ),
    "vector32": (
        "typedef double d4 __attribute__((vector_size(32)));",
        "d4",
        "((d4){k, 2, k * 0.5, 4})",
        "(unsigned)(int)(v[0] + v[1] * 3 + v[2] * 6 + v[3])",
    ),
    "overaligned": (
        "struct al { _Alignas(64) int a; };",
        "struct al",
        "((struct al){k})",
        "((unsigned)v.a + (unsigned)((unsigned long)&v % 64))",
    ),
    "bitint": ("", "unsigned _BitInt(90)", "((unsigned _BitInt(90))(unsigned)k << 60)", "(unsigned)(v >> 60)"),
}

# Bodies of `static unsigned NAME(int n)`. T is the kind's type, mk(int) and val(T) make and read one; r is the result.
CONSTRUCTS = {
    "straight": """
        T a = mk($0(1));
        T b = mk($1(2));
        r = val(a) * 3 + (unsigned)$2(n);
        a = b;
        r += val(a) * 5 + (unsigned)$3(4) + val(b);
    """,
    "if_else": """
        T a = mk(n), b = mk(n + 1);
        if ($0(n & 1)) {
          a = mk($1(7));
          r = 3;
        } else {
          b = mk($2(9));
          r = 5;
        }
        r += val(a) * 7 + val(b) + (unsigned)$3(1) + val(a);
    """,
    "if_chain": """
        T a = mk(1);
        if ($0(n) == 1) a = mk(5);
        else if ($1(n) == 2) {
          T c = a;
          r += val(c);
          $2(1);
          r += val(c);
        } else if ($3(n) == 3) r = 9;
        r += val(a);
    """,
    "for": """
        T a = mk(0);
        for (int i = $0(0); $1(i) < n; i += $2(1)) {
          T b = mk(i);
          r = r * 5 + val(a) + (unsigned)$3(i) + val(b);
          a = b;
        }
        r += val(a);
    """,
    "while_break": """
        T a = mk(3);
        int i = 0;
        while ($0(i) < 9) {
          if ($1(i) == n + 3) break;
          i++;
          if ($2(i) & 1) continue;
          a = mk(i + 1);
          r = r * 7 + val(a) + (unsigned)$3(i);
        }
        r += val(a);
    """,
    "do_while": """
        T a = mk(n);
        int i = n;
        do {
          r = r * 3 + val(a);
          if ($0(i) == 2) a = mk($1(5));
          r += val(a);
        } while ($2(i--) > 0);
        r += val(a);
    """,
    "nested_loops": """
        for (int i = 0; $0(i) < 3; i++) {
          T a = mk(i);
          for (int j = i; j < 4; j += $1(1)) {
            T b = mk(j + n);
            if ($2(i + j) == 4) goto out;
            r = r * 3 + val(a) + val(b) + (unsigned)$3(j);
          }
          r += val(a);
        }
        r += 1000;
        out:;
    """,
    "switch_fall": """
        T a = mk(1), b = mk(2);
        switch ($0(n)) {
        case 0: a = mk($1(4)); /* fall */
        case 1:
          r += val(a);
          b = mk($2(5));
          break;
        case 3: r = 7; /* fall */
        default: r += (unsigned)$3(8) + val(b);
        }
        r += val(a) * 3 + val(b);
    """,
    "switch_loop": """
        T a = mk(0);
        int state = 0;
        for (int i = 0; i < 9 + n; i++) switch (state) {
          case 0:
            a = mk($0(i));
            state = 1;
            continue;
          case 1:
            r = r * 3 + val(a);
            if ($1(i) % 3 == 0) {
              state = 2;
              break;
            } /* fall */
          case 2: r += val(a); state = $2(0);
          }
    """,
    "duff": """
        T a = mk(2);
        int k = (n + 7) / 4;
        switch (n & 3) {
          do {
          case 0: r = r * 3 + val(a) + (unsigned)$0(1);
          case 3: a = mk($1(k));
          case 2: r += val(a);
          case 1: r = r * 5 + (unsigned)$2(k);
          } while (--k > 0);
        }
        r += val(a);
    """,
    "goto_irreducible": """
        T a = mk(1), b = mk(2);
        int k = n + 4;
        if (n & 1) goto right;
        left:
        a = mk($0(k));
        r = r * 3 + val(b);
        if (--k <= 0) goto done;
        right:
        b = mk($1(k));
        r = r * 5 + val(a);
        if ($2(k) % 3 == 0) {
          k--;
          goto right;
        }
        if (k > 0) goto left;
        done:
        r += val(a) + val(b);
    """,
    "goto_past": """
        int k = 0;
        again:;
        T a = mk($0(k));
        {
          T b = a;
          r = r * 3 + val(b) + (unsigned)$1(k);
          if (++k < n + 2) goto again;
        }
        r += val(a) + (unsigned)$2(1);
    """,
    "rotate": """
        T a = mk(1), b = mk(2), c = mk(3);
        for (int i = 0; i < n + 3; i++) {
          T t = a;
          a = b;
          b = c;
          c = t;
          r = r * 3 + (unsigned)$0(i);
          if ($1(i) & 1) {
            t = a;
            a = c;
            c = t;
          }
          r += val(a) + (unsigned)$2(1);
        }
        r += val(a) * 3 + val(b) * 5 + val(c) * 7;
    """,
    "conditional": """
        T a = $0(n & 1) ? mk($1(3)) : mk($2(4));
        r = val(a);
        T b = n > 1 && $3(n) > 2 ? a : mk(9);
        r = r * 3 + val(b) + (unsigned)(($4(n) && val(a)) || $5(0)) + val(a);
    """,
    "statement_expression": """
        T a = ({
          T b = mk($0(2));
          r += val(b);
          (void)$1(1);
          b;
        });
        r = r * 3 + val(a) + (unsigned)({
              int k = $2(3);
              while (k-- > n) r += val(a);
              k;
            }) +
            val(({
              (void)$3(0);
              a;
            }));
    """,
    "arguments": "r = take(mk($0(1)), $1(2), mk($2(n)), mk(take(mk(3), $3(4), mk(5), mk(6)) & 15));",
    "array": """
        T a[5];
        for (int i = 0; i < 5; i++) a[i] = mk($0(i));
        a[$1(2)] = a[$2(n & 3)];
        for (int i = 4; i >= 0; i--) r = r * 3 + val(a[$3(i)]);
    """,
    "array_pointer": """
        T a[6];
        for (int i = 0; i < 6; i++) a[i] = mk(i + n);
        T *p = a, *q = a + 5;
        while (p < q) {
          r = r * 3 + val(*p) + (unsigned)$0(1);
          T t = *p;
          *p = *q;
          *q = t;
          p += $1(1);
          q--;
          r += val(*q) + (unsigned)$2(0);
        }
        for (int i = 0; i < 6; i++) r = r * 5 + val(a[i]);
    """,
    "array_initialiser": """
        T a[3] = {mk($0(1)), mk($1(n)), mk($2(3))};
        struct {
          char c;
          T t[2];
        } s = {(char)$3(4), {a[1], [1] = a[0]}};
        r = val(s.t[0]) + val(s.t[1]) * 3 + (unsigned)s.c + val(a[2]) * 5;
    """,
    "structure": """
        struct {
          char c;
          T v;
          short s;
        } x = {1, mk($0(n)), 2}, y = x;
        y.v = mk($1(4));
        r = val(x.v) + val(y.v) * 3;
        x = y;
        (void)$2(1);
        r += val(x.v) * 5 + (unsigned)x.c + (unsigned)y.s;
    """,
    "escape": """
        T a = mk(1), b = mk(2);
        set(&a, $0(5));
        T *p = $1(n) & 1 ? &a : &b;
        set(p, $2(6));
        r = val(a) + val(b) * 3;
        T *volatile keep = p;
        (void)$3(1);
        set(keep, 7);
        r += val(a) * 5 + val(b) * 7 + (keep == p);
    """,
    "escape_loop": """
        T *last = 0;
        for (int i = 0; i < n + 2; i++) {
          T a = mk(i);
          set(&a, $0(i));
          r = r * 3 + val(a);
          last = &a;
          (void)$1(1);
          set(last, i + 1);
          r += val(a) + (last == &a);
        }
    """,
    "vla": """
        for (int i = 1; i < n + 3; i++) {
          T a[i];
          for (int j = 0; j < i; j++) a[j] = mk($0(j));
          if ($1(i) == 4) break;
          T b[2];
          b[0] = a[i - 1];
          b[1] = a[0];
          (void)$2(1);
          r = r * 3 + val(b[0]) + val(b[1]) * 5 + (unsigned)(sizeof a / sizeof *a);
        }
    """,
    "alloca": """
        T *p = __builtin_alloca_with_align(sizeof(T) * 3, 8 * _Alignof(T));
        p[0] = mk($0(1));
        for (int i = 0; i < n; i++) {
          T *q = __builtin_alloca_with_align(sizeof(T), 8 * _Alignof(T));
          *q = p[0];
          set(q, $1(i));
          r = r * 3 + val(*q) + val(p[0]);
          p = q;
          (void)$2(1);
        }
        r += val(*p);
    """,
    "recursion": "r = down(mk($0(1)), n + 3, $1(2)); T a = mk(4); r = r * 3 + down(a, $2(2), 1) + val(a);",
    "indirect": """
        unsigned (*volatile f)(T, int, T, T) = take;
        T (*volatile g)(int) = make;
        T a = g($0(2));
        r = f(a, $1(3), g(n), g($2(4))) + val(a);
    """,
    "volatile": """
        volatile int k = n;
        T a = mk(k);
        for (k = 0; k < 3; k = k + $0(1)) {
          r = r * 3 + val(a);
          a = mk(k + $1(2));
        }
        r += val(a) + (unsigned)$2(k);
    """,
    "static_and_tls": """
        static T s;
        static __thread T l;
        s = mk($0(n));
        l = mk($1(3));
        (void)$2(1);
        T a = s;
        s = l;
        l = a;
        r = val(s) + val(l) * 3 + (unsigned)$3(1) + val(a);
    """,
    "computed_goto": """
        static const void *const at[] = {&&one, &&two, &&end};
        T a = mk(1);
        int k = 0;
        goto *at[n & 1];
        one:
        a = mk($0(k));
        r = r * 3 + val(a);
        goto *at[1];
        two:
        r += val(a) + (unsigned)$1(k);
        if (++k < 4) goto *at[$2(k) & 1];
        goto *at[2];
        end:
        r += val(a);
    """,
    "cleanup": """
        {
          __attribute__((cleanup(gone))) T a = mk($0(1));
          for (int i = 0; i < n; i++) {
            __attribute__((cleanup(gone))) T b = mk(i);
            if ($1(i) == 2) break;
            if ($2(i) == 1) continue;
            r += val(b);
          }
          r = r * 3 + val(a);
        }
        r += dropped;
        dropped = 0;
    """,
    "early_return": """
        T a = mk(n);
        if ($0(n) == 0) return val(a) + 1;
        T b = mk($1(5));
        if (n == 1) return val(a) * 3 + val(b);
        for (int i = 0;; i++) {
          if ($2(i) == n) return val(a) + val(b) * 7 + (unsigned)i;
          a = b;
        }
    """,
    "pressure": """
        T a = mk(1), b = mk(2), c = mk(3), d = mk(4), e = mk($0(5)), f = mk(6), g = mk(7), h = mk(8),
          i = mk($1(9)), j = mk(10), k = mk(n);
        r = (unsigned)$2(1);
        r = r * 3 + val(a) + val(b) * 3;
        r = r * 3 + val(c) + val(d) * 3;
        r += (unsigned)$3(2);
        r = r * 3 + val(e) + val(f) * 3;
        r = r * 3 + val(g) + val(h) * 3;
        r = r * 3 + val(i) + val(j) * 5 + val(k) * 7 + val(a);
    """,
    "setjmp": """
        jmp_buf j;
        volatile int tries = 0;
        T a = mk(n);
        int c = setjmp(j);
        tries = tries + $0(1);
        r = r * 0 + (unsigned)c * 3 + (unsigned)tries;
        if (c < 2) hop(j, $1(c), $2(1));
        r += val(a);
    """,
    "variadic": "T a = mk($0(2)); r = many($1(2), a, mk($2(n))) + val(a);",
    "select_chain": """
        T a = mk(1), b = mk(2);
        for (int i = 0; i < 5; i++) {
          int odd = $0(i) & 1;
          a = odd ? b : a;
          b = odd ? mk($1(i)) : b;
          unsigned x = val(a), y = val(b);
          (void)$2(i);
          r = r * 3 + (x > y ? x : y);
        }
    """,
}
# The same for branches: here a call waits, so that `async` statements become branches of their own. The results do not
# depend on overlap, so that other compilers, for which the words vanish, compute the same (law 11).
BRANCHES = {
    "async_assignment": """
        T a = mk(n), b = mk(n + 1);
        do {
          async a = make($0(5));
          async b = mk($1(6));
          T c = mk(3);
          (void)$2(1);
          r = val(c);
        }
        finish;
        r = r * 3 + val(a) + val(b) * 5;
    """,
    "async_block": """
        T a = mk(1), b[3];
        do {
          for (int i = 0; i < 3; i++) async {
              int k = i;
              T own = mk($0(k));
              set(&b[k], $1(k + n));
              if ($2(k) == 1) own = b[k];
              b[k] = own;
            }
          T d = mk($3(7));
          a = d;
        }
        finish;
        r = val(a);
        for (int i = 0; i < 3; i++) r = r * 3 + val(b[i]);
    """,
    "async_nested": """
        T a = mk(1), b = mk(2), c = mk(3);
        unsigned s = 0;
        do {
          async {
            T own = mk($0(4));
            do {
              async a = mk($1(5));
              async { b = mk($2(6)); }
            }
            finish;
            s = val(own) + val(a) + val(b) * 3;
          }
          c = mk($3(8));
        }
        finish;
        r = s * 5 + val(c);
    """,
    "async_in_a_loop": """
        T a = mk(0);
        for (int i = 0; i < n + 1; i++) {
          T b = a;
          do {
            async { b = mk($0(i)); }
            async if ($1(i) & 1) a = mk(i + 7);
            else a = mk(i); (void)$2(1);
          }
          finish;
          r = r * 3 + val(a) + val(b);
        }
    """,
    "async_arguments": """
        unsigned x = 0, y = 0;
        T a = mk(2);
        do {
          async x = take(a, $0(1), mk($1(n)), mk(4));
          async y = take(mk(5), n, a, mk($2(6)));
        }
        finish;
        r = x * 3 + y + val(a);
    """,
    "async_pressure": """
        T a = mk(1), b = mk(2), c = mk(3), d = mk(4), e = mk(5), f = mk(6), g = mk(7), h = mk(8);
        do {
          async {
            a = mk($0(2));
            b = a;
            c = mk($1(3));
          }
          async {
            d = mk($2(4));
            e = d;
            f = mk(n);
          }
          g = mk($3(6));
          h = g;
        }
        finish;
        r = val(a) + val(b) * 3;
        r = r * 3 + val(c) + val(d) * 3;
        r = r * 3 + val(e) + val(f) * 3;
        r = r * 3 + val(g) + val(h) * 3;
    """,
    "async_escape": """
        T a = mk(1), *p = &a;
        unsigned s = 0;
        do {
          async {
            T own = mk($0(3));
            T *q = &own;
            set(q, $1(4));
            *p = own;
            s = (q == &own) + val(*q);
          }
          async(void) $2(1);
        }
        finish;
        r = s * 3 + val(a);
    """,
    "async_jumps": """
        T a = mk(n);
        unsigned s = 0;
        do {
          async {
            int k = n;
          again:
            switch ($0(k)) {
            case 0: a = mk($1(2)); break;
            case 1: k = 0; goto again;
            default: k--; goto again;
            }
          }
          async for (int i = 0; i < 3; i++) {
            if ($2(i) == 1) continue;
            s += (unsigned)i;
          }
        }
        finish;
        r = s + val(a);
    """,
    "async_cleanup": """
        {
          unsigned s = 0;
          __attribute__((cleanup(gone))) T a = mk($0(1));
          do {
            async {
              __attribute__((cleanup(gone))) T b = mk($1(2));
              s = val(b);
            }
            async a = mk($2(3));
          }
          finish;
          r = s * 3 + val(a);
        }
        r += dropped;
        dropped = 0;
    """,
    "async_vla": """
        T a[n + 1];
        do {
          for (int i = 0; i <= n; i++) async {
              int k = i;
              T own[k + 1];
              own[k] = mk($0(k));
              (void)$1(1);
              a[k] = own[k];
            }
        }
        finish;
        for (int i = 0; i <= n; i++) r = r * 3 + val(a[i]) + (unsigned)$2(i);
    """,
    "async_recursion": """
        unsigned x = 0, y = 0;
        do {
          async x = down(mk($0(1)), n + 3, $1(2));
          async async y = down(mk(4), $2(2), 1);
        }
        finish;
        r = x * 3 + y;
    """,
    "async_in_atomic": """
        T a = mk(1);
        do {
          async atomic {
            a = mk($0(2));
            do { async(void) $1(3); }
            finish;
          }
          atomic { r = (unsigned)$2(3); }
        }
        finish;
        r += val(a);
    """,
    "finish_left": """
        T a = mk(n), b = mk(2);
        do {
          async set(&b, $0(4));
          if ($1(n) == 2) return val(a) + 9;
          if ($2(n) == 3) goto out;
          T c = mk($3(1));
          a = c;
        }
        finish;
        r = val(a) * 3;
        out:
        r += val(b);
    """,
    "finish_deadline": """
        T a = mk(1);
        unsigned s = 0;
        within(3600000000000LL + $0(n)) do {
          async a = mk($1(4));
          noncancellable {
            T b = mk($2(2));
            s = val(b);
          }
        }
        finish;
        r = s + val(a);
    """,
}
CONSTRUCTS |= BRANCHES
# Values that the default argument promotions change, and kinds that cannot be arguments there.
NOT_VARIADIC = {"bool", "schar", "ushort", "float"}

PRELUDE = """/* {construct} with {kinds}: suspended at each position. Generated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#define NI __attribute__((noinline))
static unsigned calls;
{call}
#define plain(x) (x)
static jmp_buf *at;
NI static void hop(jmp_buf j, int c, int d) {{ at = (jmp_buf *)j; call(d); longjmp(*at, c + 1); }}
static int check(const char *name, int n, unsigned want, unsigned got) {{
  if (want != got)
    printf("%s(%d): %u, not %u\\n", name, n, got, want);
  return want != got;
}}
"""
CALL = "NI static int call(int x) { calls++; return x; }"
WAITING_CALL = """#ifdef __CHARCOAL__
#include <charcoal.h>
#else
#define async
#define finish while (0)
#define atomic
#define noncancellable
#define within(t) if ((void)(t), 0); else
#define ch_sleep(ns) 0
#endif
NI static int call(int x) { calls++; return x + ch_sleep(1); }"""
HELPERS = """
/* ---- {kind} ---- */
{definitions}
static unsigned dropped_{kind};
static inline {type} mk_{kind}(int k) {{ return {make}; }}
static inline unsigned val_{kind}({type} v) {{ return {value}; }}
NI static {type} make_{kind}(int k) {{ call(k); return mk_{kind}(k); }}
NI static unsigned take_{kind}({type} a, int k, {type} b, {type} c) {{
  unsigned r = val_{kind}(a);
  call(k);
  r = r * 3 + val_{kind}(b);
  a = c;
  call(k);
  return r * 3 + val_{kind}(c) + val_{kind}(a) + (unsigned)k;
}}
NI static void set_{kind}({type} *p, int k) {{ call(k); *p = mk_{kind}(k); }}
NI static unsigned down_{kind}({type} v, int d, int s) {{
  if (d <= 0)
    return val_{kind}(v);
  {type} mine = mk_{kind}(d);
  unsigned r = down_{kind}(mine, d - s, s);
  return r * 3 + val_{kind}(v) + val_{kind}(mine);
}}
static void gone_{kind}({type} *p) {{ dropped_{kind} = dropped_{kind} * 3 + val_{kind}(*p) + (unsigned)call(1); }}
"""
MANY = """NI static unsigned many_{kind}(int n, ...) {{
  va_list ap;
  va_start(ap, n);
  unsigned r = 0;
  while (n-- > 0) {{
    {type} v = va_arg(ap, {type});
    call(n);
    r = r * 3 + val_{kind}(v);
  }}
  va_end(ap);
  return r;
}}
"""
WORDS = re.compile(r"\b(T|mk|val|make|take|set|down|gone|dropped|many)\b")


def variants(body):
    """(name, body) with one hole a call, and with all of them."""
    holes = sorted(set(re.findall(r"\$(\d)", body)))
    fill = lambda suspends: re.sub(r"\$(\d)", lambda m: "call" if suspends(m.group(1)) else "plain", body)
    yield "none", fill(lambda h: False)
    for hole in holes:
        yield "at" + hole, fill(lambda h: h == hole)
    yield "all", fill(lambda h: True)


def program(construct, kinds):
    body = CONSTRUCTS[construct]
    text = [
        PRELUDE.format(
            construct=construct, kinds=", ".join(kinds), call=WAITING_CALL if construct in BRANCHES else CALL
        )
    ]
    main = ["int main(void) {\n  int bad = 0;\n"]
    for kind in kinds:
        definitions, type_, make, value = KINDS[kind]
        names = {"kind": kind, "type": type_, "make": make, "value": value, "definitions": definitions}
        text.append(HELPERS.format(**names))
        if "many(" in body:
            text.append(MANY.format(**names))
        functions = []
        for name, filled in variants(body):
            function = f"{construct}_{kind}_{name}"
            filled = WORDS.sub(lambda m: type_ if m.group(1) == "T" else f"{m.group(1)}_{kind}", filled)
            text.append(f"NI static unsigned {function}(int n) {{\n  unsigned r = 0;\n  {filled}\n  return r;\n}}\n")
            functions.append(function)
        main.append(
            "  for (int n = 0; n < 5; n++) {\n"
            f"    unsigned want = {functions[0]}(n);\n"
            f'    printf("{kind} %u\\n", want);\n'
        )
        main += [f'    bad += check("{f}", n, want, {f}(n));\n' for f in functions[1:]]
        main.append("  }\n")
    main.append('  printf("%u\\n", calls);\n  return bad != 0;\n}\n')
    return "".join(text + main)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    kinds, wanted = list(KINDS), {}
    for position, construct in enumerate(CONSTRUCTS):
        usable = [k for k in kinds if not (construct == "variadic" and k in NOT_VARIADIC)]
        if args.all:
            wanted |= {f"{construct}_{k}.c": program(construct, [k]) for k in usable}
        else:
            # steps of 5 and 6 over 23 (prime) or 19 kinds: every kind comes up, with every construct a different mix
            wanted[f"{construct}.c"] = program(
                construct, [usable[(position * 5 + i * 6) % len(usable)] for i in range(4)]
            )
    for old in args.folder.glob("*.c"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        path = args.folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main()
