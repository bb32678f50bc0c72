"""Starts real servers on loopback, each with a port and a folder of its own: redis, PostgreSQL, nginx.

A server ends with its `with` block, and also if this process is killed in any way.
"""

import os
import pwd
import random
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

CONNECTIONS = 1000  # at a time, that each server is made to hold


def allow_descriptors():
    """To servers and programs: a connection is one or more; libcurl has three for each."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 5 * CONNECTIONS
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise SystemExit(f"recompile: a process may have {hard} descriptors here; {needed} are needed (ulimit -Hn)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY else needed, hard))


def free_port():
    """Not one of those that the kernel gives to clients: another's connection could take it before the server does."""
    while True:
        port = random.randrange(10000, 32768)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


def find(*names):
    """The first of these programs that exists; PostgreSQL's and nginx's are in no user's PATH."""
    for name in names:
        found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin") or (
            name if os.access(name, os.X_OK) else None
        )
        if found:
            return found
    raise SystemExit(f"recompile: there is no {names[0]}; scripts/setup installs it")


def user():
    """PostgreSQL refuses to serve as root: then it is served by nobody."""
    return pwd.getpwnam("nobody") if os.getuid() == 0 else None


def command_as(who, argv):
    identity = [] if who is None else [f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--clear-groups"]
    return ["setpriv", "--pdeathsig=KILL", *identity, *map(str, argv)]


def is_open(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def serving(name, argv, ports, folder, who=None, timeout=300, ready=None):
    allow_descriptors()
    log = Path(folder) / f"{name}.log"
    with open(log, "w") as out:
        server = subprocess.Popen(
            command_as(who, argv), cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        until = time.monotonic() + timeout
        while not (ready() if ready else all(is_open(port) for port in ports)):
            if server.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{name} does not serve; it says:\n{log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.02)
        yield server
    finally:
        server.send_signal(signal.SIGINT)  # for all of them: at once, but orderly
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="recompile-") as name:
        os.chmod(name, 0o755)
        yield Path(name)


@contextmanager
def redis():
    port = free_port()
    with folder() as place:
        argv = [
            find("redis-server"),
            "--port",
            port,
            "--bind",
            "127.0.0.1",
            "--unixsocket",
            place / "socket",
            "--enable-debug-command",
            "yes",
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            place,
            "--maxclients",
            4 * CONNECTIONS,
            "--tcp-backlog",
            4 * CONNECTIONS,
            "--loglevel",
            "warning",
        ]
        with serving("redis", argv, [port], place):
            yield {"port": port, "socket": str(place / "socket")}


@contextmanager
def postgres():
    port, who = free_port(), user()
    bin_folder = Path(find("/usr/lib/postgresql/15/bin/postgres")).parent
    with folder() as place:
        if who:
            os.chown(place, who.pw_uid, who.pw_gid)
        data = place / "data"
        made = subprocess.run(
            command_as(
                who,
                [
                    bin_folder / "initdb",
                    "-D",
                    data,
                    "-U",
                    "postgres",
                    "--auth=trust",
                    "--no-sync",
                    "--no-locale",
                    "-E",
                    "UTF8",
                ],
            ),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=place,
        )
        if made.returncode:
            raise RuntimeError(f"initdb failed:\n{made.stdout}")
        # A process for each connection: as many as come, and some for the administrator.
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": port,
            "unix_socket_directories": "",
            "max_connections": CONNECTIONS + 20,
            "shared_buffers": "16MB",
            "fsync": "off",
            "autovacuum": "off",
            "jit": "off",
            "max_wal_senders": 0,
            "authentication_timeout": 600,
            "logging_collector": "off",
        }
        argv = [
            bin_folder / "postgres",
            "-D",
            data,
            *[word for k, v in settings.items() for word in ("-c", f"{k}={v}")],
        ]

        def ready():
            return subprocess.run([bin_folder / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]).returncode == 0

        with serving("postgres", argv, [port], place, who, ready=ready):
            yield {"port": port}


NGINX = """
load_module {modules}/ngx_http_echo_module.so;
daemon off;
master_process off;
pid {place}/nginx.pid;
error_log stderr warn;
events {{ worker_connections {connections}; }}
http {{
  access_log off;
  client_body_temp_path {place}; proxy_temp_path {place}; fastcgi_temp_path {place}; uwsgi_temp_path {place};
  scgi_temp_path {place};
  client_body_buffer_size 64k;
  server {{
    listen 127.0.0.1:{port} backlog={connections};
    listen 127.0.0.1:{tls_port} ssl backlog={connections};
    ssl_certificate {place}/authority.pem;
    ssl_certificate_key {place}/key.pem;
    lingering_close off;
    keepalive_timeout 120s;
    client_header_timeout 600s;
    location /slow {{ echo_sleep 0.05; echo_duplicate 300 "answer to number $arg_i;"; }}
    location /echo {{ echo_read_request_body; echo_request_body; }}
  }}
}}
"""


@contextmanager
def nginx():
    port, tls_port = free_port(), free_port()
    with folder() as place:
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-days",
                "3650",
                "-subj",
                "/CN=localhost",
                "-addext",
                "subjectAltName=DNS:localhost",
                "-keyout",
                place / "key.pem",
                "-out",
                place / "authority.pem",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        (place / "nginx.conf").write_text(
            NGINX.format(
                place=place, port=port, tls_port=tls_port, connections=4 * CONNECTIONS, modules="/usr/lib/nginx/modules"
            )
        )
        with serving(
            "nginx", [find("nginx"), "-e", "stderr", "-p", place, "-c", place / "nginx.conf"], [port, tls_port], place
        ):
            yield {"port": port, "tls_port": tls_port, "authority": str(place / "authority.pem")}
