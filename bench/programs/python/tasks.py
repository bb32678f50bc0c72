"""Runs a small operating system, in which tasks with priorities send packets to each other: tasks.py ROUNDS."""
import sys


class Packet:
    def __init__(self, sender, kind, data):
        self.sender, self.kind, self.data = sender, kind, data


class Task:
    """What all tasks have: a queue of packets and a count of those that were taken."""

    def __init__(self, name, priority):
        self.name, self.priority = name, priority
        self.queue, self.taken = [], 0

    def ready(self):
        return bool(self.queue)

    def step(self, system):
        self.taken += 1
        self.handle(system, self.queue.pop(0))


class Worker(Task):
    def handle(self, system, packet):
        packet.data = [(value * 31 + self.priority) % 256 for value in packet.data]
        system.send("device" if sum(packet.data) % 2 else "handler", Packet(self.name, "done", packet.data))


class Handler(Task):
    def handle(self, system, packet):
        if packet.kind == "done":
            system.checksum = (system.checksum * 17 + sum(packet.data)) % 1000003
        else:
            system.send(f"worker{sum(packet.data) % 3}", packet)


class Device(Task):
    def handle(self, system, packet):
        system.send("handler", Packet(self.name, "raw" if packet.data[0] > 128 else "done", packet.data[1:] or [7]))


class System:
    def __init__(self):
        tasks = [Handler("handler", 9), Device("device", 5), *(Worker(f"worker{i}", i) for i in range(3))]
        self.tasks = {task.name: task for task in tasks}
        self.checksum = 0

    def send(self, name, packet):
        self.tasks[name].queue.append(packet)

    def run(self):
        order = sorted(self.tasks.values(), key=lambda task: -task.priority)
        while task := next((task for task in order if task.ready()), None):
            task.step(self)


def main():
    system = System()
    for turn in range(int(sys.argv[1])):
        for number in range(4):
            system.send("device", Packet("main", "raw", [(turn * number + i) % 256 for i in range(6)]))
        system.run()
    print(system.checksum, [task.taken for task in system.tasks.values()])


main()
