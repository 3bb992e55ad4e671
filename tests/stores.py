"""The catalogue of stores: SQLite in a file, and a real PostgreSQL that the tests start, for nobody but them."""

import contextlib
import glob
import os
import shutil
import subprocess
import tempfile
import time
from itertools import count

import pytest

from tiers import deep

STORES = ["sqlite", *deep("postgresql")]
_OWNER = "nobody"  # PostgreSQL does not run as root
_numbers = count()


@contextlib.contextmanager
def postgresql():
    """The URL of a server in a new folder, reached by a Unix socket only; the test is skipped where there is none."""
    programs = max(glob.glob("/usr/lib/postgresql/*/bin"), default=None, key=lambda path: int(path.split("/")[4]))
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt install postgresql")
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'deciban[postgresql]'")
    folder = tempfile.mkdtemp(prefix="pg", dir="/tmp")
    who = {"user": _OWNER, "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
    if who:
        shutil.chown(folder, _OWNER, "nogroup")
    here = {"cwd": folder, "stdout": subprocess.DEVNULL, **who}
    data = f"{folder}/data"
    init = [f"{programs}/initdb", "-D", data, "-U", "tests", "--auth=trust", "--encoding=UTF8", "--locale=C", "-N"]
    subprocess.run(init, check=True, stderr=subprocess.PIPE, **here)
    settings = {"listen_addresses": "", "unix_socket_directories": folder, "fsync": "off", "log_min_messages": "panic"}
    words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    try:
        with subprocess.Popen(
            [f"{programs}/postgres", "-D", data, *words], stderr=subprocess.DEVNULL, **here
        ) as server:
            try:
                yield wait_for(f"postgresql:///postgres?host={folder}&user=tests", server)
            finally:
                server.terminate()  # a smart shutdown would wait for connections that tests have left open
                with contextlib.suppress(subprocess.TimeoutExpired):
                    server.wait(1)
                server.send_signal(2)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(url, server):
    """The URL, when the server answers."""
    import psycopg

    for _ in range(500):
        with contextlib.suppress(psycopg.OperationalError), psycopg.connect(url):
            return url
        assert server.poll() is None
        time.sleep(0.02)
    raise AssertionError("PostgreSQL does not answer")


def new_schema(url):
    """The URL of an empty schema."""
    import psycopg

    name = f"s{next(_numbers)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{url}&options=-csearch_path%3D{name}"
