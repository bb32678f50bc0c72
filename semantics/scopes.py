"""Scopes that are handed over, in the reference semantics (docs/guide/branches.md): members, failures, deadlines that
are read and moved, and what an activity leaves behind."""

from collections import deque

from statements import *


def summary(errors):
    """How many there were, the first, and the first four of them."""
    total = 0
    for error in errors[:4]:
        total = total * 7 + error
    return f"{len(errors) * 100 + (errors[0] if errors else 0) + total * 10000}"


class Scopes:
    def begin_scopes(self):
        self.slots = [None] * SLOTS
        self.members = None  # to be cancelled, while that is being done

    def marked(self):
        branch = self.current
        return branch.scope.marked if branch.scope else branch.activity.marked

    def around(self, branch):
        """The scopes around it, innermost first; beyond the outermost of a member, those around where it was spawned
        into."""
        scope, activity = branch.scope, branch.activity
        while scope or activity.into:
            if not scope:
                scope = activity.into
                activity = scope.owner.activity
            yield scope
            scope = scope.outer

    # ---- handing over ----

    def Here(self, s, v, labels):
        own = self.slots[s.slot] is None and self.current.scope is not None
        if own:
            self.slots[s.slot] = self.current.scope
        way = yield from self.block_of(s.body, v, labels)
        if own:
            self.slots[s.slot] = None
        return way

    def CancelScope(self, s, v, labels):
        if self.slots[s.slot]:
            self.cancel(self.slots[s.slot])
        return
        yield

    def join_scope(self, activity, scope):
        if not scope:
            return
        self.seen.add("a member")
        activity.into, activity.has_handle = scope, True
        scope.members.append(activity)
        if scope.marked:
            self.cancel_activity(activity)

    def cancel_members(self, scope):
        """After those who wait in it; members of members after all of these."""
        outermost = self.members is None
        if outermost:
            self.members = deque()
        self.members.extend(member for member in scope.members if not member.marked)
        if not outermost:
            return
        while self.members:
            self.cancel_activity(self.members.popleft())
        self.members = None

    # ---- failures and results ----

    def Collect(self, s, v, labels):
        errors, scope = labels[s.label + " errors"], self.current.scope
        errors.clear()
        scope.errors = errors
        if not scope.timer and scope.when <= self.now:  # its deadline has passed already
            self.note(scope, TIMED_OUT)
        return
        yield

    def note(self, scope, error):
        if scope.errors is not None and not (error == CANCELLED and scope.marked):
            scope.errors.append(error)

    def Fail(self, s, v, labels):
        branch = self.current
        if s.error == DONE:
            return
        for scope in self.around(branch):
            if scope.errors is not None:
                self.note(scope, s.error)
                self.seen.add("a failure collected")
                self.cancel(scope)
                return
        if s.error == CANCELLED and self.marked():
            return
        branch.activity.failure = branch.activity.failure or s.error
        self.cancel_activity(branch.activity)
        return
        yield

    def SetResult(self, s, v, labels):
        activity = self.current.activity
        if activity.has_handle:
            activity.result = v[s.other]
        v[s.variable] = DONE if activity.has_handle else NOT_PERMITTED
        return
        yield

    def Result(self, s, v, labels):
        activity = self.handles.get(s.handle)
        ended = activity is not None and activity.finished and not activity.detached
        if s.error:
            v[s.variable] = activity.failure if ended else INVALID
        else:
            v[s.variable] = activity.result if ended else 0
        return
        yield

    # ---- deadlines ----

    def set_deadline(self, scope, delay):
        def passes():
            scope.timer = None
            self.note(scope, TIMED_OUT)
            self.cancel(scope)

        scope.when = self.now + delay
        if delay <= 0:
            self.cancel(scope)
        else:
            scope.timer = self.at(delay, passes, [scope.owner])

    def Deadline(self, s, v, labels):
        scope = self.slots[s.slot] if s.slot is not None else None
        if scope:
            v[s.variable] = scope.when
            return
        earliest = FOREVER
        for scope in self.around(self.current):  # those that could cancel the caller
            earliest = min(earliest, scope.when)
            if scope.barrier:
                break
        v[s.variable] = earliest
        return
        yield

    def MoveDeadline(self, s, v, labels):
        scope = self.slots[s.slot]
        if not scope:
            return
        if scope.marked:
            v[s.variable] = CANCELLED
            return
        if scope.timer:
            self.timers.remove(scope.timer)
            scope.timer = None
        scope.when = FOREVER
        v[s.variable] = DONE
        self.seen.add("a deadline moved")
        if s.delay is not None:
            if s.delay <= 0:
                self.note(scope, TIMED_OUT)
            self.set_deadline(scope, s.delay)
        return
        yield

    def Now(self, s, v, labels):
        v[s.variable] = self.now
        return
        yield
