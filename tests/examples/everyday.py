"""Tests of the programs that people write first: the job runner, the crawler, the proxy, the chat server."""

import http.server
import os
import re
import signal
import socket
import struct
import subprocess
import threading
import time


def run(program, *arguments, text=None, timeout=120):
    done = subprocess.run(
        [program, *arguments], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout
    )
    return done.returncode, done.stdout


def jobs_tests(expect, program, label):
    status, output = run(program, "2", "3600", text="echo one\nexit 3\nkill -TERM $$\necho four\n")
    lines = output.splitlines()
    expect(
        f"jobs_tell_how_each_ended ({label})",
        status == 2
        and sum(line.startswith("exit     0 ") for line in lines) == 2
        and sum(line.startswith("exit     3 ") for line in lines) == 1
        and sum(line.startswith("killed  15 ") for line in lines) == 1,
        output,
    )

    # Each job waits until the other has begun: fewer than two at a time would wait for ever.
    folder = os.path.dirname(program)
    for name in ["a", "b"]:
        path = f"{folder}/meet-{label}.{name}"
        if os.path.exists(path):
            os.unlink(path)
        os.mkfifo(path)
    place = f"{folder}/meet-{label}"
    status, output = run(
        program, "2", "3600", text=f"echo x > {place}.a; cat {place}.b\ncat {place}.a; echo y > {place}.b\n"
    )
    expect(f"jobs_run_at_the_same_time ({label})", status == 0 and "x" in output and "y" in output, output)
    for name in ["a", "b"]:
        os.unlink(f"{place}.{name}")

    status, output = run(program, "3", "0.2", text="sleep 3600 & sleep 3600\necho quick\n")
    expect(
        f"a_job_that_takes_too_long_is_killed ({label})",
        status == 1 and "killed   9" in output and "quick" in output,
        output,
    )

    runner = subprocess.Popen([program, "1", "3600"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    runner.stdin.write("echo begun; sleep 3600\necho never\n")
    runner.stdin.flush()
    begun = runner.stdout.readline()
    runner.send_signal(signal.SIGTERM)
    output, _ = runner.communicate(timeout=60)
    expect(
        f"a_signal_ends_the_jobs_that_run_and_begins_no_others ({label})",
        begun == "begun\n" and "killed   9" in output and "never" not in output and runner.returncode == 1,
        output,
    )

    expect(
        f"jobs_explain_themselves ({label})",
        run(program, "0", "1", text="") == (100, "usage: jobs AT-A-TIME SECONDS < commands\n"),
    )


class Site:
    """A site of `size` pages, each with links to others. Pages in `broken` fail so many times; those in `silent` never
    answer."""

    def __init__(self, size, broken=None, silent=()):
        self.asked, self.at_once, self.most, lock = {}, 0, 0, threading.Lock()
        site, left = self, dict(broken or {})

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                number = int(self.path.strip("/") or 0)
                with lock:
                    site.asked[number] = site.asked.get(number, 0) + 1
                    site.at_once += 1
                    site.most = max(site.most, site.at_once)
                    fails = left.get(number, 0) > 0
                    left[number] = left.get(number, 0) - 1
                if number in silent:
                    self.connection.recv(1)  # until the client gives up
                elif not fails:
                    time.sleep(0.01)
                    body = "".join(
                        '<a href="/%s">' % (n or "") for n in (2 * number + 1, 2 * number + 2, number // 2) if n < size
                    ).encode()
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                with lock:
                    site.at_once -= 1
                self.close_connection = True

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 200
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def crawl_tests(expect, program, label):
    with Site(60) as site:
        status, output = run(program, "-n", "5", "-t", "3600", site.address)
        expect(
            f"a_crawl_finds_every_page_once ({label})",
            status == 0 and output.endswith("60 pages, 0 failures\n") and site.asked == {n: 1 for n in range(60)},
            output[-300:],
        )
        expect(f"a_crawl_fetches_at_most_so_many_at_a_time ({label})", 1 < site.most <= 5, site.most)
    with Site(10, broken={3: 2}) as site:
        status, output = run(program, "-r", "2", "-t", "3600", site.address)
        expect(
            f"a_fetch_that_fails_is_tried_again ({label})",
            status == 0 and "10 pages, 0 failures" in output and site.asked[3] == 3,
            output,
        )
    with Site(10, broken={3: 9}) as site:
        status, output = run(program, "-r", "1", "-t", "3600", site.address)
        expect(
            f"a_fetch_is_given_up_after_its_retries ({label})",
            status == 1 and "---        - /3" in output and site.asked[3] == 2,
            output,
        )
    with Site(10, silent=[4]) as site:
        status, output = run(program, "-r", "0", "-t", "2", site.address)
        expect(
            f"a_fetch_is_given_up_after_its_time ({label})",
            status == 1 and "---        - /4" in output and "8 pages, 1 failures" in output,
            output,
        )
    expect(f"the_crawler_explains_itself ({label})", run(program)[0] == 2)


def proxy_tests(expect, program, label):
    behind = socket.create_server(("127.0.0.1", 0))
    target = f"127.0.0.1:{behind.getsockname()[1]}"

    def start(idle):
        proxy = subprocess.Popen([program, "0", target, idle], stdout=subprocess.PIPE, text=True)
        return proxy, int(proxy.stdout.readline().split()[-1])

    def connect(port):
        client = socket.create_connection(("127.0.0.1", port), 60)
        server = behind.accept()[0]
        server.settimeout(60)
        return client, server

    def ends(end):
        try:
            return end.recv(1) == b""
        except ConnectionError:
            return True

    proxy, port = start("3600")
    try:
        client, server = connect(port)
        large = os.urandom(3_000_000)
        threading.Thread(target=lambda: (client.sendall(large), client.shutdown(socket.SHUT_WR)), daemon=True).start()
        got = b""
        while data := server.recv(1 << 16):
            got += data
        expect(f"a_proxy_carries_all_bytes ({label})", got == large, len(got))
        server.sendall(b"the other way")
        expect(f"one_direction_may_end_before_the_other ({label})", client.recv(100) == b"the other way")
        server.close()
        expect(f"the_end_is_carried ({label})", ends(client))
        client, server = connect(port)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        server.settimeout(60)
        expect(f"a_client_that_has_gone_ends_its_connection ({label})", ends(server))
        # The server sends more than anybody can keep: a proxy that reads what it cannot send on takes ever more memory.
        client, server = connect(port)
        server.settimeout(0.3)
        sent = 0
        try:
            while sent < 200_000_000:
                sent += server.send(bytes(1 << 16))
        except TimeoutError:
            pass
        expect(f"a_slow_reader_slows_the_sender ({label})", sent < 50_000_000, sent)
        client.close()
        server.close()
    finally:
        proxy.kill()
        proxy.wait()
    proxy, port = start("0.4")
    try:
        client, server = connect(port)
        for _ in range(8):
            time.sleep(0.1)
            client.send(b"x")
        got = b""
        while len(got) < 8 and (data := server.recv(8)):
            got += data
        expect(f"a_connection_that_is_used_lives_on ({label})", got == b"x" * 8, got)
        begin = time.time()
        expect(
            f"an_idle_connection_ends_on_both_sides ({label})",
            ends(client) and ends(server) and time.time() - begin > 0.2,
            time.time() - begin,
        )
    finally:
        proxy.kill()
        proxy.wait()
    behind.close()
    proxy, port = start("3600")
    try:
        expect(
            f"without_a_server_the_client_is_let_go ({label})", ends(socket.create_connection(("127.0.0.1", port), 60))
        )
    finally:
        proxy.kill()
        proxy.wait()
    expect(f"the_proxy_explains_itself ({label})", run(program) == (2, "usage: proxy PORT HOST:PORT [IDLE-SECONDS]\n"))


def echo_on_domains_tests(expect, folder, label, connections=200):
    server = subprocess.Popen([f"{folder}/echodomains", "0", "2"], stdout=subprocess.PIPE, text=True)
    port = server.stdout.readline().strip().split(":")[-1]
    status, output = run(f"{folder}/load", port, str(connections), "3")
    expect(
        f"every_domain_echoes ({label})",
        status == 0 and f"right={4 * connections} of {4 * connections}" in output,
        output[-2000:],
    )
    idle = socket.create_connection(("127.0.0.1", int(port)))
    idle.send(b"x")
    echoed = idle.recv(1)
    server.send_signal(signal.SIGTERM)
    output, _ = server.communicate(timeout=60)
    served = [int(n) for n in re.findall(r"^domain [01]: (\d+) connections$", output, re.M)]
    expect(
        f"a_signal_ends_all_domains_with_their_connections ({label})",
        server.returncode == 0
        and echoed == b"x"
        and idle.recv(1) == b""
        and len(served) == 2
        and sum(served) == connections + 1,
        output,
    )
    expect(f"the_kernel_divides_connections_among_domains ({label})", min(served, default=0) > 0, output)
    idle.close()


def chat_tests(expect, program, label):
    server = subprocess.Popen([program, "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    port = int(server.stdout.readline().split()[-1])

    def news(lines):  # of who has come and gone, behind what bob has said
        while (line := lines.readline()).startswith("bob: "):
            pass
        return line

    def join(name):
        client = socket.create_connection(("127.0.0.1", port), 60)
        client.sendall(f"{name}\n".encode())
        return client, client.makefile("r")

    try:
        ann, ann_in = join("ann")
        bob, bob_in = join("bob")
        expect(f"who_comes_is_announced ({label})", ann_in.readline() == "* bob has come\n")
        ann.sendall(b"hello\nyou\x1b[2J\n")
        expect(
            f"a_line_goes_to_the_others ({label})",
            [bob_in.readline(), bob_in.readline()] == ["ann: hello\n", "ann: you [2J\n"],
        )
        bob.sendall(b"hi\n")
        expect(f"and_not_to_its_writer ({label})", ann_in.readline() == "bob: hi\n")
        ann.sendall(b"z\n" * 1000)  # many more than a client's channel has room for
        burst = [bob_in.readline() for _ in range(1000)]
        expect(
            f"lines_that_come_together_drop_nobody_who_reads ({label})", burst == ["ann: z\n"] * 1000, burst.count("")
        )
        slow, _ = join("slow")
        expect(
            f"everybody_hears_who_comes ({label})", [bob_in.readline(), ann_in.readline()] == ["* slow has come\n"] * 2
        )
        line, sent, heard = b"x" * 900 + b"\n", 0, ""
        while not heard.startswith("*") and sent < 200_000:  # slow never reads, ann does
            bob.sendall(line)
            sent += 1
            heard = ann_in.readline()
        expect(f"a_client_that_does_not_read_is_dropped ({label})", heard == "* slow has gone\n", (heard, sent))
        slow.close()
        nobody, _ = join("")
        heard = news(ann_in)
        expect(f"a_name_may_be_missing ({label})", heard == "* nobody has come\n", heard)
        long, _ = join("long")
        heard = [news(ann_in)]
        long.sendall(b"y" * 5000)
        heard.append(news(ann_in))
        expect(
            f"a_line_that_is_too_long_ends_its_client ({label})",
            heard == ["* long has come\n", "* long has gone\n"],
            heard,
        )
    finally:
        server.kill()
        server.wait()


def tests(expect, programs, label):
    jobs_tests(expect, f"{programs}/jobs", label)
    crawl_tests(expect, f"{programs}/crawl", label)
    proxy_tests(expect, f"{programs}/proxy", label)
    echo_on_domains_tests(expect, programs, label)
    chat_tests(expect, f"{programs}/chat", label)
