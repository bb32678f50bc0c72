"""Tests of the server for clients of redis: the same commands are given to it and to redis-server, and the replies
compared; then what a sequence of commands cannot show: waiting pops, publishing, slow clients, snapshots."""

import os
import random
import signal
import socket
import subprocess
import tempfile
import time

from mutation import mutate


class Client:
    def __init__(self, port, timeout=60):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.rest = b""

    def send(self, *words):
        parts = [w if isinstance(w, bytes) else str(w).encode() for w in words]
        self.socket.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))
        return self

    def line(self):
        while b"\r\n" not in self.rest:
            self.more()
        line, self.rest = self.rest.split(b"\r\n", 1)
        return line

    def more(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the server has gone")
        self.rest += data

    def reply(self):
        line = self.line()
        kind, rest = line[:1], line[1:]
        self.kind = kind
        if kind == b"$":
            size = int(rest)
            if size < 0:
                return None
            while len(self.rest) < size + 2:
                self.more()
            text, self.rest = self.rest[:size], self.rest[size + 2 :]
            return text
        if kind == b"*":
            return None if int(rest) < 0 else [self.reply() for _ in range(int(rest))]
        return int(rest) if kind == b":" else line

    def ask(self, *words):
        return self.send(*words).reply()

    def close(self):
        self.socket.close()


def random_command(draw):
    key = lambda: draw.choice(["a", "b", "c", "list", "hash", "n"])
    field = lambda: draw.choice(["x", "y", "z"])
    value = lambda: draw.choice(
        [b"1", b"-7", b"text", b"", b"\0\r\n\xff", b"9223372036854775807", b"x" * draw.randrange(2000), b"12a"]
    )
    number = lambda: draw.choice([0, 1, -1, 2, -3, 5, 100, "9223372036854775807", "-9223372036854775808", "x", ""])
    small = lambda: draw.choice([0, 1, -1, 2, -2, 3, -100, 100, "x"])
    return draw.choice(
        [
            lambda: ("SET", key(), value()),
            lambda: ("SET", key(), value(), draw.choice(["NX", "XX", "GET", "KEEPTTL", "EX"])),
            lambda: ("SET", key(), value(), "EX", draw.choice([100, 0, "x"])),
            lambda: ("GET", key()),
            lambda: ("GETSET", key(), value()),
            lambda: ("GETDEL", key()),
            lambda: ("SETNX", key(), value()),
            lambda: ("SETEX", key(), draw.choice([100, 50]), value()),
            lambda: ("MSET", key(), value(), key(), value()),
            lambda: ("MGET", key(), key(), key()),
            lambda: ("APPEND", key(), value()),
            lambda: ("STRLEN", key()),
            lambda: ("GETRANGE", key(), small(), small()),
            lambda: ("INCR", key()),
            lambda: ("DECR", key()),
            lambda: ("INCRBY", key(), number()),
            lambda: ("DECRBY", key(), number()),
            lambda: ("DEL", key(), key()),
            lambda: ("EXISTS", key(), key()),
            lambda: ("TYPE", key()),
            lambda: ("EXPIRE", key(), draw.choice([100, -1, "x"])),
            lambda: ("EXPIRE", key(), draw.randrange(200, 10**6), draw.choice(["NX", "XX", "GT", "lt", "no"])),
            lambda: ("EXPIRE", key(), draw.choice([-5, 300]), *draw.sample(["NX", "XX", "GT", "LT"], 2)),
            lambda: ("TTL", key()),
            lambda: ("PERSIST", key()),
            lambda: ("RENAME", key(), key()),
            lambda: ("KEYS", draw.choice(["*", "?", "l*", "[ab]"])),
            lambda: ("DBSIZE",),
            lambda: ("LPUSH", key(), value(), value()),
            lambda: ("RPUSH", "list", value()),
            lambda: ("LPUSH", "list", value()),
            lambda: ("LPOP", key()),
            lambda: ("RPOP", "list"),
            lambda: ("LPOP", "list", small()),
            lambda: ("LLEN", key()),
            lambda: ("LRANGE", "list", small(), small()),
            lambda: ("LINDEX", "list", small()),
            lambda: ("LTRIM", "list", small(), small()),
            lambda: (draw.choice(["LPUSHX", "RPUSHX"]), key(), value()),
            lambda: ("LSET", key(), small(), value()),
            lambda: ("LINSERT", "list", draw.choice(["BEFORE", "after", "x"]), value(), value()),
            lambda: ("LREM", "list", small(), value()),
            lambda: ("LPOS", "list", value(), draw.choice(["RANK", "COUNT", "MAXLEN", "x"]), small()),
            lambda: ("LPOS", "list", value(), "RANK", small(), "COUNT", small(), "MAXLEN", small()),
            lambda: ("LMOVE", key(), key(), draw.choice(["LEFT", "right"]), draw.choice(["LEFT", "RIGHT", "x"])),
            lambda: ("RPOPLPUSH", "list", key()),
            lambda: ("LMPOP", draw.choice([1, 2, 3, 0]), key(), "list", draw.choice(["LEFT", "RIGHT"])),
            lambda: ("LMPOP", 1, "list", "LEFT", "COUNT", small()),
            lambda: ("BLMOVE", "list", key(), "LEFT", "RIGHT", "0.001"),
            lambda: ("BLMPOP", "0.001", 2, key(), "list", "RIGHT", "COUNT", 2),
            lambda: (draw.choice(["MULTI", "EXEC", "EXEC", "DISCARD", "UNWATCH"]),),
            lambda: ("WATCH", key()),
            lambda: ("BLPOP", "list", "hash", draw.choice(["0.001", "-1"])),
            lambda: ("HSET", "hash", field(), value(), field(), value()),
            lambda: ("HSET", key(), field(), value()),
            lambda: ("HGET", key(), field()),
            lambda: ("HMGET", "hash", field(), field()),
            lambda: ("HGETALL", "hash"),
            lambda: ("HKEYS", "hash"),
            lambda: ("HVALS", "hash"),
            lambda: ("HLEN", key()),
            lambda: ("HDEL", "hash", field(), field()),
            lambda: ("HEXISTS", "hash", field()),
            lambda: ("HINCRBY", "hash", field(), number()),
            lambda: ("ECHO", value()),
            lambda: ("PING",),
            lambda: ("GET",),
            lambda: ("SET", "a"),
            lambda: ("NONE", "x"),
            lambda: ("HSET", "hash", "x"),
        ]
    )()


def same(command, ours, theirs):
    if command[0] == "EXEC" and isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs)  # a KEYS among its commands may give them in another order
    if isinstance(ours, bytes) and isinstance(theirs, bytes) and ours[:1] == theirs[:1] == b"-":
        return ours.split()[0] == theirs.split()[0]  # the class of the error
    if command[0] in ("KEYS", "HKEYS", "HVALS"):
        return sorted(ours) == sorted(theirs) if isinstance(ours, list) and isinstance(theirs, list) else ours == theirs
    if command[0] == "HGETALL" and isinstance(ours, list) and isinstance(theirs, list):
        return dict(zip(ours[::2], ours[1::2])) == dict(zip(theirs[::2], theirs[1::2]))
    if command[0] == "TTL" and isinstance(ours, int) and isinstance(theirs, int):
        return abs(ours - theirs) <= 1
    return ours == theirs


def compare(expect, port, rounds):
    redis_port = socket.create_server(("127.0.0.1", 0)).getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        redis = subprocess.Popen(
            ["redis-server", "--port", str(redis_port), "--save", "", "--dir", folder, "--daemonize", "no"],
            stdout=subprocess.DEVNULL,
        )
        try:
            while True:
                try:
                    theirs = Client(redis_port)
                    break
                except OSError:
                    time.sleep(0.02)
            ours, draw, wrong = Client(port), random.Random(3), []
            for _ in range(rounds):
                command = random_command(draw)
                ours.send(*command)
                theirs.send(*command)
                got, want = ours.reply(), theirs.reply()
                if not same(command, got, want):
                    wrong.append((command, got, want))
                    for client in (ours, theirs):
                        client.ask("DISCARD")
                        client.ask("FLUSHALL")
            expect("every_reply_is_that_of_redis", not wrong, wrong[:3])
            ours.ask("DISCARD")
            ours.ask("FLUSHALL")
        finally:
            redis.kill()
            redis.wait()


def waiting(expect, port):
    first, second, other = Client(port), Client(port), Client(port)
    first.send("BLPOP", "q", "p", 0)
    time.sleep(0.05)
    second.send("BRPOP", "q", 0)
    time.sleep(0.05)
    other.ask("RPUSH", "q", "one", "two")
    expect("waiting_pops_are_served_in_order", (first.reply(), second.reply()) == ([b"q", b"one"], [b"q", b"two"]))
    first.send("BLPOP", "q", "p", 0)
    time.sleep(0.05)
    other.ask("LPUSH", "p", "x")
    expect("one_pop_waits_for_several_lists", first.reply() == [b"p", b"x"])
    begin = time.time()
    expect("a_pop_gives_up_in_time", first.ask("BLPOP", "q", "0.05") is None and time.time() - begin >= 0.05)

    def wait_until_so_many_wait(many):
        while b"blocked_clients:%d\r" % many not in other.ask("INFO"):
            time.sleep(0.01)

    first.send("BLPOP", "q", 0)
    wait_until_so_many_wait(1)
    first.close()
    wait_until_so_many_wait(0)
    expect("what_nobody_waits_for_any_more_stays", (other.ask("RPUSH", "q", "x"), other.ask("LLEN", "q")) == (1, 1))
    expect("and_the_next_one_gets_it", second.ask("BLPOP", "q", 0) == [b"q", b"x"])
    number = second.ask("CLIENT", "ID")
    for how, reply in [("TIMEOUT", None), ("ERROR", b"-UNBLOCKED client unblocked via CLIENT UNBLOCK")]:
        second.send("BLPOP", "q", 0)
        wait_until_so_many_wait(1)
        found = (other.ask("CLIENT", "UNBLOCK", number, how), second.reply(), other.ask("CLIENT", "UNBLOCK", number))
        expect(f"a_wait_can_be_ended_by_another_client {how}", found == (1, reply, 0), found)
    third = Client(port)
    third.send("SET", "k", "v").send("BLPOP", "nothing", "0.05").send("GET", "k")
    expect(
        "what_came_before_a_waiting_pop_is_answered_first",
        [third.reply(), third.reply(), third.reply()] == [b"+OK", None, b"v"],
    )
    for client in (second, other, third):
        client.close()


def moving(expect, port):
    """Waits that move an item to another list, or take several."""
    waiter, other = Client(port), Client(port)

    def begin(*command):
        waiter.send(*command)
        while b"blocked_clients:1\r" not in other.ask("INFO"):
            time.sleep(0.01)

    begin("BLMOVE", "from", "to", "LEFT", "RIGHT", 0)
    other.ask("RPUSH", "from", "a", "b")
    expect("a_wait_moves_an_item", waiter.reply() == b"a")
    found = other.ask("LRANGE", "from", 0, -1), other.ask("LRANGE", "to", 0, -1)
    expect("from_one_list_to_another", found == ([b"b"], [b"a"]), found)
    begin("BLMPOP", 0, 2, "no", "many", "RIGHT", "COUNT", 2)
    other.ask("RPUSH", "many", "1", "2", "3")
    expect("a_wait_takes_several_items", waiter.reply() == [b"many", [b"3", b"2"]])
    other.ask("SET", "word", "x")
    other.ask("DEL", "from")
    begin("BRPOPLPUSH", "from", "word", 0)
    other.ask("RPUSH", "from", "a")
    reply, left = waiter.reply(), other.ask("LLEN", "from")
    expect("what_cannot_be_moved_stays", reply.startswith(b"-WRONGTYPE") and left == 1, (reply, left))
    begin("BLPOP", "later", 0)
    for command in [("MULTI",), ("RPUSH", "later", "x"), ("DEL", "later"), ("EXEC",)]:
        other.ask(*command)
    other.ask("RPUSH", "later", "y")
    expect("who_waits_sees_a_transaction_as_a_whole", waiter.reply() == [b"later", b"y"])
    waiter.close()
    other.ask("FLUSHALL")
    other.close()


def transactions(expect, port):
    one, other = Client(port), Client(port)
    one.ask("SET", "n", 1)
    asked = [one.ask(*words) for words in [("MULTI",), ("INCR", "n"), ("BLPOP", "none", 0), ("GET", "n")]]
    expect("commands_are_put_off", asked == [b"+OK"] + [b"+QUEUED"] * 3 and other.ask("GET", "n") == b"1", asked)
    found = one.ask("EXEC")
    expect("and_executed_at_once_without_a_wait", found == [2, None, b"2"], found)
    one.ask("MULTI")
    one.ask("NO-SUCH-COMMAND")
    expect("one_that_is_unknown_spoils_all", one.ask("EXEC").startswith(b"-EXECABORT") and one.ask("PING") == b"+PONG")
    for change, result in [(("APPEND", "n", "x"), None), (("PERSIST", "n"), [b"2x"]), (("EXPIRE", "n", 100), None)]:
        one.ask("WATCH", "n")
        other.ask(*change)
        one.ask("MULTI")
        one.ask("GET", "n")
        found = one.ask("EXEC")
        expect(f"a_watched_key_{change[0]}", found == result, found)
    clients = [Client(port) for _ in range(4)]
    tries = 0
    while int(other.ask("GET", "sum") or 0) < 40 and tries < 100_000:
        for client in clients:  # each reads, and writes only if nobody has written between
            client.send("WATCH", "sum").send("GET", "sum")
        read = [(client.reply(), client.reply())[1] for client in clients]
        for client, value in zip(clients, read):
            client.send("MULTI").send("SET", "sum", int(value or 0) + 1).send("RPUSH", "log", "x").send("EXEC")
        for client in clients:
            tries += [client.reply() for _ in range(4)][3] is not None
    total, written = int(other.ask("GET", "sum")), other.ask("LLEN", "log")
    expect("no_update_is_lost_to_another_client", total == written == tries, (total, written, tries))
    one.ask("MULTI")
    one.ask("SET", "n", "never")
    one.ask("WATCH", "sum")
    one.close()
    expect("what_was_put_off_by_a_client_that_has_gone_is_dropped", other.ask("GET", "n") == b"2x")
    for client in [*clients, other]:
        client.close()


def publishing(expect, port):
    hearer, speaker = Client(port), Client(port)
    expect(
        "subscribe_is_confirmed",
        [hearer.ask("SUBSCRIBE", "news", "more"), hearer.reply()]
        == [[b"subscribe", b"news", 1], [b"subscribe", b"more", 2]],
    )
    expect("patterns_too", hearer.ask("PSUBSCRIBE", "n*") == [b"psubscribe", b"n*", 3])
    expect(
        "publish_tells_how_many_have_heard",
        [
            speaker.ask("PUBLISH", "news", "a"),
            speaker.ask("PUBLISH", "none", "b"),
            speaker.ask("PUBLISH", "silence", "c"),
        ]
        == [2, 1, 0],
    )
    expect(
        "each_subscription_hears_once",
        sorted([hearer.reply(), hearer.reply(), hearer.reply()], key=str)
        == sorted(
            [[b"message", b"news", b"a"], [b"pmessage", b"n*", b"news", b"a"], [b"pmessage", b"n*", b"none", b"b"]],
            key=str,
        ),
    )
    quick = Client(port)
    quick.socket.sendall(b"SUBSCRIBE own\r\nPUBLISH own text\r\n")
    replies = [quick.reply(), quick.reply()]
    expect(
        "a_subscription_is_confirmed_before_its_first_message",
        replies == [[b"subscribe", b"own", 1], [b"message", b"own", b"text"]],
        replies,
    )
    quick.close()
    expect("unsubscribe_is_confirmed", hearer.ask("UNSUBSCRIBE", "news") == [b"unsubscribe", b"news", 2])
    slow = Client(port)
    slow.ask("SUBSCRIBE", "flood")
    text, sent = b"x" * (1 << 20), 0
    while speaker.ask("PUBLISH", "flood", text) and sent < 200:
        sent += 1
    expect("a_subscriber_that_does_not_read_is_dropped", 30 < sent < 200, sent)
    expect(
        "and_the_others_go_on",
        speaker.ask("PUBLISH", "more", "d") == 1 and hearer.reply() == [b"message", b"more", b"d"],
    )
    for client in (hearer, speaker, slow):
        client.close()


def start(program, *options):
    process = subprocess.Popen([program, "-p", "0", *options], stdout=subprocess.PIPE, text=True)
    return process, int(process.stdout.readline().rsplit(":", 1)[1])


def snapshots(expect, program, *options):
    with tempfile.TemporaryDirectory() as folder:
        process, port = start(program, "-f", f"{folder}/dump", *options)
        client = Client(port)
        client.ask("SET", b"k\0\n", b"v\r\n\xff")
        client.ask("RPUSH", "l", *range(1000))
        client.ask("HSET", "h", "f", "v", "g", "")
        client.ask("SET", "soon", "x", "PX", 50)
        client.ask("SET", "late", "x", "EX", 1000)
        expect("saving_in_the_background_begins", client.ask("BGSAVE").startswith(b"+Background"))
        client.ask("SET", "later", "y")
        while not os.path.exists(f"{folder}/dump"):
            time.sleep(0.01)
        expect("the_snapshot_is_of_the_moment_when_it_began", b"later" not in open(f"{folder}/dump", "rb").read())
        process.send_signal(signal.SIGTERM)
        expect("it_ends_when_asked", process.wait(60) == 0)
        time.sleep(0.06)
        process, port = start(program, "-f", f"{folder}/dump")
        client = Client(port)
        expect(
            "all_is_there_again",
            (
                client.ask("GET", b"k\0\n"),
                client.ask("LRANGE", "l", 998, -1),
                client.ask("HGET", "h", "g"),
                client.ask("GET", "later"),
                client.ask("EXISTS", "soon"),
                client.ask("TTL", "late") > 900,
            )
            == (b"v\r\n\xff", [b"998", b"999"], b"", b"y", 0, True),
        )
        process.kill()
        process.wait()
        whole = open(f"{folder}/dump", "rb").read()
        with open(f"{folder}/dump", "wb") as file:
            file.write(whole[:-20])
        done = subprocess.run(
            [program, "-p", "0", "-f", f"{folder}/dump"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        expect("half_a_snapshot_is_refused", done.returncode == 1 and "not whole" in done.stderr, done.stderr)


def together(expect, port):
    """Commands of several clients at once: each is executed as a whole, whatever its calls do meanwhile."""
    clients = [Client(port) for _ in range(4)]
    commands = [("INCR", "together:count"), ("APPEND", "together:text", "ab"), ("RPUSH", "together:list", "x")]
    commands += [("HINCRBY", "together:hash", "n", "1")]
    rounds = 100
    for n in range(rounds * len(commands)):
        for client in clients:
            client.send(*commands[n % len(commands)])
    for client in clients:
        for _ in range(rounds * len(commands)):
            client.reply()
    last, all_of_them = clients[0], rounds * len(clients)
    expect("no_increment_is_lost", last.ask("GET", "together:count") == str(all_of_them).encode())
    expect("no_append_is_lost", last.ask("GET", "together:text") == b"ab" * all_of_them)
    expect("no_push_is_lost", last.ask("LLEN", "together:list") == all_of_them)
    expect("no_increment_of_a_field_is_lost", last.ask("HGET", "together:hash", "n") == str(all_of_them).encode())
    for client in clients:
        client.close()


def crowd(expect, port):
    """As many clients as reach every domain: each item goes to one of those who wait, in order; each message to all."""
    many = 24
    clients, other = [Client(port) for _ in range(many)], Client(port)
    expect("each_client_has_a_number", len({client.ask("CLIENT", "ID") for client in clients}) == many)
    for i, client in enumerate(clients):
        client.send("BLPOP", "crowd", 0)
        while b"blocked_clients:%d\r" % (i + 1) not in other.ask("INFO"):
            pass
    for i in range(many):
        other.send("RPUSH", "crowd", i)
    expect("all_items_are_given_away_at_once", [other.reply() for _ in range(many)] == [1] * many)
    expect("and_in_order", [client.reply()[1] for client in clients] == [str(i).encode() for i in range(many)])
    for client in clients:
        client.ask("SUBSCRIBE", "all")
    heard = [other.ask("PUBLISH", "all", i) for i in range(20)]
    expect("all_are_told", heard == [many] * 20, heard)
    wanted = [[b"message", b"all", str(i).encode()] for i in range(20)]
    expect("and_hear_in_order", all([client.reply() for _ in wanted] == wanted for client in clients))
    for client in clients:
        client.close()


def hostile(expect, port, rounds):
    """Whatever is sent, what comes back is replies, and the server goes on."""
    draw = random.Random(11)
    bases = [
        b"*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\n",
        b"*5\r\n$5\r\nRPUSH\r\n$4\r\nlist\r\n$1\r\na\r\n$0\r\n\r\n$2\r\nbb\r\n",
        b"*4\r\n$6\r\nLRANGE\r\n$4\r\nlist\r\n$1\r\n0\r\n$2\r\n-1\r\n",
        b"*4\r\n$4\r\nHSET\r\n$4\r\nhash\r\n$1\r\nx\r\n$3\r\n123\r\n",
        b"GETRANGE key 0 -1\r\nINCRBY n 5\r\n",
    ]
    wrong = []
    for _ in range(rounds):
        data = mutate(draw, b"".join(draw.choices(bases, k=draw.randint(1, 4))), b"\r\n $*-+:0129\0\xff")
        client = Client(port)
        client.socket.sendall(data)
        client.socket.shutdown(socket.SHUT_WR)
        try:
            while True:
                reply = client.reply()
                if isinstance(reply, bytes) and client.kind not in b"+-$":
                    wrong.append((data, reply))
                    break
        except ConnectionError:
            if client.rest:
                wrong.append((data, client.rest))
        except ValueError as error:
            wrong.append((data, error))
        client.close()
    expect("whatever_is_sent_replies_come_back", not wrong, wrong[:2])
    client = Client(port).send(b"a\r\n+b")
    replies = [client.reply(), client.ask("PING")]
    expect("an_unknown_command_has_one_reply", replies == [b"-ERR unknown command 'a  +b'", b"+PONG"], replies)
    client.close()


def tests(expect, program, rounds, *options):
    process, port = start(program, *options)
    try:
        compare(expect, port, rounds)
        client = Client(port)
        client.socket.sendall(b"SET word 5\r\nGET word\r\n\r\n*2\r\n$3\r\nGET\r\n$4\r\nword\r\n")
        expect("lines_of_words_and_pipelines", [client.reply(), client.reply(), client.reply()] == [b"+OK", b"5", b"5"])
        for byte in b"*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\n":
            client.socket.sendall(bytes([byte]))
        expect("a_command_may_come_byte_by_byte", client.reply() == b"hi")
        large = b"z" * 5_000_000
        client.ask("SET", "large", large)
        expect("large_values", client.ask("GET", "large") == large)
        for wrong in [b"*1\r\n+X\r\n", b"*1\r\n$-5\r\n", b"*99999999\r\n", b"*1\r\n$3\r\nabcdef\r\n"]:
            bad = Client(port)
            bad.socket.sendall(wrong)
            expect(f"no_command {wrong}", bad.reply().startswith(b"-ERR Protocol"))
        replies = [client.ask("CLIENT", *words) for words in [("SETNAME", "me"), ("GETNAME",), ("SETNAME", "a b")]]
        expect("a_client_may_have_a_name", replies[:2] == [b"+OK", b"me"] and replies[2].startswith(b"-ERR"), replies)
        reply = client.ask("CLIENT", "NO-SUCH", "thing")
        expect("what_it_may_not_ask_is_an_error", reply.startswith(b"-ERR unknown subcommand"), reply)
        waiting(expect, port)
        moving(expect, port)
        transactions(expect, port)
        publishing(expect, port)
        crowd(expect, port)
        together(expect, port)
        hostile(expect, port, max(rounds // 10, 100))
        client.ask("SET", "gone", "x", "PX", 20)
        before = client.ask("DBSIZE")
        while client.ask("DBSIZE") == before:
            time.sleep(0.02)
        expect("keys_that_nobody_asks_for_expire", client.ask("GET", "gone") is None)
        process.send_signal(signal.SIGTERM)
        expect("it_ends_although_clients_are_there", process.wait(60) == 0, process.returncode)
    finally:
        process.kill()
        process.wait()
    snapshots(expect, program, *options)
