"""Random programs of the reference semantics.

They end, and never break a rule of the language: `async` and `cancel` stand in a finish of the same function, nothing
leaves an async or activate body or the time of a cancel item, a label names one finish. They may deadlock.
"""

import random
from dataclasses import dataclass, replace

import charcoal_semantics as S
from c_text import KINDS, LOCALS


@dataclass(frozen=True)
class Place:
    """What may stand somewhere."""

    depth: int = 0
    labels: tuple = ()  # of the finishes around, to be cancelled
    ways: tuple = ()  # those of them that may be left
    may_return: bool = True
    may_break: bool = False
    finish: bool = False  # an async may stand here
    atomic: bool = False  # in a block of this function, which ends before the variables here do

    def inside(self, **changes):
        return replace(self, depth=self.depth + 1, **changes)

    def closed(self, **changes):
        return self.inside(ways=(), may_return=False, may_break=False, **changes)


class Generator:
    PARTS = ("plain", "atomic", "low", "semaphores", "ways", "recursion", "types", "locals", "channels", "futures",
             "locks", "waituntil", "scopes")

    def __init__(self, seed, activities):
        self.random = random.Random(seed)
        self.activities = activities
        self.numbers = 0
        self.labels = 0
        # Each program has some of these only, so that what it has meets often.
        self.parts = {part for part in self.PARTS if self.random.random() < 0.4}
        self.verbs = self.some_verbs()
        # Half of them are mostly about waits for these objects.
        self.about_waits = bool(self.verbs) and self.random.random() < 0.7
        if self.about_waits:
            self.parts.add("waituntil")

    def program(self):
        r = self.random
        functions = []
        for k in range(r.randint(1, 4)):
            self.functions = k
            functions.append(S.Function(self.block(Place(), r.randint(4, 10))))
        if self.about_waits:
            functions[-1].body = self.meeting()
        elif r.random() < 0.7:  # what still waits is cancelled in the end, so that most programs come to theirs
            place = Place(1, ("l0",), ("l0",), finish=True)
            functions[-1].body = [S.Finish("l0", self.block(place, r.randint(4, 10)), r.choice([300, 1000]))]
        for f in functions:
            if "types" in self.parts:
                f.kind = r.choice(KINDS)
            if "locals" in self.parts:
                f.locals = tuple(r.sample(list(LOCALS), r.randint(0, 2)))
        return S.Program(functions, [r.choice([0, 0, 1, 3]) for _ in range(3)])

    def meeting(self):
        """Several who use the same objects, until a deadline at the latest."""
        r = self.random
        place = Place(3, ("l0",), ("l0",), finish=True)
        body = []
        for _ in range(r.randint(3, 6)):
            if self.activities and r.random() < 0.4:
                statements = self.block(place.closed(labels=(), finish=False), r.randint(4, 8))
                body.append(S.Activate(statements, ["a", "b", "x", "d"], r.choice([None, *range(S.HANDLES)])))
            else:
                statements = self.block(place.closed(), r.randint(4, 8))
                body.append(S.Async(statements, ["a", "b", "x"] if r.random() < 0.7 else []))
            if r.random() < 0.2:
                body += self.block(place, 1)
        if "scopes" in self.parts:
            body = [S.Here(0, body)]
        return [S.Finish("l0", body + self.block(place, r.randint(2, 5)), r.choice([300, 1000, None]))]

    def block(self, place, size):
        statements = []
        for _ in range(max(1, size)):
            one = self.statement(place)
            statements += one if isinstance(one, list) else [one]
        return statements

    def some_verbs(self):
        """Those of a few kinds of objects, what waits and what ends waits most often."""
        r = self.random
        kinds = {"channel"} if "channels" in self.parts else set()
        kinds |= {"future"} if "futures" in self.parts else set()
        if "locks" in self.parts:
            kinds |= set(r.sample(["mutex", "rwlock", "permits", "latch", "condition", "barrier"], 2))
        if "condition" in kinds:
            kinds.add("mutex")
        usual = ("send", "send value", "receive", "get", "set", "hold", "read hold", "write hold", "take", "give",
                 "latch wait", "latch done", "condition wait", "signal", "barrier wait")
        return [verb for verb, (kind, _) in S.VERBS.items() if kind in kinds for _ in range(5 if verb in usual else 1)]

    def number(self, so_many=1):
        """The first of so many new ones."""
        self.numbers += so_many
        return self.numbers - so_many + 1

    def variable(self):
        return self.random.choice("abx")

    def kinds(self, place):
        parts = self.parts
        kinds = {"print": 5, "assign": 4, "post": 4, "wait": 4, "sleep": 1.5, "reschedule": 0.7, "cancelled": 1}
        if self.functions:
            kinds["call"] = 3
            if "plain" in parts:
                kinds["through"] = 3
        if "recursion" in parts:
            kinds["recur"] = 1.5
        if "semaphores" in parts:
            kinds |= {"try wait": 1, "destroy": 1}
        if "low" in parts:
            kinds |= {"suspend": 3, "schedule": 2, "yield to": 1.5}
        if place.depth < 5:
            kinds |= {"finish": 2 if self.about_waits else 4, "if": 2, "loop": 1.5, "noncancellable": 0.7}
            if place.finish:
                kinds["async"] = 9
            if "atomic" in parts:
                kinds["atomic"] = 1.5
            if "low" in parts:
                kinds["item"] = 2
            if self.activities:
                kinds["activate"] = 2
                if place.atomic:
                    kinds["contained"] = 4
        if self.verbs:
            kinds["operate"] = 14 if self.about_waits else 6
            if place.depth < 5:
                kinds["locked"] = 3 if any(verb in S.GIVES_BACK for verb in self.verbs) else 0
        if "waituntil" in parts and place.depth < 4:
            kinds["waituntil"] = 14 if self.about_waits else 4
        if self.about_waits:
            kinds |= {"assign": 1.5, "post": 2.5, "wait": 2, "call": kinds.get("call", 0) / 3}
        if "scopes" in parts:
            kinds |= {"fail": 0.6, "deadline": 1, "move deadline": 1, "now": 0.5, "cancel scope": 0.3,
                      "set result": 0.5}
            if place.depth < 5:
                kinds["here"] = 3
            if self.activities:
                kinds["result"] = 1
                if place.depth < 5:
                    kinds["activate into"] = 3
        if self.activities:
            kinds |= {"join": 0.7, "cancel activity": 0.5}
            if "semaphores" in parts:
                kinds["detach"] = 0.5
        if place.labels:
            kinds["cancel"] = 0.5 if self.about_waits else 1.2
        if place.may_return and place.depth:
            kinds["return"] = 0.4
        if place.ways and "ways" in parts:
            kinds["goto"] = 0.8
        if place.may_break and "ways" in parts:
            kinds |= {"break": 2, "continue": 2}
        return kinds

    def statement(self, place):
        r = self.random
        kinds = self.kinds(place)
        kind = r.choices(list(kinds), list(kinds.values()))[0]

        def inner(**changes):
            return self.block(place.inside(**changes), r.randint(1, 5))

        def closed(**changes):
            return self.block(place.closed(**changes), r.randint(1, 5))

        match kind:
            case "print":
                return S.Print(self.number(), self.variable())
            case "assign":
                return S.Assign(self.variable(), self.variable(), r.randint(0, 99))
            case "post":
                return S.Post(r.randrange(3))
            case "wait":
                return S.Wait(self.variable(), r.randrange(3), r.choice([None, None, None, 1, 7, 30]))
            case "try wait":
                return S.TryWait(self.variable(), r.randrange(3))
            case "destroy":
                return S.Destroy(self.variable(), r.randrange(3))
            case "sleep":
                return S.Sleep(self.variable(), r.choice([0, 1, 3, 10, 40]))
            case "reschedule":
                return S.Reschedule()
            case "suspend":
                ways = ["suspend", "unlock", "wait", "wait"]
                return S.Suspend(self.variable(), r.randrange(S.WAITERS), r.choice(ways))
            case "schedule":
                return S.Schedule(r.randrange(S.WAITERS))
            case "yield to":
                return S.YieldTo(r.randrange(S.WAITERS))
            case "item":
                action = r.choice([S.Post(r.randrange(3)), S.Schedule(r.randrange(S.WAITERS)), S.Say(self.number())])
                return S.Item(self.variable(), action, closed())
            case "join":
                return S.Join(self.variable(), r.randrange(S.HANDLES))
            case "detach":
                return S.Detach(self.variable(), r.randrange(S.HANDLES))
            case "cancel activity":
                return S.CancelActivity(r.randrange(S.HANDLES))
            case "cancelled":
                return S.Cancelled(self.variable())
            case "call":
                return S.Call(self.variable(), r.randrange(self.functions), self.variable(), r.choice([0, 1, 2]))
            case "recur":
                return S.Recur(self.variable(), self.variable())
            case "through":
                return S.Through(self.variable(), r.randrange(self.functions), self.variable(),
                                 r.choice(["callback", "setjmp", "module"]))
            case "return":
                return S.Return(self.variable())
            case "break":
                return self.perhaps(S.Break())
            case "continue":
                return self.perhaps(S.Continue())
            case "goto":
                return self.perhaps(S.Goto(r.choice(place.ways)))
            case "if":
                return S.If(self.variable(), inner(), inner() if r.random() < 0.5 else [])
            case "loop":
                return S.Loop(r.randint(1, 3), inner(may_break=True))
            case "finish":
                self.labels += 1
                label = f"l{self.labels}"
                deadline = r.choice([None] * 5 + [0, 5, 20, 60])
                body = inner(labels=place.labels + (label,), ways=place.ways + (label,), finish=True, may_break=False)
                if "scopes" in self.parts and r.random() < 0.5:
                    return S.Finish(label, [S.Collect(label), *body], deadline, self.number())
                return S.Finish(label, body, deadline)
            case "async":
                copies = self.copies()
                return S.Async(closed(atomic=place.atomic and not copies), copies)
            case "cancel":
                return S.Cancel(r.choice(place.labels))
            case "noncancellable":
                return S.Noncancellable(inner(finish=False))
            case "atomic":
                return S.Atomic(inner(atomic=True), r.choice(["", "", "delay", "contained"]))
            case "activate":
                return S.Activate(closed(labels=(), finish=False, atomic=False), ["a", "b", "x", "d"],
                                  r.choice([None, *range(S.HANDLES)]))
            case "contained":
                return S.Activate(closed(labels=(), finish=False, atomic=False), self.copies(),
                                  r.choice([None, *range(S.HANDLES)]), contained=True)

            case "operate":
                operation = self.operation(r.choice(self.verbs))
                return [operation, S.Print(self.number(), operation.variable)] if r.random() < 0.7 else operation
            case "locked":
                lock = self.operation(r.choice([verb for verb in self.verbs if verb in S.GIVES_BACK]))
                return [lock, *inner(), S.Operate(self.variable(), S.GIVES_BACK[lock.verb], lock.number, lock.other)]
            case "waituntil":
                return self.waituntil(lambda: self.block(place.inside(), r.randint(1, 2)))
            case "fail":
                return S.Fail(r.choice([S.DONE, S.CANCELLED, S.BUSY, 20, 21]))
            case "deadline":
                return S.Deadline(self.variable(), r.choice([None, *range(S.SLOTS)]))
            case "move deadline":
                return S.MoveDeadline(self.variable(), r.randrange(S.SLOTS), r.choice([None, -3, 0, 2, 15, 50]))
            case "now":
                return S.Now(self.variable())
            case "cancel scope":
                return S.CancelScope(r.randrange(S.SLOTS))
            case "set result":
                return S.SetResult(self.variable(), self.variable())
            case "result":
                return S.Result(self.variable(), r.randrange(S.HANDLES), r.random() < 0.5)
            case "here":
                return S.Here(r.randrange(S.SLOTS), inner())
            case "activate into":
                return S.Activate(closed(labels=(), finish=False, atomic=False), ["a", "b", "x", "d"],
                                  into=r.randrange(S.SLOTS))

    def operation(self, verb):
        r = self.random
        kind, other = S.VERBS[verb]
        so_many = {"channel": len(S.CHANNELS), "future": S.FUTURES, "mutex": len(S.RECURSIVE), "rwlock": S.RWLOCKS,
                   "permits": len(S.PERMITS), "latch": len(S.LATCHES), "condition": S.CONDITIONS,
                   "barrier": len(S.BARRIERS)}[kind]
        match other:
            case "into" | "from" | "value":
                other = self.variable()
            case "mutex":
                other = r.randrange(len(S.RECURSIVE))
            case "n":
                other = r.choice([1, 1, 1, 2, 2, 3, 3, 0, -1] if kind in ("permits", "latch") else [2, 3, 1, 0])
                if verb == "fail":
                    other = r.choice([S.BUSY, 20])
        return S.Operate(self.variable(), verb, min(r.randrange(so_many), r.randrange(so_many)), other)

    def waituntil(self, inner):
        r = self.random
        words = r.choice([["or"], ["or"], ["and"], ["or", "and"]])
        several = self.several(inner, words, r.choice([1, 2, 2, 2, 3]), 0)
        return S.Waituntil(several, inner() if r.random() < 0.15 else None, r.random() < 0.2)

    def several(self, inner, words, size, depth):
        r = self.random
        parts = [self.several(inner, words, r.randint(1, 2), depth + 1) if depth < 2 and r.random() < 0.15 else
                 self.clause(inner, "and" in words) for _ in range(size)]
        return S.Several(parts, [r.choice(words) for _ in parts[1:]])

    def clause(self, inner, beside_and):
        r = self.random
        calls = [S.Wait(self.variable(), r.randrange(3)), S.Wait(self.variable(), r.randrange(3)),
                 S.Sleep(self.variable(), r.choice([0, 1, 3, 10, 40]))]
        if self.activities:
            calls.append(S.Join(self.variable(), r.randrange(S.HANDLES)))
        calls += [self.operation(verb) for verb in self.verbs
                  if verb in S.WAITABLE and not (beside_and and verb in S.HELD)]
        return S.Clause(self.number(3), r.choice(calls), inner(), self.variable() if r.random() < 0.3 else None)

    def perhaps(self, statement):
        return S.If(self.variable(), [statement], [])

    def copies(self):
        r = self.random
        return sorted(r.sample("abx", r.randint(1, 3))) if r.random() < 0.3 else []


def generate(seed, activities=False):
    return Generator(seed, activities).program()
