"""The reference semantics: what a program of the dialect does, one case per construct.

A program is a tree of the statements below. `run` executes it on the machine of DESIGN's section 1: activities, their
branches, scopes, semaphores; and returns its trace and how it ended. It knows nothing of compilers, frames or stacks: a
branch is a Python generator, and to block is to yield. Only what the laws leave open is decided here as the runtime does
(in which order one `cancel` wakes several branches).

Yield points do not occur: in a program with one activity they change nothing (law 1), and programs with several are
compared without them. So a program has exactly one outcome.

Sources: AC, section 3 (operational semantics); the laws by number.
"""

from collections import deque
from dataclasses import dataclass, field

CANCELLED = 125  # ECANCELED


# ---- programs ----


@dataclass
class Print:  # prints the number of the statement and a variable
    number: int
    variable: str


@dataclass
class Assign:  # variable = other * 3 + constant
    variable: str
    other: str
    constant: int


@dataclass
class Post:
    semaphore: int


@dataclass
class Wait:  # variable = 0, or CANCELLED
    variable: str
    semaphore: int


@dataclass
class Cancelled:  # variable = is the mark visible here?
    variable: str


@dataclass
class Call:  # variable = function(other)
    variable: str
    function: int
    other: str


@dataclass
class Return:
    variable: str


@dataclass
class Loop:
    times: int
    body: list


@dataclass
class If:  # if variable is odd
    variable: str
    then: list
    otherwise: list


@dataclass
class Finish:
    label: str
    body: list


@dataclass
class Async:
    body: list
    copies: list = field(default_factory=list)  # variables of which the body has its own


@dataclass
class Cancel:
    label: str  # of an enclosing Finish


@dataclass
class Noncancellable:
    body: list


@dataclass
class Activate:
    body: list
    copies: list = field(default_factory=list)


@dataclass
class Function:  # one parameter "x", locals "a" and "b", which begin as 1 and 2
    body: list


@dataclass
class Program:
    functions: list  # the last one is main; a function calls only earlier ones
    semaphores: list  # initial counts


# ---- the machine ----


class Activity:
    def __init__(self):
        self.ready = deque()  # branches of it that may run (law 2: first in, first out)
        self.active = False  # one of them runs or is queued


class Branch:
    def __init__(self, activity, code):
        self.activity, self.code = activity, code
        self.scope = None  # innermost open one
        self.home = None  # the scope that it was started in, if `async` started it
        self.waits = None  # the semaphore's number, or the scope at whose end it is
        self.result = 0


class Scope:
    def __init__(self, outer, owner, barrier):
        self.outer, self.owner, self.barrier = outer, owner, barrier
        self.branches = []  # started in it and not ended (law 3)
        self.marked = not barrier and outer is not None and outer.marked  # law 4: opened later, inherits
        self.leaving = False


class Variables:
    """A function's variables, or the copies that an async or activate body has of some, seen before the others."""

    def __init__(self, values, outer=None):
        self.values, self.outer = values, outer

    def place(self, name):
        return self.values if name in self.values else self.outer.place(name)

    def __getitem__(self, name):
        return self.place(name)[name]

    def __setitem__(self, name, value):
        self.place(name)[name] = value & 0xFFFFFF


class TooLong(Exception):
    pass


class Machine:
    def __init__(self, program, limit):
        self.program, self.limit = program, limit
        self.trace = []
        self.counts = list(program.semaphores)
        self.waiting = [[] for _ in self.counts]
        self.queue = deque()  # of branches, one for each active activity
        self.current = None

    # ---- becoming ready, and whose turn it is (law 2) ----

    def wake(self, branch, result):
        branch.waits, branch.result = None, result
        activity = branch.activity
        if activity.active:
            activity.ready.append(branch)
        else:
            activity.active = True
            self.queue.append(branch)

    def run(self):
        main = Branch(Activity(), None)
        main.code = self.call(len(self.program.functions) - 1, 0)
        main.activity.active = True
        self.queue.append(main)
        while self.queue:
            branch = self.current = self.queue.popleft()
            try:
                next(branch.code)
            except StopIteration:
                if branch is main:
                    return self.trace, "done"
                self.end(branch)
            activity = branch.activity
            if activity.ready:
                self.queue.appendleft(activity.ready.popleft())
            else:
                activity.active = False
        return self.trace, "deadlock"

    def end(self, branch):
        scope = branch.home
        if scope:
            scope.branches.remove(branch)
            if scope.leaving and not scope.branches:
                scope.leaving = False
                self.wake(scope.owner, 0)

    def block(self, on):
        self.current.waits = on
        yield
        return self.current.result

    # ---- statements; each returns None, or what the function returns ----

    def call(self, function, x):
        variables = Variables({"x": x, "a": 1, "b": 2})
        result = yield from self.block_of(self.program.functions[function].body, variables, {})
        return 0 if result is None else result

    def block_of(self, statements, variables, labels):
        for statement in statements:
            self.limit -= 1
            if self.limit < 0:
                raise TooLong
            rule = getattr(self, type(statement).__name__)
            result = yield from rule(statement, variables, labels)
            if result is not None:
                return result
        return None

    def Print(self, s, v, labels):
        self.trace.append(f"{s.number} {v[s.variable]}")
        return
        yield

    def Assign(self, s, v, labels):
        v[s.variable] = v[s.other] * 3 + s.constant
        return
        yield

    def Cancelled(self, s, v, labels):
        v[s.variable] = int(self.is_marked(self.current))
        return
        yield

    def Post(self, s, v, labels):
        if self.waiting[s.semaphore]:
            self.wake(self.waiting[s.semaphore].pop(0), 0)
        else:
            self.counts[s.semaphore] += 1
        return
        yield

    def Wait(self, s, v, labels):
        if self.is_marked(self.current):
            v[s.variable] = CANCELLED
        elif self.counts[s.semaphore]:
            self.counts[s.semaphore] -= 1
            v[s.variable] = 0
        else:
            self.waiting[s.semaphore].append(self.current)
            v[s.variable] = yield from self.block(s.semaphore)

    def Call(self, s, v, labels):
        v[s.variable] = yield from self.call(s.function, v[s.other])

    def Return(self, s, v, labels):
        return v[s.variable]
        yield

    def Loop(self, s, v, labels):
        for _ in range(s.times):
            result = yield from self.block_of(s.body, v, labels)
            if result is not None:
                return result

    def If(self, s, v, labels):
        return (yield from self.block_of(s.then if v[s.variable] & 1 else s.otherwise, v, labels))

    def Finish(self, s, v, labels):
        scope = self.enter(barrier=False)
        result = yield from self.block_of(s.body, v, {**labels, s.label: scope})
        if scope.branches:  # also on the way out of a `return`, whose value has been computed
            scope.leaving = True
            yield from self.block(scope)
        self.leave(scope)
        return result

    def Noncancellable(self, s, v, labels):
        scope = self.enter(barrier=True)
        result = yield from self.block_of(s.body, v, labels)
        self.leave(scope)
        return result

    def Async(self, s, v, labels):
        # Law 7: it starts at once, in the running branch. Law 1: if it does not block, that is all.
        branch, home = self.current, self.current.scope
        body = self.block_of(s.body, Variables({name: v[name] for name in s.copies}, v), labels)
        try:
            next(body)
        except StopIteration:
            return
        # It has blocked: what waits, and the scopes opened in it, are a new branch's, and this one goes on (law 2).
        started = Branch(branch.activity, body)
        started.home, started.scope, started.waits, branch.waits = home, branch.scope, branch.waits, None
        if isinstance(started.waits, int):
            waiting = self.waiting[started.waits]
            waiting[waiting.index(branch)] = started
        scope = branch.scope
        while scope is not home:
            scope.owner, scope = started, scope.outer
        branch.scope = home
        home.branches.append(started)
        self.current = branch
        return
        yield

    def Activate(self, s, v, labels):
        # Law 7: it queues. Its variables are the spawner's, but for the copies.
        branch = Branch(Activity(), None)
        branch.code = self.block_of(s.body, Variables({name: v[name] for name in s.copies}, v), {})
        branch.activity.active = True
        self.queue.append(branch)
        return
        yield

    # ---- scopes (laws 3 and 4) ----

    def enter(self, barrier):
        scope = self.current.scope = Scope(self.current.scope, self.current, barrier)
        return scope

    def leave(self, scope):
        assert scope.owner is self.current and self.current.scope is scope
        self.current.scope = scope.outer

    def is_marked(self, branch):
        return branch.scope is not None and branch.scope.marked

    def Cancel(self, s, v, labels):
        first = labels[s.label]
        if first.marked:
            return
        found = [first]

        def chain(branch, limit):
            inside, scope = [], branch.scope
            while scope is not limit:
                inside = [] if scope.barrier or scope.marked else [scope] + inside
                scope = scope.outer
            found.extend(inside)

        chain(first.owner, first)
        for scope in found:  # grows
            for branch in scope.branches:
                chain(branch, scope)
        for scope in found:
            scope.marked = True
        for scope in reversed(found):
            for branch in [scope.owner] + scope.branches:
                if branch.scope is scope and isinstance(branch.waits, int):
                    self.waiting[branch.waits].remove(branch)
                    self.wake(branch, CANCELLED)
        return
        yield


def run(program, limit=20000):
    """The trace, a list of lines, and "done" or "deadlock". Raises TooLong after so many statements."""
    return Machine(program, limit).run()
