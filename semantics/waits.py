"""Operations on objects, alone and in `waituntil`, in the reference semantics (laws 8 and 9; docs/guide/waituntil.md).

A statement with `or` alone makes one of its operations, the first in textual order that can be made; one with `and`
makes them one by one, as far as it needs. What is left open there is decided as in the runtime: who waits for one of
several becomes ready when the others have been withdrawn.
"""

from objects import *


class Statement:
    """What a branch waits for: one operation, or those of a `waituntil`."""

    def __init__(self, branch, wants, one):
        self.wants, self.one = wants, one
        self.cell = [branch]  # as in Machine.wait
        self.blocked = False
        self.selected = None  # of one: what has been made
        for want in wants:
            want.wait = self


# ---- what else can be waited for ----


class Units(Object):
    """A semaphore, whose count and waiters are the machine's."""

    def __init__(self, machine, number):
        super().__init__(machine)
        self.number, self.waiting = number, machine.waiting[number]

    def can(self, want):
        return self.machine.counts[self.number] > 0

    def make(self, want):
        self.machine.counts[self.number] -= 1
        return DONE


class Time(Object):
    """It is waited for from when its clause's argument is evaluated."""

    def __init__(self, machine, duration):
        super().__init__(machine)
        self.duration, self.when, self.timer = duration, machine.now + duration, None

    def can(self, want):
        return self.when <= self.machine.now

    def make(self, want):
        return DONE

    def enlist(self, want):
        self.timer = self.machine.at(self.duration, lambda: self.passes(want), want.wait.cell)

    def passes(self, want):
        self.machine.grant(want, DONE)
        self.machine.tell()

    def withdraw(self, want):
        self.machine.timers.remove(self.timer)


class Nothing(Object):
    """No message is asked for, which is a mistake that is known at once."""

    def can(self, want):
        return True

    def make(self, want):
        return INVALID


class End(Object):
    """Of an activity."""

    def __init__(self, machine, activity):
        super().__init__(machine)
        self.activity = activity
        self.waiting = activity.waiting if activity else []

    def known(self, want):
        if self.activity is None or self.activity.detached:
            return REFUSED
        if self.activity.finished:
            return DONE
        return REFUSED if self.activity is want.activity else None

    def can(self, want):
        return self.known(want) is not None

    def make(self, want):
        return self.known(want)


# ---- the text of a statement ----


def clauses_of(several):
    for part in several.parts:
        if isinstance(part, Clause):
            yield part
        else:
            yield from clauses_of(part)


def has_and(several):
    return "and" in several.operators or any(has_and(p) for p in several.parts if isinstance(p, Several))


def holds(several, enabled, done):
    """None: it has no clause left. A clause whose guard is false goes with the operator before it, the first one with
    the one after it; and so does a bracket that has become empty."""
    alternatives = []
    for operator, part in zip(["or"] + several.operators, several.parts):
        if isinstance(part, Several):
            value = holds(part, enabled, done)
        else:
            value = part.number in done if part.number in enabled else None
        if value is None:
            continue
        if operator == "and" and alternatives:
            alternatives[-1] = alternatives[-1] and value
        else:
            alternatives.append(value)
    return any(alternatives) if alternatives else None


class Waits:
    """What the machine does with operations."""

    def begin_waits(self):
        self.granted = []
        self.seen = set()  # outcomes, for tests that claim to cover them
        self.fair_turns = 0
        self.objects = {
            "channel": [Channel(self, room) for room in CHANNELS],
            "future": [Future(self) for _ in range(FUTURES)],
            "mutex": [Mutex(self, recursive) for recursive in RECURSIVE],
            "rwlock": [ReadWriteLock(self) for _ in range(RWLOCKS)],
            "permits": [Permits(self, free) for free in PERMITS],
            "latch": [Latch(self, count) for count in LATCHES],
            "condition": [Condition(self) for _ in range(CONDITIONS)],
            "barrier": [Barrier(self, n) for n in BARRIERS],
        }

    def gives_back_locks(self, activity):
        """A program in which an activity ends with a lock is reported, in checked builds, and is compared with
        nothing."""
        if activity is not self.main and any(m.owner is activity for m in self.objects["mutex"]):
            raise Unknown
        if activity is not self.main and any(l.writer is activity for l in self.objects["rwlock"]):
            raise Unknown

    # ---- who waits, and is told ----

    def enlist(self, want):
        want.listed = True
        want.object.enlist(want)

    def withdraw(self, want):
        if want.listed:
            want.listed = False
            want.object.withdraw(want)
            self.tell()

    def grant(self, want, result):
        """The operation has been made. False: another of a statement that makes one has."""
        want.listed = False
        if want.wait.one and want.wait.selected:
            return False
        self.selects(want, result)
        self.granted.append(want.wait)
        return True

    def selects(self, want, result):
        want.made, want.result, want.wait.selected = True, result, want

    def tell(self):
        """Those go on whose operations have been made."""
        granted, self.granted = self.granted, []
        for wait in granted:
            if wait.blocked:
                wait.blocked = False
                if wait.one:
                    self.withdraw_all(wait)
                self.wake(wait.cell[0], None)

    def withdraw_all(self, wait):
        for want in wait.wants:
            self.withdraw(want)

    def serve_first(self, waiting, result):
        """Of branches and operations in order. False: that one did not need it any more."""
        first = waiting[0]
        if isinstance(first, Want):
            waiting.remove(first)
            served = self.grant(first, result)
            self.tell()
            return served
        self.wake(first, result)
        return True

    def cancel_wait(self, branch):
        """The branch, which waits, is cancelled; a statement with `and` sees to it itself."""
        wait = branch.statement
        if wait:
            wait.blocked = False
            if wait.one:
                self.withdraw_all(wait)
        self.wake(branch, CANCELLED)

    def blocks(self, wait):
        wait.cell[0] = self.current
        wait.blocked = True
        self.current.statement = wait
        yield from self.wait()

    def is_alone(self, activity):
        return activity.branches == 1

    # ---- calls ----

    def want(self, call, v):
        match call:
            case Operate(verb=verb, number=number, other=n) if verb in BATCHES:
                return self.batch(self.objects["channel"][number], verb == "send some", n)
            case Operate(verb=verb, number=number, other=other):
                other = v[other] if verb in ("send value", "set") else other
                object = self.objects[VERBS[verb][0]][number]
            case Wait(semaphore=number):
                object, verb, other = Units(self, number), "wait", None
            case Sleep(duration=duration):
                object, verb, other = Time(self, duration), "sleep", None
            case Join(handle=number):
                object, verb, other = End(self, self.handles.get(number)), "join", None
        return Want(object, verb, other, v, self.current.activity)

    def asks(self, want):
        """The plain call: a wait for this alone."""
        wait = Statement(self.current, [want], one=True)
        if self.marked():
            return CANCELLED
        if want.object.can(want):
            return self.at_once(want)
        self.enlist(want)
        yield from self.blocks(wait)
        if want.made:
            self.seen.add(f"{want.verb}, waited for")
        return want.result if want.made else CANCELLED

    def at_once(self, want):
        result = want.object.make(want)
        self.tell()
        return result

    def tries(self, want, otherwise):
        if self.marked():
            return CANCELLED
        return self.at_once(want) if want.object.can(want) else otherwise

    def Operate(self, s, v, labels):
        v[s.variable] = yield from self.operation(s, v)
        self.tell()

    def operation(self, s, v):
        kind, verb, activity = VERBS[s.verb][0], s.verb, self.current.activity
        object = self.objects[kind][s.number]
        if verb in BATCHES and s.other == 0:
            return INVALID  # in a cancelled scope, too
        if verb in WAITABLE or verb == "barrier wait":
            want = self.want(s, v)
            result = yield from self.asks(want)
            return self.passes_rest(want, result)
        match verb:
            case "try send" | "try receive" | "try take":
                return self.tries(self.want(s, v), AGAIN)
            case "try lock" | "try read lock" | "try write lock":
                result = self.tries(self.want(s, v), BUSY)
                return BUSY if result == WOULD_DEADLOCK else result
            case "condition wait":
                return (yield from self.condition_wait(s, v))
            case "close":
                return object.close()
            case "length":
                return len(object.messages)
            case "is closed":
                return int(object.closed)
            case "renew":
                if object.waiting:
                    return BUSY
                self.objects[kind][s.number] = Channel(self, object.room)
                return DONE
            case "set":
                return object.set(v[s.other], DONE)
            case "fail":
                return object.set(0, s.other)
            case "reset":
                return object.reset()
            case "is set":
                return int(object.is_set)
            case "unlock" | "rw unlock":
                return object.unlock(activity)
            case "give":
                return object.give(s.other)
            case "latch add":
                return object.add(s.other)
            case "latch done":
                return object.add(-1)
            case "signal":
                return object.wake(1)
            case "broadcast":
                return object.wake(None)
        assert verb.startswith("destroy")
        return object.destroy()

    def batch(self, channel, sends, n):
        """It waits for the first message as a call with one message does."""
        if n == 0:
            return Want(Nothing(self), "none", None, {}, self.current.activity)
        got = {"message": 0}
        want = Want(channel, "send value" if sends else "receive", 1 if sends else "message", got,
                    self.current.activity)
        want.batch = sends, got, n
        return want

    def passes_rest(self, want, result):
        """A batch goes on with as many as can be had at once: 100 * how many + the sum of these."""
        if want.batch is None or result != DONE:
            return result
        sends, got, n = want.batch
        count, total = 1, 1 if sends else got["message"]
        while count < n:
            more = Want(want.object, want.verb, count + 1 if sends else "message", got, want.activity)
            if not want.object.can(more) or self.at_once(more) != DONE:
                break
            count, total = count + 1, total + (count + 1 if sends else got["message"])
        return 100 * count + total

    def condition_wait(self, s, v):
        """Gives the mutex back and waits for a signal, and has the mutex again, however it ends."""
        mutex, activity = self.objects["mutex"][s.other], self.current.activity
        if self.marked():
            return CANCELLED
        if not owns(mutex.owner, activity) or mutex.times != 1:
            return NOT_PERMITTED
        want = self.want(s, v)
        wait = Statement(self.current, [want], one=True)
        self.enlist(want)
        mutex.unlock(activity)
        self.tell()
        yield from self.blocks(wait)
        scope = self.enter(barrier=True)
        yield from self.asks(Want(mutex, "lock", None, v, activity))
        yield from self.leave(scope)
        return want.result if want.made else CANCELLED

    # ---- waituntil ----

    def Waituntil(self, s, v, labels):
        # All guards first, then the arguments of the clauses that remain.
        clauses = list(clauses_of(s.clauses))
        enabled = []
        for clause in clauses:
            if clause.guard is not None:
                self.trace.append(f"{clause.number} {v[clause.guard] & 1}")
            if clause.guard is None or v[clause.guard] & 1:
                enabled.append(clause)
        wants = {}
        for clause in enabled:
            self.trace.append(f"{clause.number + 1} 0")
            wants[clause.number] = self.want(clause.call, v)
        if self.marked():
            return None
        if not enabled:
            return (yield from self.block_of(s.otherwise or [], v, labels))
        wait = Statement(self.current, list(wants.values()), one=not has_and(s.clauses))
        way = yield from (self.one_of if wait.one else self.as_needed)(s, enabled, wants, wait, v, labels)
        # On every way out: what is open is withdrawn, and a lock that was to be held for a body is not held.
        self.withdraw_all(wait)
        for want in wants.values():
            if want.made and not want.told:
                self.gives_back(want)
        return way

    def next_turn(self, n):
        """Of n statements in a row each clause is first in one; the next n begin elsewhere (runtime/wait/wait.c)."""
        turns, place = divmod(self.fair_turns, n)
        self.fair_turns += 1
        return (place + ((turns * 0x9e3779b9 & 0xffffffff) * n >> 32)) % n

    def one_of(self, s, enabled, wants, wait, v, labels):
        first = 0
        if s.fair:  # it begins with another one each time
            first = self.next_turn(len(enabled))
        for clause in enabled[first:] + enabled[:first]:
            want = wants[clause.number]
            if want.object.can(want):
                self.selects(want, self.at_once(want))
                break
            if s.otherwise is None:
                self.enlist(want)
        if wait.selected:
            self.withdraw_all(wait)
        else:
            if s.otherwise is not None:
                self.seen.add("or: else")
                return (yield from self.block_of(s.otherwise, v, labels))
            yield from self.blocks(wait)
            self.seen.add("or: cancelled" if not wait.selected else
                          "or: waited for several" if len(enabled) > 1 else "or: waited for one")
        for clause in enabled:
            if wants[clause.number] is wait.selected:
                return (yield from self.runs(clause, wait.selected, v, labels))
        return None  # cancelled

    def as_needed(self, s, enabled, wants, wait, v, labels):
        names = {clause.number for clause in enabled}
        done = set()  # what has been made, as far as it has been noticed

        def over():
            return holds(s.clauses, names, done)

        # With `else` it is all that is needed at once, or nothing.
        if s.otherwise is not None:
            done = {number for number, want in wants.items() if want.object.can(want)}
            if not over():
                self.seen.add("and: else")
                return (yield from self.block_of(s.otherwise, v, labels))
            done = set()
        for clause in enabled:
            want = wants[clause.number]
            if want.object.can(want):
                self.selects(want, self.at_once(want))
                done.add(clause.number)
                if over():
                    break
            else:
                self.enlist(want)
        missed = s.otherwise is not None and not over()
        closed = over() or missed
        while True:
            if closed:
                self.withdraw_all(wait)
            due = next((c for c in enabled if wants[c.number].made and not wants[c.number].told), None)
            if due is None:
                if self.marked() or not any(want.listed for want in wants.values()):
                    break
                yield from self.blocks(wait)
                self.seen.add("and: waited for more")
                continue
            if any(want.listed for want in wants.values()):
                self.seen.add("and: a body while others are waited for")
            done.add(due.number)
            way = yield from self.runs(due, wants[due.number], v, labels)
            if way is not None:
                self.seen.add("and: left early")
                return way
            closed = closed or over()
        if missed and not self.marked():
            return (yield from self.block_of(s.otherwise, v, labels))
        return None

    def runs(self, clause, want, v, labels):
        want.told = True
        self.trace.append(f"{clause.number + 2} 0")
        v[clause.call.variable] = self.passes_rest(want, want.result)
        way = yield from self.block_of(clause.body, v, labels)
        self.gives_back(want)
        return way

    def gives_back(self, want):
        if want.verb in HOLDS and want.result == DONE:
            self.seen.add("a lock held for a body")
            want.object.unlock(want.activity)
            self.tell()
