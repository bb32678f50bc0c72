"""Tests of the reverse proxy: requests and answers of all forms go through whole; servers that end, come back, or are
not well; clients that are slow or speak no HTTP."""

import asyncio
import http.server
import os
import socket
import subprocess
import threading
import time

from knot import Client, request


class Backend:
    """A server that says its name, who asked, and what it was sent. `asked` counts requests, `connections` their
    connections; those of health checks count in neither."""

    def __init__(self, name, port=0):
        backend = self
        self.name, self.asked, self.connections, self.open = name, 0, set(), set()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def setup(self):
                super().setup()
                backend.open.add(self.connection)

            def do_HEAD(self):
                self.answer(b"")

            def do_GET(self):
                self.answer(f"{backend.name} {self.headers['X-Forwarded-For']} {self.path}".encode())

            def do_POST(self):
                if self.headers.get("Transfer-Encoding") == "chunked":
                    body = b""
                    while size := int(self.rfile.readline(), 16):
                        body += self.rfile.read(size)
                        self.rfile.readline()
                    self.rfile.readline()
                else:
                    body = self.rfile.read(int(self.headers["Content-Length"]))
                self.answer(body)

            def answer(self, body):
                if self.headers["Host"] != "health":
                    backend.asked += 1
                    backend.connections.add(self.client_address)
                self.send_response(200)
                if self.path == "/unsized":
                    self.send_header("Connection", "close")
                    self.close_connection = True
                else:
                    self.send_header("Content-Length", "5" if self.command == "HEAD" else str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 100

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def end(self):
        self.server.shutdown()
        self.server.server_close()
        for connection in self.open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def get(port, target="/x"):
    client = Client(port)
    answer = client.send(request(target, "Connection: close")).answer()
    client.close()
    return answer


def until(condition):
    end = time.time() + 60
    while not condition() and time.time() < end:
        time.sleep(0.02)
    return condition()


def messages(expect, port):
    client = Client(port)
    status, _, body = client.send(request("/page")).answer()
    expect("the_answer_comes_from_a_server", (status, body[1:]) == (200, b" 127.0.0.1 /page"), body)
    large = os.urandom(1_000_000)
    client.send(request("/", f"Content-Length: {len(large)}", method="POST")).send(large)
    expect("a_body_goes_there_and_back", client.answer()[2] == large)
    client.send(request("/", "Transfer-Encoding: chunked", method="POST") + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
    expect("so_does_one_in_chunks", client.answer()[2] == b"abcde")
    for byte in request("/slow"):
        client.send(byte)
    expect("a_request_may_come_byte_by_byte", client.answer()[2].endswith(b"/slow"))
    client.send(request("/1") + request("/2", method="HEAD") + request("/3"))
    found = [client.answer()[2][-2:], client.answer(False)[1]["content-length"], client.answer()[2][-2:]]
    expect("requests_behind_each_other_are_answered_in_order", found == [b"/1", "5", b"/3"], found)
    client.send(request("/unsized"))
    expect("an_answer_may_end_with_its_connection", client.answer() and client.has_ended() is False, client.rest)
    expect("it_is_whole", client.rest.endswith(b"/unsized"), client.rest)
    for what, text, want in [
        ("no_http", "nonsense\r\n\r\n", 400),
        ("a_long_head", request("/", "Referer: " + "a" * 20000), 431),
    ]:
        client = Client(port).send(text)
        answer = client.answer()
        expect(f"{what}_is_refused", answer and answer[0] == want and client.has_ended(), answer)


def servers(expect, port, backends):
    before = [backend.asked for backend in backends]
    for _ in range(20):
        get(port)
    shares = [backend.asked - had for backend, had in zip(backends, before)]
    expect("servers_share_the_requests", shares == [10, 10], shares)
    client = Client(port)
    had = [(backend.asked, len(backend.connections)) for backend in backends]
    for _ in range(50):
        client.send(request("/again")).answer()
    asked = sum(b.asked - a for b, (a, _) in zip(backends, had))
    new = sum(len(b.connections) - c for b, (_, c) in zip(backends, had))
    expect("connections_to_servers_are_used_again", asked == 50 and new <= 4, (asked, new))

    backends[0].end()
    answers = [client.send(request("/still")).answer() for _ in range(20)]
    expect(
        "a_server_that_has_gone_costs_no_request",
        all(a and a[:1] == (200,) and a[2].startswith(b"b") for a in answers),
        answers[:3],
    )
    backends[1].end()
    expect("without_servers_there_is_an_error", until(lambda: get(port)[0] == 502))
    backends[0] = Backend("c", backends[0].port)
    expect("a_server_that_comes_back_is_found", until(lambda: get(port)[0] == 200))


def back_pressure(expect, program):
    """The server sends more than anybody can keep, and the client does not read."""
    behind = socket.create_server(("127.0.0.1", 0))
    sent, ended = [0], threading.Event()

    def serve(connection):
        with connection:
            text = connection.recv(1 << 16)
            if text.startswith(b"HEAD"):
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                return
            connection.settimeout(0.5)
            try:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
                while True:
                    sent[0] += connection.send(bytes(1 << 16))
            except TimeoutError:
                ended.set()
            except OSError:
                pass

    def accept():
        while True:
            threading.Thread(target=serve, args=(behind.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    with gateway(program, behind.getsockname()[1]) as started:
        client = Client(started.port()).send(request("/endless"))
        expect("a_slow_reader_slows_the_server", ended.wait(60) and sent[0] < 100_000_000, sent)
        client.close()


class Crowd:
    """A server that answers no request before `size` of them are there: then so many connections are in use at a time.
    `connections` counts those that have brought a request of a client."""

    def __init__(self, size):
        self.size, self.connections, self.waiting = size, 0, []

    async def serve(self, reader, writer):
        new = True
        try:
            while (head := await reader.readuntil(b"\r\n\r\n")).startswith(b"GET"):
                self.connections += new
                new = False
                self.waiting.append(writer)
                if len(self.waiting) == self.size:
                    for each in self.waiting:
                        each.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                    self.waiting.clear()
            if head:
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        writer.close()


async def crowd(expect, program, size):
    """As many connections as a rush of clients has needed serve the next rush, too."""
    behind = Crowd(size)
    server = await asyncio.start_server(behind.serve, "127.0.0.1", 0, backlog=size)

    async def ask(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request("/x").encode())
        answer = await reader.readuntil(b"ok")
        writer.close()
        return answer.startswith(b"HTTP/1.1 200 ")

    with gateway(program, server.sockets[0].getsockname()[1]) as started:
        port = await asyncio.to_thread(started.port)  # it asks the server whether it is well before it says its port
        for rush in 1, 2:
            answers = await asyncio.wait_for(asyncio.gather(*(ask(port) for _ in range(size))), 120)
            found = sum(answers), behind.connections
            expect(f"rush_{rush}_needs_no_more_connections_than_clients", found == (size, size), found)


class gateway:
    def __init__(self, program, *ports):
        targets = [f"127.0.0.1:{port}" for port in ports]
        self.process = subprocess.Popen([program, "0", *targets], stdout=subprocess.PIPE, text=True)

    def port(self):
        return int(self.process.stdout.readline().split()[-1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def tests(expect, program):
    backends = [Backend("a"), Backend("b")]
    with gateway(program, *(b.port for b in backends)) as started:
        port = started.port()
        messages(expect, port)
        servers(expect, port, backends)
    back_pressure(expect, program)
    done = subprocess.run([program, "0", "nonsense"], stderr=subprocess.PIPE, text=True)
    expect("it_names_what_is_no_server", done.stderr == "gateway: there is no server 'nonsense'\n", done)
