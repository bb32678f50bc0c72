"""A redis server under load: commands whose answers are compared, then redis-benchmark."""

import hashlib
import os
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager

from .build import Unavailable

START_LIMIT = 120  # seconds for a server to come up; under callgrind that takes some
# No snapshots, and nothing else that depends on the time.
OPTIONS = ["--port", "0", "--save", "", "--appendonly", "no", "--hz", "1", "--activerehashing", "no"]
PIPELINED = ["-P", "16", "-n", "50000", "-t", "ping_mbulk,set,get,incr,lpush,rpush,lpop,sadd,hset,zadd,mset"]
RANGES = ["-P", "4", "-n", "5000", "-t", "lrange_100"]
ONE_BY_ONE = ["-n", "20000", "-t", "set,get"]
PROGRAM = "local n = 0 for i = 1, 50 do n = n + i * redis.call('incrby', KEYS[1], i) % 7 end return n"


@contextmanager
def server(command, folder):
    """Runs the server; hands out a connection. It is shut down at the end."""
    path = f"{folder}/socket"
    process = subprocess.Popen([*command, *OPTIONS, "--unixsocket", path, "--dir", folder],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        with connect(path, process) as connection:
            yield connection
            connection.sendall(b"SHUTDOWN NOSAVE\r\n")
            process.errors = process.communicate(timeout=START_LIMIT)[1]
    except (OSError, subprocess.TimeoutExpired) as reason:
        raise Unavailable(f"redis-server does not answer: {reason}") from reason
    finally:
        if process.poll() is None:
            os.killpg(process.pid, 9)
            process.wait()
    if process.returncode != 0:
        raise Unavailable(f"redis-server ends with {process.returncode}")


def connect(path, process):
    deadline = time.monotonic() + START_LIMIT
    while True:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(START_LIMIT)
        try:
            connection.connect(path)
            return connection
        except OSError:
            connection.close()
            if process.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def commands(count):
    """Commands of each kind; ECHO, which tells where a batch ends, is left to the caller."""
    for i in range(count):
        key, value = f"{i * 7919 % 1009}", "x" * (i * 31 % 200)
        yield "SET", f"string:{key}", value
        yield "GET", f"string:{i * 31 % 1009}"
        yield "INCRBY", f"number:{i % 17}", f"{i}"
        yield "HSET", f"hash:{i % 29}", key, value[:40], "count", f"{i}"
        yield "HGETALL", f"hash:{i % 31}"
        yield ("LPUSH", "RPUSH")[i % 2], f"list:{i % 13}", key, value[:20]
        yield "LRANGE", f"list:{i % 11}", "0", "20"
        yield "LPOP", f"list:{i % 7}"
        yield "ZADD", "sorted", f"{i * 997 % 4001}", key
        yield "ZRANGEBYSCORE", "sorted", f"{i % 4000}", f"{i % 4000 + 200}", "LIMIT", "0", "10"
        yield "SADD", f"set:{i % 5}", key
        yield "SINTERCARD", "2", f"set:{i % 5}", f"set:{(i + 1) % 5}", "LIMIT", "20"
        yield "APPEND", f"text:{i % 50}", key
        yield "SETRANGE", f"text:{i % 50}", f"{i % 90}", "abc"
        if i % 10 == 0:
            yield "EVAL", PROGRAM, "1", f"number:{i % 17}"
            yield "SORT", f"list:{i % 13}", "ALPHA", "LIMIT", "0", "5"
            yield "DEL", f"string:{i}", f"hash:{i % 29}"


def ask(connection, count, batch=50):
    """Sends the commands in batches; a digest of all answers."""
    digest, pending = hashlib.sha256(), []

    def flush():
        mark = b"the end of a batch"
        text = b"".join(map(encode, [*pending, ("ECHO", mark.decode())]))
        connection.sendall(text)
        answer = b""
        while not answer.endswith(mark + b"\r\n"):
            received = connection.recv(1 << 16)
            if not received:
                raise OSError("the connection is closed")
            answer += received
        digest.update(answer)
        pending.clear()

    for command in commands(count):
        pending.append(command)
        if len(pending) == batch:
            flush()
    flush()
    return digest.hexdigest()


def encode(command):
    parts = [part.encode() for part in command]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)


def load(command, benchmark, count):
    """Runs the server, asks it, lets redis-benchmark ask it unless that is None: a digest of the answers."""
    with tempfile.TemporaryDirectory(prefix="redis-") as folder, server(command, folder) as connection:
        answer = ask(connection, count)
        for options in (PIPELINED, RANGES, ONE_BY_ONE) if benchmark else ():
            argv = [benchmark, "-s", f"{folder}/socket", "-q", "-c", "10", "-r", "10000", *options]
            subprocess.run(argv, check=True, capture_output=True)
        return answer
