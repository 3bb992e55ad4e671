"""A process becomes one that has no more of POSIX than Windows has, and that replaces no file that is open.

Only for what Deciban asks of the system: libraries are loaded before.
"""

import fcntl
import os
import signal
import sys
import types
from contextlib import suppress

OF_POSIX = ("fcntl", "grp", "pwd", "resource", "termios")
OF_OS = ("O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK")
OF_OS += ("fchmod", "fchown", "fork", "getuid", "memfd_create", "pread", "register_at_fork", "set_blocking", "sysconf")
OF_OS += ("listxattr", "setxattr")
OF_SIGNAL = ("SIGALRM", "SIGHUP", "SIGKILL", "setitimer", "ITIMER_REAL", "pthread_sigmask")


def begin():
    """Become Windows."""
    import asyncio
    import concurrent.futures
    import ctypes
    import multiprocessing
    import sqlite3
    import subprocess
    import tempfile

    import click
    import narwhals
    import numpy
    import polars
    import rich.console
    import safetensors
    import scipy.linalg
    import scipy.optimize
    import scipy.sparse.csgraph
    import scipy.special
    import scipy.stats
    import sklearn.base
    import sklearn.utils.estimator_checks
    import threadpoolctl

    loaded = [asyncio, concurrent.futures, ctypes, multiprocessing, sqlite3, subprocess, tempfile, click, narwhals]
    loaded += [numpy, polars, rich, safetensors, scipy, sklearn, threadpoolctl]
    assert all(loaded)
    msvcrt = types.ModuleType("msvcrt")
    msvcrt.LK_NBLCK = 2
    msvcrt.locking = _locking
    sys.modules["msvcrt"] = msvcrt
    sys.modules |= dict.fromkeys(OF_POSIX)
    for module, names in ((os, OF_OS), (signal, OF_SIGNAL)):
        for name in names:
            with suppress(AttributeError):
                delattr(module, name)
    for name in ("replace", "rename", "unlink", "remove"):
        setattr(os, name, _of_closed(getattr(os, name)))
    sys.platform = "win32"


def _locking(handle, mode, size, lock=fcntl.flock, at_once=fcntl.LOCK_EX | fcntl.LOCK_NB):
    assert (mode, size) == (2, 1)
    try:
        lock(handle, at_once)
    except BlockingIOError as error:
        raise PermissionError(error.errno, error.strerror) from error


def _of_closed(call):
    """Return a call that refuses files that are open."""

    def refuse_open(*names, **more):
        for name in names:
            if any(os.path.samefile(name, each) for each in _open_files() if os.path.exists(name)):
                raise PermissionError(13, "it is used by another process", name)
        return call(*names, **more)

    return refuse_open


def _open_files():
    for number in os.listdir("/proc/self/fd"):
        path = f"/proc/self/fd/{number}"
        if os.path.exists(path) and os.path.isfile(path):
            yield path
