"""An Exim of its own on the loopback interface, with its spool and its mailbox in a folder."""

import os
import shutil
import smtplib
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from system.postfix import free_port, listens
from system.serving import until

UNPACKED = Path(__file__).parents[2] / "target" / "exim" / "usr" / "sbin" / "exim4"
"""Where `.ci/run` unpacks it, as its package and Postfix's exclude each other."""


def _find_exim():
    for each in (UNPACKED, shutil.which("exim4", path=os.environ.get("PATH", "") + ":/usr/sbin")):
        if each and os.access(each, os.X_OK):
            about = subprocess.run([each, "-bV", "-C", "/dev/null"], capture_output=True, check=False).stdout
            if b"Content_Scanning" in about:
                return Path(each)
    return None


EXIM = _find_exim()
CANNOT = "needs root and Exim with content scanning (exim4-daemon-heavy)" if EXIM is None or os.geteuid() else ""
"""Why it cannot run here; empty where it can."""
_SETTINGS = """
exim_path = {program}
exim_user = {user}
exim_group = {user}
spool_directory = {folder}/spool
log_file_path = {folder}/%slog
pid_file_path = {folder}/pid
primary_hostname = mail.example.org
qualify_domain = example.org
keep_environment =
host_lookup =
tls_advertise_hosts =
rfc1413_query_timeout = 0s
acl_smtp_rcpt = accept
acl_smtp_data = acl_check_data
{main}
begin acl
acl_check_data:
{acl}
  accept
begin routers
all:
  driver = accept
  transport = box
begin transports
box:
  driver = appendfile
  file = {folder}/boxes/box
  user = {user}
  group = {user}
"""
_NOBODY = 65534


class Exim:
    """A mail server at a port, that lays messages into one mailbox."""

    def __init__(self, folder, port):
        self.folder, self.port = folder, port

    def send(self, message):
        """Send a message; raises SMTPDataError where it is rejected."""
        with smtplib.SMTP("127.0.0.1", self.port, timeout=20) as client:
            client.sendmail("a@example.net", ["b@example.org"], b"\r\n".join(message.splitlines()) + b"\r\n")

    def delivered(self):
        """The messages in the mailbox, as bytes with lines that end in LF, without the line above each."""
        box = self.folder / "boxes" / "box"
        whole = box.read_bytes() if box.exists() else b""
        return [each.partition(b"\n")[2] for each in whole.split(b"From a@example.net ")[1:] if each.endswith(b"\n\n")]

    def log(self):
        """What it has logged."""
        return (self.folder / "mainlog").read_text()


@contextmanager
def running_exim(main, acl):
    """An Exim with these lines in its main section, and in the ACL of what is sent."""
    folder = Path(tempfile.mkdtemp(prefix="exim-"))
    try:
        folder.chmod(0o755)
        for name in ("spool", "boxes"):
            (folder / name).mkdir()
            shutil.chown(folder / name, _NOBODY, _NOBODY)
        shutil.chown(folder, _NOBODY, _NOBODY)
        port, settings = free_port(), folder / "exim.conf"
        values = {"folder": folder, "program": EXIM, "user": _NOBODY, "main": main, "acl": acl}
        settings.write_text(_SETTINGS.format(**values))
        command = [EXIM, "-C", settings, "-bdf", "-oX", f"127.0.0.1.{port}"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            try:
                until(lambda: listens(port), process)
                yield Exim(folder, port)
            finally:
                process.terminate()
                process.wait(20)
    finally:
        shutil.rmtree(folder)
