"""Tests of the web server: what it answers, byte by byte where it matters; clients that are slow, idle, or mean no
good; encryption; how it ends."""

import contextlib
import gzip
import os
import random
import re
import resource
import signal
import socket
import subprocess
import tempfile
import threading
import time

from mutation import mutate

LARGE = 3_000_000


class Client:
    """One connection, on which answers are read as HTTP says where they end."""

    def __init__(self, port, timeout=60):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.rest = b""

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())
        return self

    def more(self):
        data = self.socket.recv(1 << 16)
        self.rest += data
        return data != b""

    def answer(self, body=True):
        """(status, headers, body), with the status 0 if it is no HTTP; None if the connection has ended instead."""
        while b"\r\n\r\n" not in self.rest:
            if not self.more():
                return None
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
        first = re.match(r"HTTP/1\.[01] (\d{3}) ", lines[0])
        status = int(first[1]) if first else 0
        length = int(headers.get("content-length", 0)) if body and status != 304 else 0
        while len(self.rest) < length:
            if not self.more():
                return None
        content, self.rest = self.rest[:length], self.rest[length:]
        return status, headers, content

    def has_ended(self):
        while self.more():
            pass
        return self.rest == b""

    def close(self):
        self.socket.close()


def request(target="/", *headers, method="GET", version="1.1", host="Host: a\r\n"):
    return f"{method} {target} HTTP/{version}\r\n{host}" + "".join(f"{h}\r\n" for h in headers) + "\r\n"


@contextlib.contextmanager
def server(program, folder, *options):
    process = subprocess.Popen([program, "-p", "0", *options, folder], stdout=subprocess.PIPE, text=True)
    try:
        yield process, int(re.search(r":(\d+)/", process.stdout.readline())[1])
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def site(folder):
    files = {
        "index.html": b"<p>hello\n",
        "page.html": b"<p>page\n" * 40,
        "sub/index.html": b"sub\n",
        "style.css": b"p {}\n",
        "a b.txt": b"blank\n",
        "empty.txt": b"",
        "large.bin": random.Random(1).randbytes(LARGE),
        "noext": b"x",
    }
    for name, content in files.items():
        os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
        with open(f"{folder}/{name}", "wb") as file:
            file.write(content)
    with open(f"{folder}/page.html.gz", "wb") as file:
        file.write(gzip.compress(files["page.html"]))
    return files


def answers(expect, port, files):
    def get(target, *headers, **more):
        client = Client(port)
        found = client.send(request(target, *headers, **more)).answer(more.get("method") != "HEAD")
        client.close()
        return found

    for target, name, kind in [
        ("/", "index.html", "text/html; charset=utf-8"),
        ("/page.html", "page.html", "text/html; charset=utf-8"),
        ("/style.css?v=1", "style.css", "text/css; charset=utf-8"),
        ("/a%20b.txt", "a b.txt", "text/plain; charset=utf-8"),
        ("/sub/", "sub/index.html", "text/html; charset=utf-8"),
        ("/sub/../page.html", "page.html", "text/html; charset=utf-8"),
        ("//page.html", "page.html", "text/html; charset=utf-8"),
        ("/noext", "noext", "application/octet-stream"),
        ("/empty.txt", "empty.txt", "text/plain; charset=utf-8"),
        ("/large.bin", "large.bin", "application/octet-stream"),
        ("http://www.example.test/page.html", "page.html", "text/html; charset=utf-8"),
        ("HTTPS://www.example.test/page.html", "page.html", "text/html; charset=utf-8"),
        ("http://www.example.test", "index.html", "text/html; charset=utf-8"),
    ]:
        status, headers, body = get(target)
        expect(
            f"{target}_is_the_file",
            (status, headers["content-type"], body) == (200, kind, files[name]),
            (status, headers),
        )
    status, headers, body = get("/page.html", method="HEAD")
    expect(
        "head_has_the_headers_alone",
        (status, headers["content-length"], body) == (200, str(len(files["page.html"])), b""),
        headers,
    )
    for target, want in [
        ("/none.html", 404),
        ("/sub", 301),
        ("/%00", 400),
        ("/%zz", 400),
        ("/../etc/passwd", 404),
        ("/%2e%2e/%2e%2e/etc/passwd", 404),
        ("/..%2f..%2fetc/passwd", 404),
        ("/page.html/", 404),
        ("/" + "a" * 3000, 400),
        ("*", 400),
    ]:
        expect(f"{target[:40]}_is_{want}", get(target)[0] == want, get(target))
    detour = "/" + "%2e/" * 900 + "sub"
    answer = get(detour)
    expect("a_long_target_of_a_folder_is_repeated_whole", answer and answer[1]["location"] == f"{detour}/", answer)
    expect("a_folder_gets_its_slash", get("/sub?x=1")[1]["location"] == "/sub/", get("/sub?x=1"))
    for method in ["POST", "DELETE", "OPTIONS"]:
        status, headers, _ = get("/", "Content-Length: 0", method=method)
        expect(f"{method}_is_not_allowed", (status, headers.get("allow")) == (405, "GET, HEAD"), headers)

    content, size = files["large.bin"], LARGE
    for text, first, last in [
        ("0-0", 0, 0),
        ("10-19", 10, 19),
        (f"{size - 5}-", size - 5, size - 1),
        ("-7", size - 7, size - 1),
        (f"5-{size * 2}", 5, size - 1),
        (f"-{size * 2}", 0, size - 1),
    ]:
        status, headers, body = get("/large.bin", f"Range: bytes={text}")
        expect(
            f"range_{text}",
            (status, body, headers["content-range"])
            == (206, content[first : last + 1], f"bytes {first}-{last}/{size}"),
            headers,
        )
    for text in [f"{size}-", "-0"]:
        status, headers, _ = get("/large.bin", f"Range: bytes={text}")
        expect(f"range_{text}_cannot_be_had", (status, headers["content-range"]) == (416, f"bytes */{size}"), headers)
    for text in ["5-2", "a-b", "1-2,4-5", "--1", "5"]:
        expect(f"range_{text}_is_ignored", get("/page.html", f"Range: bytes={text}")[::2] == (200, files["page.html"]))

    _, headers, _ = get("/page.html")
    tag, date = headers["etag"], headers["last-modified"]
    for header, want in [
        (f"If-None-Match: {tag}", 304),
        ('If-None-Match: "other"', 200),
        ("If-None-Match: *", 304),
        (f"If-Modified-Since: {date}", 304),
        ("If-Modified-Since: Thu, 01 Jan 1970 00:00:01 GMT", 200),
        ("If-Modified-Since: nonsense", 200),
        (f"If-Match: {tag}", 200),
        ('If-Match: "other"', 412),
        ("If-Unmodified-Since: Thu, 01 Jan 1970 00:00:01 GMT", 412),
    ]:
        expect(f"condition {header[:60]} is {want}", get("/page.html", header)[0] == want, get("/page.html", header))
    expect(
        "a_range_of_what_has_changed_is_all_of_it", get("/page.html", "Range: bytes=0-1", 'If-Range: "other"')[0] == 200
    )
    expect("a_range_of_what_has_not_changed", get("/page.html", "Range: bytes=0-1", f"If-Range: {tag}")[0] == 206)

    for accepted, coded in [
        ("gzip", True),
        ("br, gzip;q=0.5", True),
        ("gzip;q=0", False),
        ("x-gzipped", False),
        ("identity", False),
    ]:
        _, headers, body = get("/page.html", f"Accept-Encoding: {accepted}")
        expect(
            f"accept_encoding {accepted}",
            (headers.get("content-encoding") == "gzip") == coded
            and (gzip.decompress(body) if coded else body) == files["page.html"],
            headers,
        )
    expect(
        "what_was_not_compressed_is_sent_as_it_is", get("/style.css", "Accept-Encoding: gzip")[2] == files["style.css"]
    )


def connections(expect, port, files):
    client = Client(port).send(
        request("/") * 3 + request("/page.html") + request("/large.bin") + request("/none") + request("/style.css")
    )
    got = [client.answer() for _ in range(7)]
    expect(
        "requests_behind_each_other_are_answered_in_order",
        [a[0] for a in got] == [200, 200, 200, 200, 200, 404, 200]
        and got[4][2] == files["large.bin"]
        and got[6][2] == files["style.css"],
        [a and a[0] for a in got],
    )
    client.send(request("/", "Connection: close"))
    answer = client.answer()
    expect("close_is_heeded", answer[0] == 200 and answer[1]["connection"] == "close" and client.has_ended(), answer)
    client = Client(port).send(request("/", version="1.0"))
    expect("http_1_0_closes", client.answer()[0] == 200 and client.has_ended())
    client = Client(port)
    for byte in request("/page.html", "Range: bytes=0-3"):
        client.send(byte)
    expect("a_request_may_come_byte_by_byte", client.answer()[::2] == (206, files["page.html"][:4]))
    client.send(request("/", "Content-Length: 5", method="POST") + "12345" + request("/"))
    expect("a_body_is_skipped", [client.answer()[0], client.answer()[0]] == [405, 200])
    client.send(request("/", "Transfer-Encoding: chunked", method="POST") + "5\r\n12345\r\n0\r\n\r\n" + request("/"))
    expect("so_is_one_in_chunks", [client.answer()[0], client.answer()[0]] == [405, 200])
    client.close()
    for what, text, want in [
        ("no_host", request("/", host=""), 400),
        ("two_hosts", request("/", "Host: b"), 400),
        ("nonsense_in_host", request("/", host="Host: a/b@c\r\n"), 400),
        ("a_byte_0", request("/", "Referer: a\0b"), 400),
        ("a_negative_length", request("/", "Content-Length: -1", method="POST"), 400),
        ("chunks_of_no_size", request("/", "Transfer-Encoding: chunked", method="POST") + "Z\r\n", 400),
        ("chunks_inside_something", request("/", "Transfer-Encoding: chunked, gzip", method="POST") + "0\r\n\r\n", 400),
        ("a_body_that_waits", request("/", "Content-Length: 5", "Expect: 100-continue", method="POST"), 417),
        ("a_method_in_small_letters", request("/", method="get"), 501),
        ("no_http", "nonsense\r\n\r\n", (400, 501)),
        ("http_2", request("/", version="2.0"), (400, 505)),
        ("long_target", request("/" + "a" * 9000), 414),
        ("long_header", request("/", "Referer: " + "a" * 9000), 431),
        ("many_headers", request("/", *["x: y"] * 3000), 431),
        ("large_body", request("/", "Content-Length: 100000000", method="POST"), 413),
        ("two_lengths", request("/", "Content-Length: 1", "Content-Length: 2", method="POST") + "12", 400),
        (
            "length_and_chunks",
            request("/", "Content-Length: 1", "Transfer-Encoding: chunked", method="POST") + "1",
            400,
        ),
        ("blank_in_name", request("/", "a b: c"), 400),
        ("bare_newlines", "GET / HTTP/1.1\nHost: a\nX\n\n", 400),
    ]:
        client = Client(port).send(text)
        answer = client.answer()
        expect(
            f"{what}_is_refused",
            answer and answer[0] in (want if isinstance(want, tuple) else (want,)) and client.has_ended(),
            answer,
        )


def first_requests(expect, program, folder):
    """All come before the first is answered, so every activity finds that nothing has been prepared yet."""
    with server(program, folder) as (process, port):
        process.send_signal(signal.SIGSTOP)
        clients = [Client(port).send(request("/")) for _ in range(30)]
        process.send_signal(signal.SIGCONT)
        answers = [client.answer() for client in clients]
        wrong = [a for a in answers if not a or a[0] != 200 or a[1].get("server") != "knot" or "date" not in a[1]]
        expect("the_first_requests_may_come_all_at_once", not wrong, wrong[:2])


def bad_clients(expect, program, folder, files, certificate, key):
    with server(program, folder, "-i", "1", "-s", "1", "--tls", certificate, key) as (_, port):
        handshake = Client(port).send(b"\x16\x03\x01\x02\x00\x01")
        begun, slow_reader, silent = Client(port).send("GET / HT"), Client(port), Client(port)
        slow_reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        slow_reader.send(request("/large.bin") * 20)
        answer = begun.answer()
        expect("an_unfinished_request_is_given_up", answer and answer[0] == 408 and begun.has_ended(), answer)
        expect("an_idle_connection_is_closed", silent.has_ended())
        expect("so_is_one_with_half_a_handshake", handshake.has_ended(), handshake.rest)
        time.sleep(2.5)
        received = 0
        with contextlib.suppress(ConnectionError):
            while data := slow_reader.socket.recv(1 << 20):
                received += len(data)
        expect("a_client_that_does_not_read_is_dropped", 0 < received < 20 * LARGE, received)
        expect("others_are_served", Client(port).send(request("/")).answer()[0] == 200)
    with server(program, folder, "-c", "5") as (_, port):
        first = [Client(port).send(request("/")) for _ in range(5)]
        expect("as_many_as_there_is_room_for", all(c.answer()[0] == 200 for c in first))
        sixth = Client(port).send(request("/"))
        first[0].close()
        expect("the_next_is_served_when_one_has_gone", sixth.answer()[0] == 200)


def many_clients(port, many):
    """Connections of which each has had an answer, and now is idle."""
    with contextlib.suppress(ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    clients = [Client(port) for _ in range(many)]
    for client in clients:
        client.send(request("/style.css"))
    return clients, all((answer := client.answer()) and answer[0] == 200 for client in clients)


def certificate_in(folder):
    """(certificate, key) of localhost."""
    certificate, key = f"{folder}/certificate.pem", f"{folder}/key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    return certificate, key


def encryption(expect, program, folder, files, certificate, key, many):
    """Also with many other connections, which are not encrypted, at the same port."""
    with server(program, folder, "--tls", certificate, key) as (_, port):

        def curl(*arguments):
            command = ["curl", "-sS", "--cacert", certificate, *arguments]
            return subprocess.run(command, capture_output=True, timeout=120)

        site = f"https://localhost:{port}"
        plain, answered = many_clients(port, many)
        expect("at_the_port_for_tls_http_works_too", answered)
        got = curl(f"{site}/page.html")
        expect("a_page_comes_encrypted", got.stdout == files["page.html"], got)
        got = curl(f"{site}/large.bin", f"{site}/large.bin", "-w", "%{stderr}%{num_connects}")
        expect("so_do_large_files", got.stdout == files["large.bin"] * 2, (len(got.stdout), got.stderr))
        expect("on_one_connection", got.stderr == b"10", got.stderr)
        got = curl("-r", "-5", f"{site}/large.bin")
        expect("and_a_range", got.stdout == files["large.bin"][-5:], got)
        got = subprocess.run(["curl", "-sS", site], capture_output=True)
        expect("whoever_does_not_trust_the_certificate_gets_nothing", got.returncode == 60, got)
        nonsense = Client(port).send(b"\x16" + b"nonsense" * 100)
        with contextlib.suppress(ConnectionError):
            while nonsense.more():
                pass
        expect("what_is_no_tls_gets_no_http", b"HTTP" not in nonsense.rest, nonsense.rest)
        last = plain[-1].send(request("/page.html")).answer()
        expect("the_others_are_still_served", last and last[2] == files["page.html"], last)
        for client in plain:
            client.close()
    done = subprocess.run([program, "--tls", key, certificate, folder], stderr=subprocess.PIPE, text=True)
    expect("a_certificate_that_is_none_is_named", done.returncode == 2 and "cannot use" in done.stderr, done)
    done = subprocess.run([program, "--tls", "/nonexistent", key, folder], stderr=subprocess.PIPE, text=True)
    expect("so_is_one_that_is_missing", done.returncode == 2 and "No such file" in done.stderr, done)


def resident(process):
    """Bytes of memory that are the process's own."""
    with open(f"/proc/{process.pid}/statm") as statm:
        _, pages, shared, *_ = map(int, statm.read().split())
    return (pages - shared) * os.sysconf("SC_PAGE_SIZE")


def memory(expect, program, many=900):
    """What an idle connection costs, after it has had an answer. The first hundred pay for what is allocated once."""
    with tempfile.TemporaryDirectory() as folder:
        files = site(folder)
        with server(program, folder) as (process, port):
            clients, before = [], 0
            for i in range(100 + many):
                before = resident(process) if i == 100 else before
                clients.append(Client(port))
                if clients[-1].send(request("/page.html")).answer()[2] != files["page.html"]:
                    expect("each_connection_has_its_answer", False, i)
            each = (resident(process) - before) / many
            expect("an_idle_connection_takes_at_most_a_kilobyte", each <= 1024, each)
            for client in clients:
                client.close()


def fuzz(expect, port, rounds):
    draw = random.Random(7)
    bases = [
        request("/page.html", "Range: bytes=0-9", "Accept-Encoding: gzip"),
        request("/", "Content-Length: 4", method="POST") + "abcd",
        request("/sub/../a%20b.txt", 'If-None-Match: "x"'),
        request("/", "Transfer-Encoding: chunked", method="POST") + "2\r\nab\r\n0\r\n\r\n",
    ]
    wrong = []
    for i in range(rounds):
        data = mutate(draw, draw.choice(bases).encode() * draw.randint(1, 3), b"\r\n :%/.\0\xff;,-=9")
        client = Client(port)
        try:
            client.send(data)
            client.socket.shutdown(socket.SHUT_WR)
            text = b""
            while client.more():
                pass
            text = client.rest
            if text and not re.match(rb"HTTP/1\.1 [2345]\d\d [A-Z]", text):
                wrong.append((data, text[:100]))
        except ConnectionError:
            pass
        client.close()
    expect("whatever_is_sent_is_answered_with_http_or_nothing", not wrong, wrong[:2])
    expect("and_the_server_goes_on", Client(port).send(request("/")).answer()[0] == 200)


def ending(expect, program, folder, files):
    with tempfile.TemporaryDirectory() as logs:
        with server(program, folder, "-d", "2", "-i", "3600", "-l", f"{logs}/log") as (process, port):
            idle, busy, silent = Client(port), Client(port), Client(port)
            busy.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
            busy.send(request("/large.bin"))
            idle.send(request("/")).answer()
            os.rename(f"{logs}/log", f"{logs}/old") if os.path.exists(f"{logs}/log") else None
            process.send_signal(signal.SIGHUP)
            while not os.path.exists(f"{logs}/log") or "/page.html" not in open(f"{logs}/log").read():
                idle.send(request("/page.html")).answer()
            busy.more()
            process.send_signal(signal.SIGTERM)
            expect("an_idle_connection_ends_with_the_server", idle.has_ended())
            expect("so_does_one_on_which_nothing_has_ever_come", silent.has_ended())
            answer = busy.answer()
            expect("an_answer_that_has_begun_is_finished", answer and answer[2] == files["large.bin"])
            busy.close()
            expect("it_ends_with_status_0", process.wait(60) == 0, process.returncode)
        with open(f"{logs}/log") as file:
            lines = file.read()
        expect("the_log_is_opened_anew", '"GET /page.html HTTP/1.1" 200 320' in lines, lines)

    # Somebody always asks, each time by a connection of their own, while one server takes over from another.
    with server(program, folder) as (old, port):
        lost, answered, done = [], [0], threading.Event()

        def ask():
            while not done.is_set():
                try:
                    answer = Client(port).send(request("/", "Connection: close")).answer()
                    if not answer:
                        lost.append("no answer")
                    answered[0] += 1
                except OSError as error:
                    lost.append(str(error))

        askers = [threading.Thread(target=ask) for _ in range(4)]
        for asker in askers:
            asker.start()
        for _ in range(2):
            new = subprocess.Popen([program, "-p", str(port), folder], stdout=subprocess.PIPE, text=True)
            new.stdout.readline()
            seen = answered[0]
            while answered[0] < seen + 50:
                time.sleep(0.01)
            old.send_signal(signal.SIGTERM)
            old.wait(60)
            old = new
        done.set()
        for asker in askers:
            asker.join()
        old.kill()
        old.wait()
        # The kernel resets connections that it has let in between the last accept and the close of a listening socket.
        expect(
            "a_restart_loses_no_request_that_was_read",
            "no answer" not in lost and len(lost) <= answered[0] / 20,
            (lost, answered),
        )


def tests(expect, program, rounds):
    with tempfile.TemporaryDirectory() as folder:
        files = site(folder)
        with server(program, folder) as (process, port):
            answers(expect, port, files)
            connections(expect, port, files)
            fuzz(expect, port, rounds)
            with open(f"{folder}/style.css", "w") as file:
                file.write("changed {}\n")
            end = time.time() + 60
            while (
                body := Client(port).send(request("/style.css")).answer()[2]
            ) != b"changed {}\n" and time.time() < end:
                time.sleep(0.05)
            expect("a_file_that_has_changed_is_served_as_it_is_now", body == b"changed {}\n", body)
            process.send_signal(signal.SIGTERM)
            expect("it_ends_when_asked", process.wait(60) == 0, process.returncode)
        first_requests(expect, program, folder)
        with tempfile.TemporaryDirectory() as keys:
            certificate, key = certificate_in(keys)
            bad_clients(expect, program, folder, files, certificate, key)
            encryption(expect, program, folder, files, certificate, key, 7 * rounds)
        ending(expect, program, folder, files)
        done = subprocess.run([program, "/nonexistent"], stderr=subprocess.PIPE, text=True)
        expect(
            "it_names_the_folder_that_is_missing",
            (done.returncode, done.stderr) == (2, "knot: /nonexistent: No such file or directory\n"),
            done,
        )
        done = subprocess.run([program, "-p", "x", folder], stderr=subprocess.PIPE, text=True)
        expect(
            "it_names_the_option_that_is_wrong", done.returncode == 2 and "--port takes a number" in done.stderr, done
        )
        done = subprocess.run([program, "--help"], stdout=subprocess.PIPE, text=True)
        expect("it_explains_itself", done.returncode == 0 and "usage: knot" in done.stdout, done)
