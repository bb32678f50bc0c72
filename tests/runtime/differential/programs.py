"""Random programs over async, finish, cancel, deadlines, noncancellable, semaphores, sleeps and activities; and their C text."""

import random

SEMAPHORES = 4
HANDLES = 3


class Generator:
    """single: no other activity is started; then the trace is the same wherever activities give way (law 1)."""

    def __init__(self, seed, single):
        self.random = random.Random(seed)
        self.single, self.number, self.handle = single, 0, 0

    def next_number(self):
        self.number += 1
        return self.number

    def program(self):
        names = ["f%d" % i for i in range(self.random.randint(1, 4))]
        functions = {}
        # Each calls only later ones.
        for i in reversed(range(len(names))):
            functions[names[i]] = self.block(3, [], False, names[i + 1:], 14)
        main = self.block(4, [], False, names, 24)
        # Most programs come to an end: what still waits is cancelled in the end.
        if self.random.random() < 0.9:
            main = [("finish", main, self.random.choice([300, 1000]))]
        return {"functions": functions, "main": main}

    def block(self, depth, around, in_barrier, callable, most):
        return [self.statement(depth, around, in_barrier, callable) for _ in range(self.random.randint(1, max(2, most // (6 - depth))))]

    def statement(self, depth, around, in_barrier, callable):
        """around: what is lexically around, innermost last: "finish" or "barrier"."""
        pick = self.random.random
        if depth > 0 and pick() < 0.55:
            kinds = ["finish"] * 3 + ["noncancellable", "repeat"]
            if around and around[-1] == "finish":
                kinds += ["async"] * 8
            if not self.single:
                kinds += ["activate"]
            kind = self.random.choice(kinds)
            inner = depth - 1
            if kind == "finish":
                deadline = self.random.choice([None] * 4 + [0, 5, 20, 60])
                return ("finish", self.block(inner, around + ["finish"], False, callable, 24), deadline)
            if kind == "async":
                return ("async", self.block(inner, around, in_barrier, callable, 12))
            if kind == "noncancellable":
                return ("noncancellable", self.block(inner, around + ["barrier"], True, callable, 8))
            if kind == "repeat":
                return ("repeat", self.random.randint(1, 3), self.block(inner, around, in_barrier, callable, 8))
            if self.handle < HANDLES:
                self.handle += 1
                return ("activate", self.handle - 1, self.block(inner, [], False, callable, 12))
        choices = ["note"] * 2 + ["wait"] * 6 + ["post"] * 6 + ["sleep"] * 2 + ["timedwait"] * 2 + ["reschedule", "cancelled"]
        if "finish" in around:
            choices += ["cancel"]
        if callable:
            choices += ["call"] * 3
        if not self.single:
            choices += ["cancel_activity", "join"]
        kind = self.random.choice(choices)
        if kind == "wait":
            return ("wait", self.next_number(), self.random.randrange(SEMAPHORES))
        if kind == "timedwait":
            return ("wait", self.next_number(), self.random.randrange(SEMAPHORES), self.random.choice([1, 7, 30]))
        if kind == "post":
            return ("post", self.random.randrange(SEMAPHORES))
        if kind == "sleep":
            return ("sleep", self.next_number(), self.random.choice([0, 1, 3, 10, 40]))
        if kind == "cancel":
            return ("cancel", self.random.randrange(around.count("finish")))
        if kind == "call":
            return ("call", self.random.choice(callable))
        if kind == "cancel_activity":
            return ("cancel_activity", self.random.randrange(HANDLES))
        if kind == "join":
            return ("join", self.next_number(), self.random.randrange(HANDLES))
        if kind == "reschedule":
            return ("reschedule",)
        return (kind, self.next_number())


class Text:
    """C text of programs; `prefix` tells those of one file apart."""

    def __init__(self, prefix):
        self.prefix, self.lines, self.labels = prefix, [], 0

    def put(self, depth, line):
        self.lines.append("  " * depth + line)

    def block(self, code, depth, labels):
        for statement in code:
            getattr(self, "put_" + statement[0])(depth, labels, *statement[1:])

    def put_note(self, depth, labels, number):
        self.put(depth, "note(%d, -1);" % number)

    def put_cancelled(self, depth, labels, number):
        self.put(depth, "note(%d, ch_cancelled() != 0);" % number)

    def put_wait(self, depth, labels, number, sem, timeout=None):
        call = "ch_sem_wait(&s[%d])" % sem if timeout is None else "ch_sem_timedwait(&s[%d], %d)" % (sem, timeout)
        self.put(depth, "{ int r = %s; note(%d, code(r)); }" % (call, number))

    def put_post(self, depth, labels, sem):
        self.put(depth, "ch_sem_post(&s[%d]);" % sem)

    def put_sleep(self, depth, labels, number, duration):
        self.put(depth, "{ int r = ch_sleep(%d); note(%d, code(r)); }" % (duration, number))

    def put_reschedule(self, depth, labels):
        self.put(depth, "ch_reschedule();")

    def put_cancel(self, depth, labels, level):
        self.put(depth, "cancel %s;" % labels[-1 - level] if level else "cancel;")

    def put_call(self, depth, labels, name):
        self.put(depth, "%s_%s();" % (self.prefix, name))

    def put_cancel_activity(self, depth, labels, handle):
        self.put(depth, "ch_activity_cancel(&handles[%d]);" % handle)

    def put_join(self, depth, labels, number, handle):
        self.put(depth, "{ int r = ch_activity_wait(&handles[%d]); note(%d, code(r)); }" % (handle, number))

    def put_async(self, depth, labels, body):
        self.put(depth, "async {")
        self.block(body, depth + 1, labels)
        self.put(depth, "}")

    def put_activate(self, depth, labels, handle, body):
        # A handle is for one activity.
        self.put(depth, "if (!used[%d]++) activate [&handles[%d]] {" % (handle, handle))
        self.block(body, depth + 1, [])
        self.put(depth, "}")

    def put_noncancellable(self, depth, labels, body):
        self.put(depth, "noncancellable {")
        self.block(body, depth + 1, labels)
        self.put(depth, "}")

    def put_repeat(self, depth, labels, times, body):
        self.put(depth, "for (int i = 0; i < %d; i++) {" % times)
        self.block(body, depth + 1, labels)
        self.put(depth, "}")

    def put_finish(self, depth, labels, body, deadline=None):
        label = "l%d" % self.labels
        self.labels += 1
        self.put(depth, "%s: %sdo {" % (label, "" if deadline is None else "within (%d) " % deadline))
        self.block(body, depth + 1, labels + [label])
        self.put(depth, "} finish;")

    def program(self, program):
        for name in sorted(program["functions"], reverse=True):
            self.put(0, "static void %s_%s(void) {" % (self.prefix, name))
            self.block(program["functions"][name], 1, [])
            self.put(0, "}")
        self.put(0, "static void %s(void) {" % self.prefix)
        self.block(program["main"], 1, [])
        self.put(0, "}")
        return "\n".join(self.lines) + "\n"


PROLOGUE = """#include <charcoal.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
static ch_sem s[%d];
static ch_activity handles[%d];
static int used[%d];
static atomic void note(int number, int result) {
  if (result < 0)
    printf("%%d ", number);
  else
    printf("%%d.%%d ", number, result);
}
static atomic int code(int r) { return r == 0 ? 0 : r == ECANCELED ? 1 : r == ETIMEDOUT ? 2 : 3; }
""" % (SEMAPHORES, HANDLES, HANDLES)


def file_of(programs):
    text = PROLOGUE
    for i, program in enumerate(programs):
        text += Text("p%d" % i).program(program)
    text += "static void (*const all[])(void) = {%s};\n" % ", ".join("p%d" % i for i in range(len(programs)))
    return text + "int main(int argc, char **argv) {\n  (void)argc;\n  all[atoi(argv[1])]();\n}\n"
