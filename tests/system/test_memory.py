"""Memory and processor time of the command on bad input, whichever: memory is at most a multiple of what it reads,
beside what it always takes, and time grows no faster than the input."""

import base64
import json
import os
import subprocess
import sys

import polars
import pytest

from system.command import HAM, SPAM

pytestmark = pytest.mark.deep

SIZES = (1, 2, 4, 8)
ROUNDS = 6
"""Measurements of times at most."""
UNIT = 500_000
"""Bytes of the smallest input, about."""
LEAST = 256 << 20
"""Bytes that an input of any size may take: modules, tables of the counter, buffers."""
OF_TABLES, OF_PACKED, OF_MAIL = 80, 400, 24
"""So many bytes of memory a byte of the input takes at most; of Parquet, which is compressed, more."""
NOTICEABLE = 0.15
"""Seconds of processor time that one more `UNIT` may take, whatever the first ones take."""
PROGRAM = """
import sys
from deciban.cli import status
from deciban.cli.deferred import defer_imports
defer_imports()
code = status(sys.argv[1:])
peak = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(code, peak)
"""


def rows(header, line, n):
    return (header + "".join(line(i) for i in range(n))).encode()


# --- tables: bytes of about so many --------------------------------------------------------------------------


def wide_json(size):
    keys = size // 40
    objects = ({"y": "ab"[i % 2], **{f"k{j}": i for j in range(keys)}} for i in range(4))
    return b"".join(json.dumps(each).encode() + b"\n" for each in objects)


def deep_json(size):
    return b'{"y": "a", "x": ' + b"[" * (size // 2) + b"]" * (size // 2) + b"}\n"


def long_string(size):
    return json.dumps({"y": "a", "x": "v" * size}).encode() + b'\n{"y": "b", "x": "w"}\n'


def open_quote(size):
    return b'y,x\na,"' + b"never closed\n" * (size // 13)


def giant_cell(size):
    return b"y,x\na," + b"v" * size + b"\nb,w\n"


def many_columns(size):
    n = size // 16
    names = ",".join(["y", *(f"column{j}" for j in range(n))])
    return f"{names}\na{',1' * n}\nb{',2' * n}\n".encode()


def long_lines(size):
    return b"y,x\n" + (b"a," + b"1" * 4000 + b"\nb,2\n") * (size // 4008)


def more_fields(size):
    return b"y,x\n" + b"a,1" + b"," * size + b"\n"


def many_labels(size):
    return rows("y,x\n", lambda i: f"label {i},{i % 7}\n", size // 16)


def many_categories(size):
    return rows("y,x\n", lambda i: f"{'ab'[i % 2]},value number {i}\n", size // 24)


def nothing_but_commas(size):
    return b"y,x,z\n" + b"a,,\nb,,\n" * (size // 8)


def nul_bytes(size):
    return b"y,x\n" + b"\0" * size


def giant_indices(size):
    return rows("", lambda i: f"{i % 2} {i * 2_000_003 + 1}:1\n", size // 16)


def long_svmlight(size):
    return b"1 " + b" ".join(b"%d:1" % j for j in range(1, size // 9)) + b"\n0 1:2\n"


def huge_numbers(size):
    return b"1 1:" + b"9" * size + b"\n0 1:2\n"


def wide_parquet(size):
    frame = polars.DataFrame({"y": ["a", "b"], **{f"c{j}": [1, 2] for j in range(size // 700)}})
    return write_parquet(frame)


def tight_parquet(size):
    return write_parquet(polars.DataFrame({"y": ["a", "b"] * (size // 8), "x": [f"{i:x}" for i in range(size // 4)]}))


def write_parquet(frame):
    from io import BytesIO

    file = BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


TABLES = {
    "wide JSON": (wide_json, "jsonl"),
    "deep JSON": (deep_json, "jsonl"),
    "long string": (long_string, "jsonl"),
    "open quote": (open_quote, "csv"),
    "giant cell": (giant_cell, "csv"),
    "many columns": (many_columns, "csv"),
    "long lines": (long_lines, "csv"),
    "more fields": (more_fields, "csv"),
    "many labels": (many_labels, "csv"),
    "many categories": (many_categories, "csv"),
    "empty cells": (nothing_but_commas, "csv"),
    "NUL": (nul_bytes, "csv"),
    "giant indices": (giant_indices, "svm"),
    "long svmlight": (long_svmlight, "svm"),
    "huge numbers": (huge_numbers, "svm"),
    "wide Parquet": (wide_parquet, "parquet"),
    "tight Parquet": (tight_parquet, "parquet"),
}

# --- mail --------------------------------------------------------------------------------------------------

HEAD = b"From x@example.com Mon Jan  1 00:00:00 2024\nFrom: a@example.com\nSubject: s\n"


def parts(part, n, after=b""):
    return HEAD + b'Content-Type: multipart/mixed; boundary="b"\n\n' + (b"--b\n" + part) * n + b"--b--\n" + after


def nested(size):
    part = b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n'
    return HEAD + b"".join(part % (i, i) for i in range(size // 60)) + b"\nx\n"


def base64_text(size):
    head = HEAD + b"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n"
    return head + base64.encodebytes(b"text " * (size // 7))


def parameters(size):
    head = HEAD + b"Content-Type: text/plain"
    return head + b"".join(b";\n n*%d*=utf-8''%%41" % i for i in range(size // 18)) + b"\n\nx\n"


def html(body):
    return HEAD + b"Content-Type: text/html; charset=utf-8\n\n" + body


MAIL = {
    "tiny messages": lambda size: b"".join(b"From x Mon Jan  1 00:00:00 2024\n\n%d\n\n" % i for i in range(size // 40)),
    "distinct words": lambda size: HEAD + b"\n" + b" ".join(b"w%x" % (i * 2654435761) for i in range(size // 10)),
    "one huge message": lambda size: HEAD + b"\n" + b"the same words again and again\n" * (size // 31),
    "one huge word": lambda size: HEAD + b"\n" + b"w" * size,
    "many parts": lambda size: parts(b"\nx\n", size // 8),
    "nested parts": nested,
    "nested messages": lambda size: HEAD + b"Content-Type: message/rfc822\n\n" * (size // 31) + b"x\n",
    "long header": lambda size: HEAD + b"X-Long: " + b"v" * size + b"\n\nx\n",
    "many headers": lambda size: HEAD + b"".join(b"X-H%d: v\n" % i for i in range(size // 12)) + b"\nx\n",
    "folded header": lambda size: HEAD + b"X-Folded: v\n" + b" w\n" * (size // 3) + b"\nx\n",
    "base64": base64_text,
    "encoded words": lambda size: HEAD + b"Subject: " + b"=?utf-8?q?w?=\n " * (size // 15) + b"\n\nx\n",
    "tags": lambda size: html(b"<b><i>" * (size // 6)),
    "attributes": lambda size: html(b"<a " + b"x=1 " * (size // 4) + b">x</a>"),
    "entities": lambda size: html(b"&amp;lt;&#x41;" * (size // 14)),
    "links": lambda size: html(b"".join(b'<a href="http://h%d.example/">l</a>' % i for i in range(size // 38))),
    "attachments": lambda size: parts(b"Content-Disposition: attachment; filename=f.exe\n\nx\n", size // 56),
    "parameters": parameters,
}


def spent(*arguments):
    """The largest memory, in bytes, and seconds of processor time; the command must succeed, or refuse its input."""
    words = [sys.executable, "-c", PROGRAM, *map(str, arguments), "--quiet"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        told, said = process.stdout.read(), process.stderr.read()  # of few lines each
        _, process.returncode, used = os.wait4(process.pid, 0)
    assert process.returncode == 0, said
    assert "error of the program itself" not in said, said
    code, most = map(int, told.splitlines()[-1].split())
    assert code in (0, 65), said
    return most, used.ru_utime + used.ru_stime


def bounded(of, multiple, command, path):
    """Growth of the time from 4 to 8 units is at most 2.5 times that from 1 to 4: it is 4/3 where each unit takes as
    long as another, more where caches overflow, and 3.2 of what is quadratic. Other work of the machine only adds: of a
    few measurements the least counts."""
    seconds = {}
    for _ in range(ROUNDS):
        for times in SIZES:
            content = of(times * UNIT)
            path.write_bytes(content)
            most, now = spent(*command)
            assert most <= LEAST + multiple * len(content), times
            seconds[times] = min(now, seconds.get(times, now))
        first, then = seconds[4] - seconds[1], seconds[8] - seconds[4]
        if then <= 2.5 * max(first, 3 * NOTICEABLE):
            return
    raise AssertionError(seconds)


@pytest.mark.parametrize("name", TABLES)
def test_memory_of_bad_tables_goes_with_their_size(name, tmp_path):
    of, ending = TABLES[name]
    path = tmp_path / f"t.{ending}"
    label = () if ending == "svm" else ("--label", "y")
    command = ("train", path, *label, "--model", "naive-bayes", "-o", tmp_path / "m.deciban")
    bounded(of, OF_PACKED if ending == "parquet" else OF_TABLES, command, path)


@pytest.mark.parametrize("name", MAIL)
def test_memory_of_bad_mail_goes_with_its_size(name, tmp_path):
    path = tmp_path / "bad.mbox"
    command = ("train", f"spam={path}", f"spam={SPAM}", f"ham={HAM}", "--kind", "mail", "-o", tmp_path / "f.deciban")
    bounded(MAIL[name], OF_MAIL, command, path)
