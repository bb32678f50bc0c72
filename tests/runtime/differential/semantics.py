"""Reference semantics of async, finish, cancel and activities, over programs as nested tuples (programs.py), after the AC paper's section 3
and the laws of the design: a branch is a Python generator, which yields whenever it has to wait.

What the paper leaves open is fixed as the laws say: the body of `async` runs at once, until it blocks (law 2); then its continuation runs.
What becomes ready runs first in, first out, within its activity; activities take turns first in, first out. Virtual time stands still while
anything can run. A cancel ends waits from the innermost scopes outwards.
"""

OK, CANCELLED, TIMED_OUT = 0, 1, 2


class Deadlock(Exception):
    pass


class Scope:
    def __init__(self, world, owner, barrier=False):
        self.world, self.owner, self.outer, self.barrier = world, owner, owner.scope, barrier
        self.branches, self.leaving, self.timer = [], False, None
        self.marked = not barrier and owner.is_marked()
        owner.scope = self


class Branch:
    """One call chain. home: the scope in which it was started; None for an activity's first."""

    def __init__(self, activity, home, code):
        self.activity, self.home, self.scope, self.code = activity, home, home, code
        self.wait = None  # what it waits for: ("sem", n), ("time",), ("finish", scope), ("activity", a); and timers with it
        self.timer = None
        self.result = None

    def is_marked(self):
        return self.scope.marked if self.scope else self.activity.marked


class Activity:
    def __init__(self, world, code):
        self.marked, self.finished, self.ready, self.queued = False, False, [], False
        self.first = Branch(self, None, None)
        self.first.code = world.statements(self.first, code)


class World:
    def __init__(self, program):
        self.functions, self.trace, self.now, self.order = program["functions"], [], 0, 0
        self.count, self.waiters, self.timers = {}, {}, []
        self.handles, self.queue = {}, []
        self.main = self.spawn(program["main"])
        self.ended = False

    # ---- the scheduler ----

    def spawn(self, code):
        activity = Activity(self, code)
        activity.queued = True
        activity.ready.append(activity.first)
        self.queue.append(activity)
        return activity

    def make_ready(self, branch, result):
        branch.wait, branch.result = None, result
        if branch.timer:
            self.timers.remove(branch.timer)
            branch.timer = None
        activity = branch.activity
        activity.ready.append(branch)
        if not activity.queued:
            activity.queued = True
            self.queue.append(activity)

    def advance(self, branch):
        """Runs a branch until it waits or ends; True: it has ended."""
        try:
            branch.code.send(branch.result)
        except StopIteration:
            return True
        branch.result = None
        return False

    def run(self):
        while not self.ended:
            if not self.queue:
                self.idle()
                continue
            activity = self.queue.pop(0)
            paused = False
            while activity.ready and not paused:
                branch = activity.ready.pop(0)
                branch.started = True
                ended = self.advance(branch)
                paused = self.paused
                self.paused = False
                if paused:
                    activity.ready.insert(0, branch)
                elif ended:
                    self.end(branch)
            if paused:
                self.queue.append(activity)
            else:
                activity.queued = False

    paused = False

    def end(self, branch):
        if branch.home:
            home = branch.home
            home.branches.remove(branch)
            if home.leaving and not home.branches:
                self.close(home)
                self.make_ready(home.owner, None)
            return
        activity = branch.activity
        activity.finished = True
        for waiter in [b for b in self.waiters.get(activity, [])]:
            self.waiters[activity].remove(waiter)
            self.make_ready(waiter, OK)
        if activity is self.main:
            self.ended = True

    def idle(self):
        if not self.timers:
            raise Deadlock()
        self.now = max(self.now, min(self.timers)[0])
        while self.timers and min(self.timers)[0] <= self.now:
            timer = min(self.timers)
            self.timers.remove(timer)
            timer[2](timer)

    def at(self, when, then):
        self.order += 1
        timer = (when, self.order, then)
        self.timers.append(timer)
        return timer

    # ---- cancel ----

    def chain(self, branch, limit):
        """The scopes from just inside `limit` to the innermost that a mark on `limit` reaches."""
        found, scope = [], branch.scope
        while scope is not limit:
            found = [] if scope.barrier or scope.marked else [scope] + found
            scope = scope.outer
        return found

    def cancel(self, scope):
        if scope.marked:
            return
        reached = [scope] + self.chain(scope.owner, scope)
        for at in reached:  # grows meanwhile
            for branch in at.branches:
                reached.extend(self.chain(branch, at))
        for at in reached:
            at.marked = True
        for at in reversed(reached):
            for branch in [at.owner] + at.branches:
                if branch.scope is at:
                    self.end_wait(branch)

    def end_wait(self, branch):
        if branch.wait and branch.wait[0] != "finish":
            if branch.wait[0] in ("sem", "activity"):
                self.waiters[branch.wait[1]].remove(branch)
            self.make_ready(branch, CANCELLED)

    def cancel_activity(self, activity):
        if activity.finished or activity.marked:
            return
        activity.marked = True
        scope = activity.first.scope
        if scope is None:
            self.end_wait(activity.first)
            return
        while scope.outer:
            scope = scope.outer
        if not scope.barrier:
            self.cancel(scope)

    # ---- statements ----

    def statements(self, branch, code):
        for statement in code:
            yield from getattr(self, "do_" + statement[0])(branch, *statement[1:])

    def note(self, *what):
        self.trace.append(".".join(str(w) for w in what))

    def do_note(self, branch, number):
        self.note(number)
        return
        yield

    def do_post(self, branch, sem):
        waiters = self.waiters.setdefault(sem, [])
        if waiters:
            self.make_ready(waiters.pop(0), OK)
        else:
            self.count[sem] = self.count.get(sem, 0) + 1
        return
        yield

    def do_wait(self, branch, number, sem, timeout=None):
        result = yield from self.take(branch, sem, timeout)
        self.note(number, result)

    def take(self, branch, sem, timeout):
        if branch.is_marked():
            return CANCELLED
        if self.count.get(sem, 0):
            self.count[sem] -= 1
            return OK
        branch.wait = ("sem", sem)
        self.waiters.setdefault(sem, []).append(branch)
        if timeout is not None:
            branch.timer = self.at(self.now + timeout, lambda timer: self.time_out(branch))
        return (yield)

    def time_out(self, branch):
        self.waiters[branch.wait[1]].remove(branch)
        branch.timer = None
        self.make_ready(branch, TIMED_OUT)

    def do_sleep(self, branch, number, duration):
        if branch.is_marked():
            result = CANCELLED
        elif duration == 0:
            self.paused = True
            yield
            result = OK
        else:
            branch.wait = ("time",)
            branch.timer = self.at(self.now + duration, lambda timer: self.wake(branch))
            result = yield
        self.note(number, result)

    def wake(self, branch):
        branch.timer = None
        self.make_ready(branch, OK)

    def do_reschedule(self, branch):
        self.paused = True
        yield

    def do_async(self, branch, body):
        child = Branch(branch.activity, branch.scope, None)
        child.code = self.statements(child, body)
        home = branch.scope
        home.branches.append(child)
        # Before it blocks for the first time the call may give way: then so does the caller.
        while True:
            if self.advance(child):
                home.branches.remove(child)
                return
            if not self.paused:
                # The order among the branches of a scope is that of their first waits.
                home.branches.remove(child)
                home.branches.append(child)
                return
            yield

    def do_finish(self, branch, body, deadline=None):
        scope = Scope(self, branch)
        yield from self.in_scope(branch, scope, body, deadline)

    def do_noncancellable(self, branch, body):
        yield from self.in_scope(branch, Scope(self, branch, True), body, None)

    def in_scope(self, branch, scope, body, deadline):
        if deadline is not None:
            if deadline <= 0:
                self.cancel(scope)
            else:
                scope.timer = self.at(self.now + deadline, lambda timer: self.pass_deadline(scope))
        yield from self.statements(branch, body)
        if scope.branches:
            scope.leaving = True
            branch.wait = ("finish", scope)
            yield
        else:
            self.close(scope)

    def pass_deadline(self, scope):
        scope.timer = None
        self.cancel(scope)

    def close(self, scope):
        if scope.timer:
            self.timers.remove(scope.timer)
        scope.owner.scope = scope.outer

    def do_cancel(self, branch, level):
        """Of the level-th `finish` around it in the text, counted from inside."""
        scope = branch.scope
        while True:
            if not scope.barrier:
                if level == 0:
                    break
                level -= 1
            scope = scope.outer
        self.cancel(scope)
        return
        yield

    def do_cancelled(self, branch, number):
        self.note(number, int(branch.is_marked()))
        return
        yield

    def do_call(self, branch, name):
        yield from self.statements(branch, self.functions[name])

    def do_repeat(self, branch, times, body):
        for _ in range(times):
            yield from self.statements(branch, body)

    def do_activate(self, branch, handle, body):
        if handle not in self.handles:
            self.handles[handle] = self.spawn(body)
        return
        yield

    def do_cancel_activity(self, branch, handle):
        if handle in self.handles:
            self.cancel_activity(self.handles[handle])
        return
        yield

    def do_join(self, branch, number, handle):
        activity = self.handles.get(handle)
        if activity is None:
            self.note(number, CANCELLED if branch.is_marked() else 3)
            return
        if branch.is_marked():
            result = CANCELLED
        elif activity.finished:
            result = OK
        elif activity is branch.activity:
            result = 3
        else:
            branch.wait = ("activity", activity)
            self.waiters.setdefault(activity, []).append(branch)
            result = yield
        self.note(number, result)


def outcome(program):
    """What the program prints, and its exit status."""
    world = World(program)
    try:
        world.run()
        status = 0
    except Deadlock:
        status = 70
    return " ".join(world.trace), status
