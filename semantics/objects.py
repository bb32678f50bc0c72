"""The objects of the guide's chapters on channels, futures and locks, in the reference semantics.

An object is asked for operations (`Want`), and keeps those that have to wait in the order in which they came. `can`
says whether an operation can be made now. `make` makes it and returns its result; operations of others that become
possible by it are `granted`, and their waiters are told afterwards, in that order. Two operations of one statement that
waits for one of several are never partners of each other, and neither has to wait behind the other.
"""

from statements import *


class Want:
    """An operation of the statement `wait`; `branch` asked for it."""

    def __init__(self, object, verb, other, variables, activity):
        self.object, self.verb, self.other, self.variables, self.activity = object, verb, other, variables, activity
        self.wait = self.batch = None
        self.listed = self.made = self.told = False
        self.result = None

    def message(self):
        return self.other if self.verb in ("send value", "set") else self.variables[self.other]

    def store(self, message):
        self.variables[self.other] = message

    def excludes(self, other):
        """Only one of them is made."""
        return self.wait is not None and self.wait is other.wait and self.wait.one


class Object:
    def __init__(self, machine):
        self.machine = machine
        self.waiting = []

    def enlist(self, want):
        self.waiting.append(want)

    def withdraw(self, want):
        self.waiting.remove(want)

    def grant(self, want, result):
        """It has been made, if nothing else of its statement has: else False."""
        self.waiting.remove(want)
        return self.machine.grant(want, result)


class Channel(Object):
    def __init__(self, machine, room):
        super().__init__(machine)
        self.room, self.messages, self.closed = room, [], False

    def sends(self, want):
        return want.verb in ("send", "send value", "try send")

    def partners(self, want):
        """Those who wait for the opposite, in order."""
        return [w for w in self.waiting if self.sends(w) != self.sends(want) and not want.excludes(w)]

    def can(self, want):
        if self.sends(want):
            return self.closed or len(self.messages) < self.room or bool(self.partners(want))
        return self.closed or bool(self.messages) or bool(self.partners(want))

    def make(self, want):
        return self.send(want) if self.sends(want) else self.receive(want)

    def send(self, want):
        if self.closed:
            return CLOSED
        for receiver in self.partners(want):
            if self.grant(receiver, DONE):
                receiver.store(want.message())
                return DONE
        self.messages.append(want.message())
        return DONE

    def receive(self, want):
        if not self.messages:
            for sender in self.partners(want):
                if self.grant(sender, DONE):
                    want.store(sender.message())
                    return DONE
            return CLOSED
        want.store(self.messages.pop(0))
        for sender in self.partners(want):
            if self.grant(sender, DONE):
                self.messages.append(sender.message())
                break
        return DONE

    def close(self):
        if self.closed:
            return CLOSED
        self.closed = True
        for sends in (False, True):
            for want in [w for w in self.waiting if self.sends(w) == sends]:
                self.grant(want, CLOSED)
        return DONE


class Future(Object):
    def __init__(self, machine):
        super().__init__(machine)
        self.is_set, self.value, self.error = False, 0, DONE

    def can(self, want):
        return self.is_set

    def make(self, want):
        if self.error == DONE:
            want.store(self.value)
        return self.error

    def set(self, value, error):
        if self.is_set:
            return ALREADY
        self.is_set, self.value, self.error = True, value, error
        for reader in list(self.waiting):
            if self.grant(reader, error) and error == DONE:
                reader.store(value)
        return DONE

    def reset(self):
        if self.waiting:
            return BUSY
        self.is_set = False
        return DONE


class Lock(Object):
    """What is given to those who wait first come first served: nobody overtakes."""

    def fits(self, want):
        raise NotImplementedError

    def take(self, want):
        """Returns the result."""
        raise NotImplementedError

    def mistake(self, want):
        return None

    def passes(self, want):
        return False

    def is_held(self):
        return False

    def destroy(self):
        return BUSY if self.is_held() or self.waiting else DONE

    def in_front(self, want):
        """Somebody else waits, and came before."""
        before = self.waiting[:self.waiting.index(want)] if want in self.waiting else self.waiting
        return any(not want.excludes(w) for w in before)

    def can(self, want):
        return self.mistake(want) is not None or self.passes(want) or (self.fits(want) and not self.in_front(want))

    def make(self, want):
        mistake = self.mistake(want)
        return self.take(want) if mistake is None else mistake

    def serve(self):
        """It has changed: all go on who can."""
        going_on = True
        while going_on:
            going_on = next((w for w in self.waiting if self.fits(w) and not self.in_front(w)), None)
            if going_on and self.grant(going_on, DONE):
                self.take(going_on)

    def withdraw(self, want):
        super().withdraw(want)
        self.serve()


class Unknown(TooLong):
    """An activity has ended and not given back a lock: who is taken for its owner then is not defined."""


def owns(owner, activity):
    if owner and owner.finished:
        raise Unknown
    return owner is activity


class Mutex(Lock):
    def __init__(self, machine, recursive):
        super().__init__(machine)
        self.recursive, self.owner, self.times = recursive, None, 0

    def fits(self, want):
        return self.owner is None

    def passes(self, want):
        return self.recursive and owns(self.owner, want.activity)

    def mistake(self, want):
        """No other branch of the activity could give it back."""
        own = owns(self.owner, want.activity) and not self.recursive
        return WOULD_DEADLOCK if own and self.machine.is_alone(want.activity) else None

    def take(self, want):
        self.owner, self.times = want.activity, self.times + 1
        return DONE

    def unlock(self, activity):
        if not owns(self.owner, activity):
            return NOT_PERMITTED
        self.times -= 1
        if self.times == 0:
            self.owner = None
        self.serve()
        return DONE

    def is_held(self):
        return self.owner is not None


class ReadWriteLock(Lock):
    def __init__(self, machine):
        super().__init__(machine)
        self.readers, self.writer = 0, None

    def reads(self, want):
        return "read" in want.verb

    def fits(self, want):
        return self.writer is None and (self.reads(want) or self.readers == 0)

    def mistake(self, want):
        return WOULD_DEADLOCK if owns(self.writer, want.activity) and self.machine.is_alone(want.activity) else None

    def take(self, want):
        if self.reads(want):
            self.readers += 1
        else:
            self.writer = want.activity
        return DONE

    def unlock(self, activity):
        if self.readers:
            self.readers -= 1
        elif owns(self.writer, activity):
            self.writer = None
        else:
            return NOT_PERMITTED
        self.serve()
        return DONE

    def is_held(self):
        return self.readers > 0 or self.writer is not None


class Permits(Lock):
    def __init__(self, machine, free):
        super().__init__(machine)
        self.free = free

    def mistake(self, want):
        return INVALID if want.other < 0 else None

    def fits(self, want):
        return want.other <= self.free

    def take(self, want):
        self.free -= want.other
        return DONE

    def give(self, n):
        if n < 0:
            return INVALID
        self.free += n
        self.serve()
        return DONE


class Latch(Lock):
    def __init__(self, machine, count):
        super().__init__(machine)
        self.count = count

    def fits(self, want):
        return self.count == 0

    def take(self, want):
        return DONE

    def add(self, n):
        if self.count + n < 0:
            return INVALID
        self.count += n
        self.serve()
        return DONE


class Condition(Lock):
    def fits(self, want):
        return False

    def wake(self, most):
        for want in self.waiting[:most]:
            self.grant(want, DONE)
        return DONE


class Barrier(Lock):
    def __init__(self, machine, n):
        super().__init__(machine)
        self.n = n

    def fits(self, want):
        return False

    def passes(self, want):
        return len(self.waiting) + 1 >= self.n

    def take(self, want):
        for other in list(self.waiting):
            self.grant(other, DONE)
        return LAST
